"""Pages for runs over datasets, and their scores."""
