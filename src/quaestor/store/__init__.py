"""What is remembered of runs: records, the protocol of a run store, and its implementations."""
