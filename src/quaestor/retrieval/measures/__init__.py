"""Where a document prints the figures of a measure, and which of its numbers are of one time."""
