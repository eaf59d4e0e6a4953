"""Pages for correcting answers."""
