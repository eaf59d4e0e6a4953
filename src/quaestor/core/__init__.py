"""Values that know nothing of the rest: quantities, periods, and places of numbers."""
