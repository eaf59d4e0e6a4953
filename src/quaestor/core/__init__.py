"""Values that know nothing of the rest: quantities, periods, and where a number is."""
