"""The number of available processors."""

import os


def usable_processors() -> int:
    """Return the number of processors that this process may use, at least one."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
