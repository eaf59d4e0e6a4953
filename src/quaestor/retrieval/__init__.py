"""Finds where in a document an answer may be: an index, and the tables and passages that fit a question."""
