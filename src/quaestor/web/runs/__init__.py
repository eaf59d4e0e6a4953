"""Runs: what was played over datasets, and how it went."""
