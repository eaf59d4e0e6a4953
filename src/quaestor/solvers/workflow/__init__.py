"""The workflow: a model writes a whole plan in one reply; everything after that is exact and ours."""
