"""How many processors this process may use."""

import os


def usable_processors() -> int:
    """Return how many processors this process may use, at least one."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
