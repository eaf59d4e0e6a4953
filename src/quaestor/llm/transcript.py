"""Every request to a model and its reply, exactly as sent and received.

Keeps nothing itself: exchanges go to sinks, and a list is one.
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
    """Which turn asks.

    Attributes:
        turn: The turn's place in the conversation, from 0.
    """

    run: str = ""
    conversation: str = ""
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what came back.

    Attributes:
        number: The request's place in the turn, from 0; a repeated attempt has a number of its own.
        phase: Which step of the solver asked, such as `UNDERSTAND`.
        path: Of the address, without host and query.
        status: The HTTP status, or None if no reply came.
        headers: Of the reply, those in `transport.RECORDED_HEADERS`.
        response: The body as received, whole, also of a stream and as far as it came; None if no reply came.
        started: When it was sent, in UTC, in whole milliseconds.
        error: What went wrong below HTTP (`ReadTimeout: ...`), or None.
    """

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
    """Takes exchanges in the order in which they end. A `list[Exchange]` is one."""

    def append(self, exchange: Exchange, /) -> None:
        """Keep one exchange."""
        ...


@dataclass(frozen=True, slots=True)
class _Asking:
    place: TurnKey
    numbers: Iterator[int]


_asking: ContextVar[_Asking | None] = ContextVar("asking", default=None)
_phase: ContextVar[str] = ContextVar("phase", default="")


@contextmanager
def turn_context(run: str, conversation: str, turn: int) -> Iterator[TurnKey]:
    """Tag every request made inside, in this task and in those it starts; conversations in parallel do not mix."""
    place = TurnKey(run, conversation, turn)
    token = _asking.set(_Asking(place, itertools.count()))
    try:
        yield place
    finally:
        _asking.reset(token)


@contextmanager
def phase(name: str) -> Iterator[None]:
    """Name the step that the requests made inside belong to, such as `UNDERSTAND` or `ANSWER_iteration_1`."""
    token = _phase.set(name)
    try:
        yield
    finally:
        _phase.reset(token)


def current_place() -> TurnKey:
    """Return which turn asks; an empty place outside of any."""
    tagged = _asking.get()
    return tagged.place if tagged else TurnKey()


def next_tag(untagged: Iterator[int]) -> tuple[TurnKey, int, str]:
    """Return which turn asks now, the number of this request in it, and the phase."""
    tagged = _asking.get()
    return (tagged.place, next(tagged.numbers), _phase.get()) if tagged else (TurnKey(), next(untagged), _phase.get())
