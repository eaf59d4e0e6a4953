"""Derived columns of a turn: the classes for lists, and the measures for a run's figures.

Both are derived from the stored turn, so that all stores have the same values, also for turns of earlier versions. The
functions read plain JSON and reject nothing: missing values have no class and count as 0.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from pydantic import JsonValue

from quaestor.store.tables import KEYS, Row, Tables, row_of

LOOKUP = "lookup"
"""Operation of a plan that only looks up a number or words."""


@dataclass(frozen=True, slots=True)
class TurnClasses:
    """Classes of a turn; None if a class does not apply.

    Attributes:
        kind: Kind of its answer, a name from `quaestor.conversation.answer.AnswerKind`.
        operation: Last operation of its plan, or `LOOKUP`.
        origin: Origin of the plan's numbers: `table`, `text` or `table and text`; `earlier turns`, `earlier turns and
            constants` or `constants` if none is from the document.
    """

    kind: str = "none"
    operation: str | None = None
    origin: str | None = None
    confidence: float | None = None


def classes_of(answer: Mapping[str, JsonValue]) -> TurnClasses:
    """Return the classes of a turn from its answer as JSON."""
    confidence = answer.get("confidence")
    sure = float(confidence) if isinstance(confidence, int | float) else None
    value = answer.get("value")
    if value is None:
        return TurnClasses(confidence=sure)
    steps = list(_objects(_object(answer.get("plan")).get("steps")))
    last = steps[-1].get("operation") if steps else None
    operation = last if isinstance(last, str) else None
    return TurnClasses(_kind(value, operation), _operation(steps, operation), _origin(steps), sure)


def _kind(value: JsonValue, operation: str | None) -> str:
    if isinstance(value, bool):
        return "yes_no"
    if isinstance(value, dict):
        return "list" if "list" in value else "label" if operation else "text"
    return "count" if operation == "count" else "number"


def _operation(steps: list[dict[str, Any]], last: str | None) -> str | None:
    if not steps:
        return None
    return LOOKUP if last in (None, "identity") else last


def _origin(steps: list[dict[str, Any]]) -> str | None:
    found = {place for step in steps for place in _places(step)}
    if {"cell", "sentence"} <= found:
        return "table and text"
    if "cell" in found or "sentence" in found:
        return "table" if "cell" in found else "text"
    if "earlier" in found:
        return "earlier turns and constants" if "constant" in found else "earlier turns"
    return "constants" if "constant" in found else None


def _places(step: Mapping[str, Any]) -> Iterator[str]:
    """Yield the kinds of a step's inputs: cell, sentence, earlier turn, constant."""
    if "source" in step:
        yield str(_object(step["source"]).get("kind"))
    for operand in _objects(step.get("operands")):
        match operand.get("kind"):
            case "ref":
                if isinstance(number := operand.get("step"), int) and number < 0:
                    yield "earlier"
            case "label":
                yield "cell"
            case "cells":
                yield from (str(source.get("kind")) for source in _objects(operand.get("sources")))
            case "constant":
                yield "constant"


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> Iterator[dict[str, Any]]:
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())


_WRAPPERS = ("expert_event", "stage_event")
"""Kinds of events that wrap another event."""


@dataclass(frozen=True, slots=True)
class TurnMeasures:
    """Measures of one turn; `milliseconds` is None if it has not ended."""

    milliseconds: int | None = None
    requests: int = 0
    tokens: int = 0
    cached_tokens: int = 0
    called: int = 0
    refusals: int = 0
    no_answer: bool = False
    stages: int = 0


@dataclass(frozen=True, slots=True)
class RunMeasures:
    """Distribution of measures over the ended turns of a run.

    Attributes:
        fates: Number of turns by refusals, whether a model reported that there is no answer, whether there is an
            answer, and whether it was verified.
        stages: Stages of a cascade that were run in all turns, including unfinished ones.
    """

    milliseconds: Mapping[int, int] = field(default_factory=dict)
    requests: Mapping[int, int] = field(default_factory=dict)
    tokens: Mapping[int, int] = field(default_factory=dict)
    cached_tokens: Mapping[int, int] = field(default_factory=dict)
    called: Mapping[int, int] = field(default_factory=dict)
    fates: Mapping[tuple[int, bool, bool, bool], int] = field(default_factory=dict)
    stages: int = 0

    @property
    def turns(self) -> int:
        """The number of turns."""
        return sum(self.fates.values())


COUNTED = ("milliseconds", "requests", "tokens", "cached_tokens", "called")
"""Measures for which a run has the number of turns with each value."""


def measure_turn(turn: Row) -> TurnMeasures:
    """Return the measures of a turn."""
    usage, events, finished = turn.get("usage") or {}, turn.get("events") or [], turn.get("finished")
    flat = list(_flatten(events))
    return TurnMeasures(
        milliseconds=None if finished is None else (finished - turn["started"]) // timedelta(milliseconds=1),
        requests=_count(usage.get("requests")),
        tokens=_count(usage.get("input_tokens")) + _count(usage.get("output_tokens")),
        cached_tokens=_count(usage.get("cached_tokens")),
        called=len(turn.get("tool_calls") or []),
        refusals=sum(kind in ("plan_refused", "reply_rejected") for kind in flat),
        no_answer="no_answer_given" in flat,
        stages=sum(isinstance(event, dict) and event.get("kind") == "stage_answered" for event in events),
    )


def sum_measures(rows: Iterable[tuple[Any, ...]]) -> RunMeasures:
    """Sum the measures of a run's turns.

    Args:
        rows: Groups of equal turns: the measures in `COUNTED`, in that order; the number of refusals; whether a model
            reported that there is no answer; whether there is an answer; whether it was verified; whether the turn has
            ended; the number of stages; and the number of such turns.
    """
    counted: dict[str, Counter[int]] = {name: Counter() for name in COUNTED}
    fates: Counter[tuple[int, bool, bool, bool]] = Counter()
    stage_count = 0
    for row in rows:
        if not all(value is None or isinstance(value, int) for value in row):
            raise ValueError("a measure of a turn is not a number")
        *values, refusals, no_answer, answered, verified, ended, stages, count = row
        stage_count += stages * count
        if ended:
            fates[refusals, bool(no_answer), bool(answered), bool(verified)] += count
            for name, value in zip(COUNTED, values, strict=True):
                if value is not None:
                    counted[name][value] += count
    return RunMeasures(**counted, fates=fates, stages=stage_count)


def _count(found: object) -> int:
    return found if isinstance(found, int) else 0


def _flatten(events: Sequence[JsonValue]) -> Iterator[str]:
    """Yield the kinds of events, with wrapped events in place of their wrappers."""
    for event in events:
        if not isinstance(event, dict):
            continue
        if event.get("kind") in _WRAPPERS:
            yield from _flatten([event.get("event")])
        else:
            yield str(event.get("kind"))


def summary_row(turn: Row) -> Row:
    """Return the derived columns of a turn."""
    return row_of(classes_of(turn.get("answer") or {}), measure_turn(turn))


async def summarise_turns(tables: Tables) -> None:
    """Fill in the derived columns of all turns of an older store. Repeatable."""
    columns = (*KEYS["turns"], "answer", "started", "finished", "usage", "tool_calls", "events")
    for place in await tables.find("examples", KEYS["examples"], {}):
        for turn in await tables.find("turns", columns, place):
            await tables.change("turns", {name: turn[name] for name in KEYS["turns"]}, summary_row(turn))
