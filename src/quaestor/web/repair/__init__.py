"""Answers put right by hand, in the browser."""
