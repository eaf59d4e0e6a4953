"""What a model's plan comes to is described with the question in view, whichever solver asked."""
