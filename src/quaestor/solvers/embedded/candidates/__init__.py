"""The plans that a question could mean."""
