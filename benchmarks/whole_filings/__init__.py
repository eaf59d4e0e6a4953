"""Reading, retrieval and answering of whole filings, measured by questions generated from inline XBRL tags."""
