"""Errors as one line on stderr and an exit code.

0: success, 1: internal error or a broken service, 2: mistake in the input, 130: interrupted, 141: the reader of the
output is gone, 143: ended by SIGTERM.
"""

import errno
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper

import typer
from typer.exceptions import TyperException

from quaestor.cli.signals import describe_end
from quaestor.core.visible import visible
from quaestor.errors import (
    BadLinesError,
    DuplicateRecordError,
    GapError,
    GraphError,
    InputError,
    MissingModelError,
    OntologyError,
    OutputExistsError,
    QuaestorError,
    RunStoppedError,
    SeveralPagesError,
    StoreError,
    UnknownConversationError,
)
from quaestor.extras import extra_of, how_to_install

DEBUG = "QUAESTOR_DEBUG"
"""Environment variable that `--debug` sets, also for worker processes: print tracebacks instead of lines."""

_YES = ("1", "true", "t", "yes", "y", "on")
"""Values that Typer reads as true."""

_LONGEST = 400
_MOST_LINES = 100
"""Number of lines to print of a list with more than twice as many."""

_NOT_WRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF)
"""A full disk, or a closed standard output."""

_MISTAKES = (InputError, StoreError, OntologyError, GraphError)

_HINTS: dict[type[QuaestorError], str] = {
    UnknownConversationError: " (quaestor pages lists all of a file)",
    OutputExistsError: "; use --force to overwrite it",
    MissingModelError: "; choose one with --model",
}


def debugging() -> bool:
    """Return whether to show tracebacks."""
    return os.environ.get(DEBUG, "").strip().casefold() in _YES


def run_for_exit_code(command: Callable[[], object]) -> int:
    """Run a command, print an error as one line on stderr, and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Characters that the terminal lacks, and invalid ones of a model, are printed as question marks.
            stream.reconfigure(errors="replace")
    try:
        outcome = command()
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        return 141
    except (KeyboardInterrupt, typer.Abort):
        return _fail(*describe_end())
    except Exception as error:  # outermost handler of the program
        if debugging():
            raise
        # Errors about files name the file: without a name it is standard output.
        if isinstance(error, OSError) and error.errno in _NOT_WRITTEN:
            _discard_output()
            return _fail(f"cannot write to standard output: {error.strerror}", 2)
        return print_failure(error)
    # Typer returns the code of an `Exit`, and 130 for an interrupt.
    if outcome == 130:
        return _fail(*describe_end())
    return outcome if isinstance(outcome, int) else 0


def _discard_output() -> None:
    """Discard buffered output, because Python flushes standard output once more when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_failure(error: Exception) -> int:
    """Print an error with advice in terms of the command line, and return the exit code."""
    if isinstance(error, TyperException):
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "quaestor"
        return _fail(f"{error.format_message()} (see {command} --help)", 2)
    if isinstance(error, GapError | BadLinesError):
        # These errors list all faults of an ontology or a file.
        return _fail_with_list(str(error), error.gaps if isinstance(error, GapError) else error.lines)
    if isinstance(error, ModuleNotFoundError) and (extra := extra_of(error.name or "")):
        return _fail(f"{error.name} is not installed: run {how_to_install(extra)}", 2)
    if not isinstance(error, QuaestorError):
        hint = f"use quaestor --debug or {DEBUG}=1 for the traceback"
        return _fail(f"internal error: {type(error).__name__}: {error} ({hint})", 1)
    if isinstance(error, RunStoppedError):
        resume = f"resume with --resume {error.run}" if error.run else "nothing was started"
        return _fail(f"{error.why}; {resume}", _code(error))
    return _fail(f"{error}{_hint(error)}", _code(error))


def _code(error: QuaestorError) -> int:
    if isinstance(error, RunStoppedError):
        if error.by_person:
            return describe_end()[1]
        return _code(error.__cause__) if isinstance(error.__cause__, QuaestorError) else 1
    return 2 if isinstance(error, _MISTAKES) and not isinstance(error, DuplicateRecordError) else 1


def _hint(error: QuaestorError) -> str:
    """Return a hint about an option or a command, which the library cannot give."""
    if isinstance(error, SeveralPagesError):
        return f" (quaestor pages {shlex.quote(error.path)} lists them)"
    other = "" if _code(error) == 2 else " (use --debug for the traceback)"
    return next((hint for kind, hint in _HINTS.items() if isinstance(error, kind)), other)


def _fail_with_list(message: str, lines: Sequence[str]) -> int:
    _fail(message.partition("\n")[0], 2)
    shown = lines[:_MOST_LINES] if len(lines) > 2 * _MOST_LINES else lines
    for line in shown:
        print(f"  {visible(' '.join(line.split()))[:_LONGEST]}", file=sys.stderr)
    if len(lines) > len(shown):
        print(f"  ... and {len(lines) - len(shown)} more", file=sys.stderr)
    return 2


def _fail(message: str, code: int) -> int:
    line = visible(" ".join(message.split()))
    shown = line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."
    print(f"quaestor: {shown}", file=sys.stderr)
    return code
