"""The two-phase solver: a model names values, most of them by SPARQL; then it writes a formula over their names."""
