"""Integration with Inspect AI: a task that runs quaestor's solvers with Inspect's models and quaestor's scorers."""
