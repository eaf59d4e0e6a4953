"""Pages for asking: a document beside the conversation about it."""
