"""Runs as logs of Inspect AI, and their verdicts as its scores and metrics."""
