"""Rendering of documents: in parts that are loaded on demand, with a key for every cell and sentence."""
