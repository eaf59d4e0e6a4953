"""Results of a model's plan are described in terms of the question, by every solver."""
