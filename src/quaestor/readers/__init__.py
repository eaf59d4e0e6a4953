"""Readers of documents, one module or folder per file format, and the detection of formats."""
