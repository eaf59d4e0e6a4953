"""What is computed: typed steps, one table of operations, validation, exact execution, program text."""
