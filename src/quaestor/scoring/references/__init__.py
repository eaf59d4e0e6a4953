"""Readers of reference answers, one module per benchmark; `scoring.gold` selects the reader of a file."""
