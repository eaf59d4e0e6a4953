"""Datasets: conversations about documents, and the formats of their files."""
