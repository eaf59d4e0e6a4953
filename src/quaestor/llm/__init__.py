"""Language models: by name, within a budget, with all requests recorded, and replay without a network."""
