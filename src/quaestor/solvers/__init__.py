"""Solvers, which find the plan that answers a question, and the protocol that they share."""
