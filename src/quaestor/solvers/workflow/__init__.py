"""Workflow solver: a model writes a whole plan in one reply, which the program looks up, checks and runs."""
