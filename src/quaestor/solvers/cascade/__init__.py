"""Solvers one after the other: the next is asked only where the one before is not sure enough."""
