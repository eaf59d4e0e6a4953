"""Two-phase solver: a model selects values, mostly by SPARQL, then writes a formula over their names."""
