"""Records of requests to models and their replies, exactly as sent and received.

Exchanges are stored by sinks, such as a list.
"""

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from quaestor.llm.usage import Usage


@dataclass(frozen=True, slots=True)
class TurnKey:
    """Identifies a turn of a run."""

    run: str = ""
    conversation: str = ""
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request with its reply."""

    place: TurnKey
    number: int
    phase: str
    model: str
    method: str
    path: str
    request: str
    status: int | None
    headers: Mapping[str, str]
    response: str | None
    started: datetime
    finished: datetime
    usage: Usage = field(default_factory=Usage)
    error: str | None = None


class Sink(Protocol):
    """Receives exchanges in the order in which they end, such as a `list[Exchange]`."""

    def append(self, exchange: Exchange, /) -> None:
        """Store one exchange."""
        ...


_asking: ContextVar[tuple[TurnKey, Iterator[int]] | None] = ContextVar("asking", default=None)
"""The current turn, and the numbers of its next requests."""
_phase: ContextVar[str] = ContextVar("phase", default="")


@contextmanager
def turn_context(run: str, conversation: str, turn: int) -> Iterator[TurnKey]:
    """Tag all requests inside the context, in this task and in tasks that it starts, with a turn."""
    place = TurnKey(run, conversation, turn)
    token = _asking.set((place, itertools.count()))
    try:
        yield place
    finally:
        _asking.reset(token)


@contextmanager
def phase(name: str) -> Iterator[None]:
    """Tag the requests inside the context with a step, such as `UNDERSTAND` or `ANSWER_iteration_1`."""
    token = _phase.set(name)
    try:
        yield
    finally:
        _phase.reset(token)


def current_place() -> TurnKey:
    """Return the current turn; an empty key outside of any."""
    asking = _asking.get()
    return asking[0] if asking else TurnKey()


def next_tag(untagged: Iterator[int]) -> tuple[TurnKey, int, str]:
    """Return the current turn, the next request number in it, and the phase."""
    place, numbers = _asking.get() or (TurnKey(), untagged)
    return place, next(numbers), _phase.get()
