"""Search for the places of an answer in a document: an index, and the tables and passages that match a question."""
