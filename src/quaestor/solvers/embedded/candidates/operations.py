"""What a candidate can do, as names and as codes."""

OPERATIONS = (
    "lookup", "subtract", "add", "divide", "multiply", "greater", "percentage_change", "sum", "average",
)  # fmt: skip
"""What a candidate can do, in the order of their codes."""
LOOKUP, SUBTRACT, ADD, DIVIDE, MULTIPLY, GREATER, CHANGE, SUM, AVERAGE = range(len(OPERATIONS))

GROUPED = frozenset({"sum", "average"})
"""Those that take a group of numbers."""
