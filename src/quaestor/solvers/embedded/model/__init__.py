"""What was learned: how it is read, and how it is applied."""
