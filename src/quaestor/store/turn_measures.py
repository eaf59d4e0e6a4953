"""What the figures of a run are made of: small counts of each turn, filed beside it, and those of a run put together.

Derived from the turn as it is stored, so that every store files all turns alike, those of earlier versions too. Reads
plain JSON and refuses nothing: what is not there counts as none. Whoever shows a run reads these and no turn.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from pydantic import JsonValue

from quaestor.store.records import TurnRecord

_HOLDING = ("expert_event", "stage_event")
"""The kinds of events that hold another one."""


@dataclass(frozen=True, slots=True)
class TurnMeasures:
    """The counts of one turn.

    Attributes:
        milliseconds: From the question to the answer; None if it has not ended.
        requests: To a model, repeated attempts included.
        tokens: Read and written.
        cached_tokens: How many of them came from the provider's cache.
        refusals: Replies and plans of a model that were refused.
        no_answer: Whether a model said that there is no answer.
        stages: Stages of a cascade that were asked.
    """

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
        milliseconds: How many turns took so long.
        requests: How many made so many requests to a model.
        tokens: How many used so many tokens.
        cached_tokens: How many found so many of them in the provider's cache.
        called: How many made so many calls of tools.
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


def measure_turn(turn: TurnRecord) -> TurnMeasures:
    """Return the measures of a turn."""
    return measure_parts(turn.started, turn.finished, turn.usage, turn.tool_calls, turn.events)


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


def gather(turns: Iterable[TurnRecord]) -> RunMeasures:
    """Return some turns, counted, as a store counts those of a run."""

    def row(turn: TurnRecord) -> tuple[Any, ...]:
        found = measure_turn(turn)
        outcome = (found.refusals, found.no_answer, turn.number is not None, turn.verified, turn.status == "complete")
        return (*(getattr(found, name) for name in COUNTED), *outcome, found.stages, 1)

    return sum_measures(map(row, turns))


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
