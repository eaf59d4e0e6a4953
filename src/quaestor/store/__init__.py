"""Run stores: records of runs, the store operations, and databases for them."""
