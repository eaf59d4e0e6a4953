"""Audits: what people who read a benchmark's pages again say of references that are disputed."""
