"""Typed objects from a model: output modes, retries after invalid replies, and parsing."""
