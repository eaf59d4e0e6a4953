"""Cascade of solvers: the next one is asked only if the one before is not confident enough."""
