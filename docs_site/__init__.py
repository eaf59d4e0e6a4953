"""Build the documentation site and the command reference."""
