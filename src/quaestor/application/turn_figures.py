"""Figures of the turns of a run, whichever solver answered: how long, by how many calls, and how plans went."""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

from quaestor.store.turn_measures import RunMeasures

N = TypeVar("N", int, float)


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


def turn_figures(found: RunMeasures) -> TurnFigures | None:
    """Returns the figures of the turns of a run that came to their end; None where there is none."""
    turns = found.turns
    if not turns:
        return None
    seconds = {milliseconds / 1000: count for milliseconds, count in found.milliseconds.items()}

    def those(wanted: Callable[[int, bool, bool, bool], bool]) -> int:
        return sum(count for fate, count in found.fates.items() if wanted(*fate))

    silent = those(lambda refusals, no_answer, answered, verified: no_answer and not answered)
    return TurnFigures(
        turns=turns,
        mean_seconds=_mean(seconds),
        p95_seconds=_p95(seconds),
        mean_requests=_mean(found.requests),
        p95_requests=_p95(found.requests),
        mean_tokens=_mean(found.tokens),
        p95_tokens=_p95(found.tokens),
        mean_cached=_mean(found.cached_tokens),
        mean_tool_calls=_mean(found.called),
        p95_tool_calls=_p95(found.called),
        repairs=sum(fate[0] * count for fate, count in found.fates.items()),
        first_try=those(lambda refusals, no_answer, answered, verified: answered and not refusals),
        repaired=those(lambda refusals, no_answer, answered, verified: answered and refusals > 0),
        failed=those(lambda refusals, no_answer, answered, verified: not answered) - silent,
        silent=silent,
        verified=those(lambda refusals, no_answer, answered, verified: answered and verified),
    )


def _mean(counts: Mapping[N, int]) -> float:
    return sum(value * count for value, count in counts.items()) / (sum(counts.values()) or 1)


def _p95(counts: Mapping[N, int]) -> float:
    """Returns the 95th percentile, between two values where it falls there."""
    if not counts:
        return 0.0
    values = sorted(counts)
    ends = list(accumulate(counts[value] for value in values))
    place, rest = divmod(19 * (ends[-1] - 1), 20)
    low, high = (values[bisect_right(ends, min(at, ends[-1] - 1))] for at in (place, place + 1))
    return (low * (20 - rest) + high * rest) / 20
