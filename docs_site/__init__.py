"""What makes the documentation site, and the page of the commands, out of texts that stand elsewhere."""
