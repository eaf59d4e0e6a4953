"""The door for Inspect AI: a task whose solver is one of ours, asked with Inspect's model and scored by our scorers."""
