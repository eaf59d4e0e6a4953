"""The standard streams of a process that was started with some of them closed.

Without this Python has None for such a stream, and the next file that is opened gets its number: what a library or a
worker process prints would be written into that file.
"""

import os
import sys

_CLOSED = (("stdin", "r", os.O_RDONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
"""What is in for each: nothing to read, an error for what is printed, and nobody to read messages."""


def open_closed_streams() -> None:
    """Give each closed stream something that is in for it; what is printed on a closed stdout is an OSError."""
    for number, (name, mode, flags) in enumerate(_CLOSED):
        if getattr(sys, name) is not None:
            continue
        opened = os.open(os.devnull, flags)
        if opened != number and not _is_open(number):
            os.dup2(opened, number)
            os.close(opened)
            opened = number
        os.set_inheritable(opened, opened == number)
        stream = open(opened, mode, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115  # for good
        setattr(sys, name, stream)


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
