"""Open closed streams at the start of a program, and end it at SIGTERM like Ctrl-C, within a few seconds.

If a standard stream is closed, Python sets it to None and the next file that is opened gets its descriptor: output of
a library or worker process would be written into that file. Batch systems, containers and service managers send
SIGTERM and kill the program some seconds later. By then, results are stored and worker processes have ended, so that a
run can be resumed.
"""

import os
import signal
import sys
from types import FrameType

EXIT_CODE = 128 + 15
"""The exit code that shells use for a program that SIGTERM ended."""

WITHIN = 8.0
"""Seconds after which the system ends the process if it is still running."""


class _SignalFlag:
    """Whether this process has received SIGTERM."""

    sigterm = False


def handle_sigterm() -> None:
    """Make SIGTERM end this process like Ctrl-C. Call this once, at the start of a program."""
    if os.name != "posix":  # other systems end a process without a signal
        return
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell makes programs in the background ignore Ctrl-C. Block it instead, so that SIGTERM can use its handler:
        # asyncio cancels its tasks only if it may handle Ctrl-C.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _interrupt)


def has_received_sigterm() -> bool:
    """Return whether this process has received SIGTERM."""
    return _SignalFlag.sigterm


def describe_end() -> tuple[str, int]:
    """Return the message and the exit code of an interrupt."""
    return ("terminated by SIGTERM", EXIT_CODE) if has_received_sigterm() else ("interrupted", 128 + 2)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if _SignalFlag.sigterm:
        os._exit(EXIT_CODE)  # a second SIGTERM ends at once
    _SignalFlag.sigterm = True
    # The default action of SIGALRM ends the process without the interpreter.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, WITHIN)
    on_interrupt = signal.getsignal(signal.SIGINT)
    if callable(on_interrupt):
        on_interrupt(signal.SIGINT, frame)
    else:
        raise KeyboardInterrupt


_CLOSED = (("stdin", "r", os.O_RDONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
"""Flags for opening each stream instead: reading gives nothing, printing fails, messages are discarded."""


def open_closed_streams() -> None:
    """Open each closed stream on the null device; printing on a closed stdout raises OSError."""
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
