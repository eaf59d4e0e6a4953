"""Ask: a document, and the conversation about it beside it."""
