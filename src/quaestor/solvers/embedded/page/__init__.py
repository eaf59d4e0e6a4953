"""A page as arrays: every number that a plan can start from."""
