"""Language models: by name, within a budget, with every request and reply on record, replayable without a network."""
