"""Applies a person's corrections to numbers, plans and turns, and lists possible ones, without asking a model."""
