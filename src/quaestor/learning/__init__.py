"""Labelled conversations become weights: the one place where gold meets features.

Nothing below this package in the layers can import it, so no solver can reach what it reads.
"""
