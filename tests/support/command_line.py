"""The command line in this process, as a person sees it: exit code and what was printed."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


Quaestor = Callable[..., Outcome]


def one_line(outcome: Outcome) -> str:
    """The only line of an error; nothing else was printed."""
    assert outcome.out == ""
    assert outcome.err.endswith("\n")
    assert outcome.err.count("\n") == 1, outcome.err
    assert "Traceback" not in outcome.err
    return outcome.err.rstrip("\n")
