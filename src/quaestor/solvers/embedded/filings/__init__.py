"""Questions about whole filings, answered from their facts."""
