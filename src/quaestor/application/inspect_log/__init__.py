"""Converts runs to logs of Inspect AI, and verdicts to its scores and metrics."""
