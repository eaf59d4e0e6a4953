"""The numbers of a document as a table of facts with label, concept, member and period."""
