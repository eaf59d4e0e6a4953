"""The knowledge graph of one document: instances, observations, mentions, and guarded queries over them."""
