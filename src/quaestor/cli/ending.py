"""How a process of the command line begins and ends: with open streams, and in order at SIGTERM as by Ctrl-C.

Without a standard stream Python has None for it, and the next file that is opened gets its number: what a library or a
worker process prints would be written into that file. Batch systems, containers and service managers end a program with
SIGTERM, and kill what is left some seconds later. What was played is stored by then, its worker processes are gone, and
the run can be resumed.
"""

import os
import signal
import sys
from types import FrameType

EXIT_CODE = 128 + 15
"""Of a program that SIGTERM ended, as shells give it."""

WITHIN = 8.0
"""Seconds after which what has not come to its end is ended by the system, whatever it computes or waits for."""


class _Asked:
    """Whether this process was asked to end."""

    already = False


def end_in_order() -> None:
    """Has SIGTERM end this process in order. Called once, by the program that owns it."""
    if os.name != "posix":  # elsewhere a process is ended without being asked
        return
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell that starts programs in the background has them ignore Ctrl-C. It is held back instead, so that what
        # handles it can be told of SIGTERM: asyncio cancels what is under way only where it may handle Ctrl-C.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _interrupt)


def asked_to_end() -> bool:
    """Return whether SIGTERM has come."""
    return _Asked.already


def describe_end() -> tuple[str, int]:
    """Return what a person is told of an interrupt, and the exit code."""
    return ("terminated by SIGTERM", EXIT_CODE) if asked_to_end() else ("interrupted", 128 + 2)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if _Asked.already:
        os._exit(EXIT_CODE)  # whoever asks twice does not want to wait
    _Asked.already = True
    # Its default action ends the process, and needs neither the interpreter nor a thread of it.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, WITHIN)
    on_interrupt = signal.getsignal(signal.SIGINT)
    if callable(on_interrupt):
        on_interrupt(signal.SIGINT, frame)
    else:
        raise KeyboardInterrupt


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
