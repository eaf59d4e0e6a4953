"""The conversation so far, as the solver reads it."""
