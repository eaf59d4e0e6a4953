"""Store of scores beside the runs: verdicts, never reference answers. No solver can import this package."""
