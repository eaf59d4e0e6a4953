"""What is kept of scores, beside the runs: who is right, never by what answer. No solver can import it."""
