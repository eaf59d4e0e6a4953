"""Fuzzing of everything that takes input: the targets, the drivers and the reports."""
