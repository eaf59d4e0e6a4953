"""What is told of one run: how far it is, what it used, how its turns went; read without its turns.

Owns which of a run's turns have to be read all the same: those of plans and of stages, which are kept in their events.
"""

from dataclasses import dataclass

from quaestor.application.figures import has_plans, plan_figures
from quaestor.application.run_service import find_run
from quaestor.application.stage_figures import StageFigures, stage_figures
from quaestor.application.turn_figures import TurnFigures, turn_figures
from quaestor.store.base import RunStore
from quaestor.store.listing import ConversationCounts
from quaestor.store.records import ConversationRecord, CorrectionRecord, RunRecord


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What is told of one run.

    Attributes:
        run: The run.
        counts: Its conversations, counted.
        examples: Those that are not complete, or all.
        figures: Of its turns; None where none came to its end.
        plans: How plans went, of a solver that writes some; else None.
        stages: Those of a cascade.
        corrections: What people corrected.
    """

    run: RunRecord
    counts: ConversationCounts
    examples: tuple[ConversationRecord, ...]
    figures: TurnFigures | None
    plans: dict[str, float] | None
    stages: tuple[StageFigures, ...]
    corrections: tuple[CorrectionRecord, ...]


async def read_run_figures(store: RunStore, name: str, *, every_example: bool = False) -> RunFigures:
    """Returns what is told of one run.

    Args:
        store: Where it is kept.
        name: Its id, the beginning of one, or `latest`.
        every_example: Whether all its conversations are wanted, and not only those that are not complete.

    Raises:
        UnknownRunError: There is no such run.
    """
    run = await find_run(store, name)
    measures, plans = await store.measure_turns(run.id), has_plans(run)
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
