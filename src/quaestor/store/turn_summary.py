"""What is kept beside a turn: the classes that lists find it by, and the counts that the figures of a run are made of.

Both are derived from the turn as it is stored, so that every store keeps the same of all turns, those of earlier
versions too. Reads plain JSON and refuses nothing: what is not there has no class, and counts as none.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from pydantic import JsonValue

from quaestor.store.tables import KEYS, Row, Tables, row_of

LOOKUP = "lookup"
"""The operation of a plan that takes a number or words as they are."""


@dataclass(frozen=True, slots=True)
class TurnClasses:
    """The classes of one turn; None if a turn has no such thing.

    Attributes:
        kind: The kind of its answer, as `quaestor.conversation.answer.AnswerKind` names it.
        operation: The last operation of its plan, or `LOOKUP`.
        origin: Where the numbers that its plan takes stand: `table`, `text`, `table and text`; of a plan that takes
            none `earlier turns`, `earlier turns and constants` or `constants`.
    """

    kind: str = "none"
    operation: str | None = None
    origin: str | None = None
    confidence: float | None = None


def classes_of(answer: Mapping[str, JsonValue]) -> TurnClasses:
    """Return the classes of a turn, given its answer as JSON; empty if there is none."""
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
    """Yield what a step takes: of a cell or a sentence, of an earlier turn, a constant."""
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


_HOLDING = ("expert_event", "stage_event")
"""The kinds of events that hold another one."""


@dataclass(frozen=True, slots=True)
class TurnMeasures:
    """The counts of one turn; `milliseconds` is None if it has not ended."""

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
    """The turns of a run that came to their end, counted.

    Attributes:
        fates: How many turns have so many refusals, a model that said that there is no answer, an answer, and one that
            was verified.
        stages: Stages of a cascade that were asked, in all turns, those included that did not come to their end.
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
        """How many turns there are."""
        return sum(self.fates.values())


COUNTED = ("milliseconds", "requests", "tokens", "cached_tokens", "called")
"""The measures of which a run has how many turns have each value."""


def measure_parts(
    started: datetime,
    finished: datetime | None,
    usage: Mapping[str, Any],
    tool_calls: Sequence[JsonValue],
    events: Sequence[JsonValue],
) -> TurnMeasures:
    """Return the measures of a turn."""
    flat = list(_flat(events))
    return TurnMeasures(
        milliseconds=None if finished is None else (finished - started) // timedelta(milliseconds=1),
        requests=_count(usage.get("requests")),
        tokens=_count(usage.get("input_tokens")) + _count(usage.get("output_tokens")),
        cached_tokens=_count(usage.get("cached_tokens")),
        called=len(tool_calls),
        refusals=sum(kind in ("plan_refused", "reply_rejected") for kind in flat),
        no_answer="no_answer_given" in flat,
        stages=sum(isinstance(event, dict) and event.get("kind") == "stage_answered" for event in events),
    )


def sum_measures(rows: Iterable[tuple[Any, ...]]) -> RunMeasures:
    """Return the turns of a run, counted.

    Args:
        rows: Of turns that are alike the measures named in `COUNTED`, in that order; how many refusals, whether a model
            said that there is no answer, whether there is one, whether it was verified, whether the turn has ended, how
            many stages; and how many such turns there are.
    """
    counted: dict[str, Counter[int]] = {name: Counter() for name in COUNTED}
    fates: Counter[tuple[int, bool, bool, bool]] = Counter()
    asked = 0
    for row in rows:
        if not all(value is None or isinstance(value, int) for value in row):
            raise ValueError("a measure of a turn is not a number")
        *values, refusals, no_answer, answered, verified, ended, stages, count = row
        asked += stages * count
        if ended:
            fates[refusals, bool(no_answer), bool(answered), bool(verified)] += count
            for name, value in zip(COUNTED, values, strict=True):
                if value is not None:
                    counted[name][value] += count
    return RunMeasures(**counted, fates=fates, stages=asked)


def _count(found: object) -> int:
    return found if isinstance(found, int) else 0


def _flat(events: Sequence[JsonValue]) -> Iterator[str]:
    """Yield the kinds of events, of one that holds another the kind of that."""
    for event in events:
        if not isinstance(event, dict):
            continue
        if event.get("kind") in _HOLDING:
            yield from _flat([event.get("event")])
        else:
            yield str(event.get("kind"))


def summary_row(turn: Row) -> Row:
    """Return the columns that are derived from the others of a turn."""
    written = (turn.get("usage") or {}, turn.get("tool_calls") or [], turn.get("events") or [])
    return row_of(classes_of(turn.get("answer") or {}), measure_parts(turn["started"], turn.get("finished"), *written))


async def summarise_turns(tables: Tables) -> None:
    """Fill in the derived columns of all turns: a store of before they were kept lacks them. Can be done again."""
    columns = (*KEYS["turns"], "answer", "started", "finished", "usage", "tool_calls", "events")
    for place in await tables.find("examples", KEYS["examples"], {}):
        for turn in await tables.find("turns", columns, place):
            await tables.change("turns", {name: turn[name] for name in KEYS["turns"]}, summary_row(turn))
