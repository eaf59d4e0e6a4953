"""Asking a model for one typed object: what all solvers with a model share."""
