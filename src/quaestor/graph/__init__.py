"""The knowledge graph of a document: instances, observations, mentions, and guarded queries over them."""
