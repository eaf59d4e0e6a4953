"""The numbers of a document as one table of facts: what each is called, of which concept, member and period it is."""
