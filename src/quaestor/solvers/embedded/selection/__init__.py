"""Answers that are chosen among labelled cells: years, lines, counts of them, yes or no."""
