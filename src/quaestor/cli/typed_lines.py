"""Input lines: with history and completion on a terminal, or from a pipe."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.errors import InputError

if TYPE_CHECKING:
    from types import ModuleType

_MOST_REMEMBERED = 1_000
_WORD = re.compile(r"(?<!\S)\S")
"""Matches the beginning of a word."""

ReadLine = Callable[[], str | None]
"""Returns the next line, or None at the end."""


def completions(line: str, commands: Sequence[str], words: Sequence[str]) -> list[str]:
    """Return the completions of a line.

    >>> completions("what were net s", [], ["Net sales", "Net loss"])
    ['what were Net sales']
    >>> completions("/so", ["/solver embedded", "/undo"], [])
    ['/solver embedded']
    """
    if line.startswith("/"):
        return [command for command in commands if command.startswith(line)]
    for begun in _WORD.finditer(line):
        typed = line[begun.start() :].casefold()
        if found := [word for word in words if word.casefold().startswith(typed)]:
            return [line[: begun.start()] + word for word in found]
    return []


@contextmanager
def typed_lines(prompt: str, history: Path | None, complete: Callable[[str], list[str]]) -> Iterator[ReadLine]:
    """Yield a reader of lines from a terminal with a prompt, or from a pipe without one."""
    if not sys.stdin.isatty():
        yield _read_pipe
        return
    readline = _readline()
    if readline is not None:
        _prepare(readline, history, complete)
    try:
        yield lambda: _read_terminal(prompt)
    finally:
        if readline is not None:
            readline.set_completer(None)
            if history is not None and history.parent.is_dir():
                with suppress(OSError):
                    readline.write_history_file(history)


def _readline() -> "ModuleType | None":
    try:
        import readline
    except ImportError:  # not on every system
        return None
    return readline


def _prepare(readline: "ModuleType", history: Path | None, complete: Callable[[str], list[str]]) -> None:
    readline.clear_history()
    readline.set_history_length(_MOST_REMEMBERED)
    if history is not None:
        with suppress(OSError):
            readline.read_history_file(history)

    def completer(text: str, state: int) -> str | None:
        found = complete(text)
        return found[state] if state < len(found) else None

    readline.set_completer_delims("\n")
    readline.set_completer(completer)
    editing = "bind ^I rl_complete" if "libedit" in (readline.__doc__ or "") else "tab: complete"
    readline.parse_and_bind(editing)


def _read_terminal(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        print()
        return None


def _read_pipe() -> str | None:
    try:
        return sys.stdin.readline() or None
    except UnicodeDecodeError as error:
        raise InputError("the input is not valid UTF-8") from error
