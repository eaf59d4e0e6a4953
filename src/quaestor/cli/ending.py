"""SIGTERM: an orderly end as by Ctrl-C, and one that comes soon whatever is going on.

Batch systems, containers and service managers end a program with it, and kill what is left some seconds later. What
was played is stored by then, its worker processes are gone, and the run can be resumed.
"""

import os
import signal
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
