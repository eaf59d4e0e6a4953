"""The figures of a run: progress, usage and outcomes of turns; most are computed without reading the turns."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles
from typing import TypeVar

from quaestor.application.run_service import find_run
from quaestor.conversation.events import StageAnswered, load_events
from quaestor.llm.usage import Usage
from quaestor.solvers.registry import solver_specs
from quaestor.solvers.workflow.checking import statistics
from quaestor.store.base import RunStore
from quaestor.store.listing import ConversationCounts
from quaestor.store.records import ConversationRecord, CorrectionRecord, RunRecord, TurnRecord
from quaestor.store.turn_summary import RunMeasures

N = TypeVar("N", int, float)


def duration_words(seconds: float) -> str:
    """Format a duration in milliseconds, or in seconds from one second on."""
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def percentile_95(values: Sequence[float]) -> float:
    """Return the 95th percentile, interpolated between values; 0 if there are no values."""
    if len(values) < 2:
        return values[0] if values else 0.0
    return quantiles(values, n=20, method="inclusive")[-1]


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """Counts of turns, and means and 95th percentiles over turns."""

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
    """Return the figures of a run's finished turns, or None if there are none."""
    if not found.turns:
        return None
    outcomes, repairs, verified = Counter[str](), 0, 0
    for (refusals, no_answer, answered, is_verified), count in found.fates.items():
        if answered:
            outcomes["repaired" if refusals else "first_try"] += count
            verified += count * is_verified
        else:
            outcomes["silent" if no_answer else "failed"] += count
        repairs += refusals * count
    seconds = {milliseconds / 1000: count for milliseconds, count in found.milliseconds.items()}
    return TurnFigures(
        turns=found.turns,
        mean_seconds=_mean(seconds),
        p95_seconds=_p95(seconds),
        mean_requests=_mean(found.requests),
        p95_requests=_p95(found.requests),
        mean_tokens=_mean(found.tokens),
        p95_tokens=_p95(found.tokens),
        mean_cached=_mean(found.cached_tokens),
        mean_tool_calls=_mean(found.called),
        p95_tool_calls=_p95(found.called),
        repairs=repairs,
        verified=verified,
        **{name: outcomes[name] for name in ("first_try", "repaired", "failed", "silent")},
    )


def _mean(counts: Mapping[N, int]) -> float:
    return sum(value * count for value, count in counts.items()) / (sum(counts.values()) or 1)


def _p95(counts: Mapping[N, int]) -> float:
    return percentile_95(list(Counter(counts).elements()))


@dataclass(frozen=True, slots=True)
class StageFigures:
    """One stage, counted from 1, over all turns of a run."""

    stage: int
    solver: str
    asked: int
    answered: int
    failed: int
    seconds: float
    usage: dict[str, int]


def stage_figures(turns: Sequence[TurnRecord]) -> tuple[StageFigures, ...]:
    """Return the figures of the stages in order; empty for a run without stages."""
    found: dict[tuple[int, str], list[StageAnswered]] = {}
    for turn in turns:
        for event in load_events(turn.events):
            if isinstance(event, StageAnswered):
                found.setdefault((event.stage, event.solver), []).append(event)
    return tuple(
        StageFigures(
            *stage,
            asked=len(events),
            answered=sum(one.accepted for one in events),
            failed=sum(one.error is not None for one in events),
            seconds=round(sum(one.seconds for one in events), 6),
            usage=used.counts() if (used := _usage(one.usage for one in events)) != Usage() else {},
        )
        for stage, events in sorted(found.items())
    )


def _usage(counts: Iterable[Mapping[str, int]]) -> Usage:
    return sum(map(Usage.of_counts, counts), Usage())


def plan_figures(turns: Sequence[TurnRecord]) -> dict[str, float]:
    """Return the figures of plans in a run's turns: counts, and means per turn."""
    found = statistics((load_events(turn.events), turn.number is not None) for turn in turns)
    used = _usage(turn.usage for turn in turns)
    return {
        "turns": found.turns,
        "first_try": found.first,
        "repaired": found.repaired,
        "failed": found.failed,
        "silent": found.silent,
        "mean_steps": round(found.steps, 2),
        "empty_fields": found.empty,
        "requests_a_turn": round(used.requests / len(turns), 2) if turns else 0.0,
        "tokens_a_turn": round(used.tokens / len(turns)) if turns else 0,
        "cached_a_turn": round(used.cached_tokens / len(turns)) if turns else 0,
    }


@dataclass(frozen=True, slots=True)
class RunFigures:
    """The figures of one run."""

    run: RunRecord
    counts: ConversationCounts
    examples: tuple[ConversationRecord, ...]
    figures: TurnFigures | None
    plans: dict[str, float] | None
    stages: tuple[StageFigures, ...]
    corrections: tuple[CorrectionRecord, ...]


async def read_run_figures(store: RunStore, name: str, *, every_example: bool = False) -> RunFigures:
    """Read the figures of one run; `every_example` also lists complete conversations."""
    run = await find_run(store, name)
    measures = await store.measure_turns(run.id)
    plans = run.spec.get("solver") in {spec.name for spec in solver_specs() if spec.writes_plans}
    turns = await store.turns(run.id) if plans or measures.stages else ()
    return RunFigures(
        run,
        await store.count_examples(run.id),
        await store.examples(run.id, incomplete=not every_example),
        turn_figures(measures),
        plan_figures(turns) if plans else None,
        stage_figures(turns),
        await store.corrections(run.id),
    )
