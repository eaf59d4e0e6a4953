"""The numbers of a document as one table of facts, with label, concept, member and period."""
