"""Plans: typed steps, the table of operations, validation, exact execution, formulas and program text."""
