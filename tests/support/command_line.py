"""Run the command line in this process and return its exit code and output."""

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
    """Return the commands, which are built once because building them takes longer than most of them take to run."""
    from quaestor.cli.app import make_app

    return typer.main.get_command(make_app(()))


def exit_code(*arguments: str) -> int:
    """Run a command in this process and return its exit code; errors are printed as in a terminal."""
    with _restore_log_levels():
        return run_for_exit_code(lambda: all_commands()(list(arguments), standalone_mode=False, prog_name="quaestor"))


def command_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], columns: int = 140
) -> Quaestor:
    """Return a function that runs a command in a folder, without the settings of the environment."""
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
def _restore_log_levels() -> Iterator[None]:
    """Restore the log levels, which a server sets for its whole process."""
    levels = {logger: logger.level for logger in map(logging.getLogger, ("quaestor", "mcp", "uvicorn"))}
    try:
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)


def one_line(outcome: Outcome) -> str:
    """Return the only line of an error; nothing else is printed except progress lines that end in "..."."""
    assert outcome.out == ""
    assert outcome.err.endswith("\n")
    printed = [line for line in outcome.err.splitlines() if not line.endswith(" ...")]
    assert len(printed) == 1, outcome.err
    assert "Traceback" not in outcome.err
    return printed[0]


def refused(outcome: Outcome) -> str:
    """Return the only line printed by a command that exits with the code for invalid input."""
    assert outcome.code == 2, outcome.err
    return one_line(outcome)


class PreparedFolder:
    """Files that commands leave in a folder, created for the first test that needs them and copied for the others."""

    def __init__(self, kept: Path) -> None:
        self._kept = kept
        self._printed = ""

    def fill(self, folder: Path, prepare: Callable[[], str]) -> str:
        """Fill a folder by running commands once, or by copying their files, and return the output of the commands."""
        if self._kept.exists():
            copytree(self._kept, folder, dirs_exist_ok=True)
        else:
            self._printed = prepare()
            copytree(folder, self._kept)
        return self._printed
