"""Figures of the turns of a run, whichever solver answered: how long, by how many calls, and how plans went."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quaestor.conversation.events.kinds import (
    Event,
    ExpertEvent,
    NoAnswerGiven,
    PlanRefused,
    ReplyRejected,
    StageEvent,
    load_events,
)
from quaestor.llm.usage import Usage
from quaestor.store.records import TurnRecord


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """Counts of turns, and means a turn.

    Attributes:
        turns: How many were played.
        mean_seconds: From the question to the answer.
        p95_seconds: The 95th percentile of that.
        mean_requests: Requests to a model, repeated attempts included.
        p95_requests: The 95th percentile of that.
        mean_tokens: Tokens read and written.
        p95_tokens: The 95th percentile of that.
        mean_cached: How many of them came from the provider's cache.
        mean_tool_calls: Calls of tools.
        p95_tool_calls: The 95th percentile of that.
        repairs: Replies and plans of a model that were refused, in all turns; each was asked for again or given up.
        first_try: Turns that were answered without a repair.
        repaired: Turns that were answered after one.
        failed: Turns that failed to be answered.
        silent: Turns in which a model said that there is no answer.
        verified: Turns whose plan, executed again, gave the answer.
    """

    turns: int
    mean_seconds: float
    p95_seconds: float
    mean_requests: float
    p95_requests: float
    mean_tokens: float
    p95_tokens: float
    mean_cached: float
    mean_tool_calls: float
    p95_tool_calls: float
    repairs: int
    first_try: int
    repaired: int
    failed: int
    silent: int
    verified: int


def turn_figures(turns: Sequence[TurnRecord]) -> TurnFigures | None:
    """Returns the figures of those turns that came to their end; None where there is none."""
    turns = [turn for turn in turns if turn.status == "complete"]
    if not turns:
        return None
    seconds = [(turn.finished - turn.started).total_seconds() for turn in turns if turn.finished]
    used = [Usage.of_counts(turn.usage) for turn in turns]
    requests, tokens = [usage.requests for usage in used], [usage.tokens for usage in used]
    calls = [len(turn.tool_calls) for turn in turns]
    silent = [turn.number is None and any(map(_is_silence, _flat(load_events(turn.events)))) for turn in turns]
    repairs = [sum(map(_is_refusal, _flat(load_events(turn.events)))) for turn in turns]
    answered = [turn.number is not None for turn in turns]
    return TurnFigures(
        turns=len(turns),
        mean_seconds=statistics.fmean(seconds),
        p95_seconds=_p95(seconds),
        mean_requests=statistics.fmean(requests),
        p95_requests=_p95(requests),
        mean_tokens=statistics.fmean(tokens),
        p95_tokens=_p95(tokens),
        mean_cached=statistics.fmean(usage.cached_tokens for usage in used),
        mean_tool_calls=statistics.fmean(calls),
        p95_tool_calls=_p95(calls),
        repairs=sum(repairs),
        first_try=sum(well and not refused for well, refused in zip(answered, repairs, strict=True)),
        repaired=sum(well and refused > 0 for well, refused in zip(answered, repairs, strict=True)),
        failed=answered.count(False) - sum(silent),
        silent=sum(silent),
        verified=sum(turn.verified and well for turn, well in zip(turns, answered, strict=True)),
    )


def _p95(values: Sequence[float]) -> float:
    """Returns the 95th percentile, between two values where it falls there."""
    return statistics.quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]


def _flat(events: Sequence[Event]) -> Iterator[Event]:
    """Yields the events, those of an expert or a stage in place of what holds them."""
    for event in events:
        if isinstance(event, ExpertEvent | StageEvent):
            yield from _flat((event.event,))
        else:
            yield event


def _is_silence(event: Event) -> bool:
    return isinstance(event, NoAnswerGiven)


def _is_refusal(event: Event) -> bool:
    return isinstance(event, PlanRefused | ReplyRejected)
