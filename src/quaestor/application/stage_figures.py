"""Figures of the stages of a cascade: how many turns each was asked, how many it answered, what it cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from quaestor.conversation.events.kinds import load_events
from quaestor.conversation.events.stages import StageAnswered
from quaestor.llm.usage import Usage
from quaestor.store.records import TurnRecord


@dataclass(frozen=True, slots=True)
class StageFigures:
    """One stage over all turns of a run.

    Attributes:
        stage: Which, from 1.
        solver: Its name.
        asked: Turns that came to it.
        answered: Turns whose answer is its own.
        failed: Turns in which it found no answer and said why.
        seconds: It took in all.
        usage: Of models, in all; of the turns that came to their end, and of those that broke off in a later one.
    """

    stage: int
    solver: str
    asked: int
    answered: int
    failed: int
    seconds: float
    usage: dict[str, int]


def stage_figures(turns: Sequence[TurnRecord]) -> tuple[StageFigures, ...]:
    """Returns the figures of the stages, in their order; none of a run without any."""
    found: dict[tuple[int, str], list[StageAnswered]] = {}
    for turn in turns:
        for event in load_events(turn.events):
            if isinstance(event, StageAnswered):
                found.setdefault((event.stage, event.solver), []).append(event)
    return tuple(_figures(stage, solver, found[stage, solver]) for stage, solver in sorted(found))


def _figures(stage: int, solver: str, said: Sequence[StageAnswered]) -> StageFigures:
    used = sum((Usage.of_counts(one.usage) for one in said), Usage())
    return StageFigures(
        stage=stage,
        solver=solver,
        asked=len(said),
        answered=sum(one.taken for one in said),
        failed=sum(one.error is not None for one in said),
        seconds=round(sum(one.seconds for one in said), 6),
        usage=used.counts() if used != Usage() else {},
    )
