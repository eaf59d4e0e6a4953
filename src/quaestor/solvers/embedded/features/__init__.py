"""What is measured of numbers and of candidate plans, as columns."""
