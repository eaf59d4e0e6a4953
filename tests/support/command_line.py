"""Command line in this process: exit code and output."""

import logging
import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
import typer

from quaestor.cli.failures import run_for_exit_code


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


Quaestor = Callable[..., Outcome]


@cache
def all_commands() -> Any:
    """The commands, made once: that takes longer than most of them take to run."""
    from quaestor.cli.app import make_app

    return typer.main.get_command(make_app(()))


def exit_code(*arguments: str) -> int:
    """Run a command in this process; errors are printed as in a terminal."""
    with _log_levels_restored():
        return run_for_exit_code(lambda: all_commands()(list(arguments), standalone_mode=False, prog_name="quaestor"))


def command_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], columns: int = 140
) -> Quaestor:
    """Return what runs a command in a folder, without the settings of the environment."""
    monkeypatch.chdir(folder)
    for name in [name for name in os.environ if name.startswith("QUAESTOR_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", str(columns))

    def run(line: str, *more: str) -> Outcome:
        code = exit_code(*shlex.split(line), *more)
        printed = capfd.readouterr()
        return Outcome(code, printed.out, printed.err)

    return run


@contextmanager
def _log_levels_restored() -> Iterator[None]:
    """Restore the levels that a server sets for the process that it takes to be its own."""
    levels = {logger: logger.level for logger in map(logging.getLogger, ("quaestor", "mcp", "uvicorn"))}
    try:
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)


def one_line(outcome: Outcome) -> str:
    """The only line of an error; nothing else was printed, but for what a busy machine says while one waits for it."""
    assert outcome.out == ""
    assert outcome.err.endswith("\n")
    printed = [line for line in outcome.err.splitlines() if not line.endswith(" ...")]
    assert len(printed) == 1, outcome.err
    assert "Traceback" not in outcome.err
    return printed[0]


def refused(outcome: Outcome) -> str:
    """The only line of a command that ended with the exit code of a mistake in the input."""
    assert outcome.code == 2, outcome.err
    return one_line(outcome)


class PreparedFolder:
    """What commands leave in the folder of the first test that needs it, copied to the folders of the others."""

    def __init__(self, kept: Path) -> None:
        self._kept = kept
        self._printed = ""

    def fill(self, folder: Path, prepare: Callable[[], str]) -> str:
        """Return what is printed by the commands that fill a folder, or were run once to fill one like it."""
        if self._kept.exists():
            copytree(self._kept, folder, dirs_exist_ok=True)
        else:
            self._printed = prepare()
            copytree(folder, self._kept)
        return self._printed
