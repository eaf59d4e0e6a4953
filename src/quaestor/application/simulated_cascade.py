"""A cascade of two stored runs, simulated: what a threshold would give before money is spent on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quaestor.application.choosing import read_as_played
from quaestor.application.run_service import OVER_DATASETS, find_run
from quaestor.application.score_service import ScoredRun, score_run
from quaestor.core.computing import compute
from quaestor.errors import InputError
from quaestor.llm.usage import Usage
from quaestor.scoring.bootstrap import Proportion, proportion
from quaestor.scoring.cascades import THRESHOLDS, CascadePoint, StageTurn, cascade_curve
from quaestor.scoring.gold import read_gold
from quaestor.store.base import RunStore
from quaestor.store.records import RunRecord


@dataclass(frozen=True, slots=True)
class SimulatedCascade:
    """Two runs as the stages of a cascade.

    Attributes:
        first: The run whose confidence decides.
        second: The run that answers the others.
        first_right: How right the first is alone.
        second_right: How right the second is alone.
        points: By threshold.
    """

    first: RunRecord
    second: RunRecord
    first_right: Proportion
    second_right: Proportion
    points: tuple[CascadePoint, ...]

    @property
    def best(self) -> CascadePoint:
        """The point with most right; of several the one that gives fewest turns to the second run."""
        return max(self.points, key=lambda point: (point.right.correct, -point.passed))


async def simulate_stored(
    store: RunStore, names: Sequence[str], dataset: Path | None = None, thresholds: Sequence[float] = THRESHOLDS
) -> SimulatedCascade:
    """Returns what cascades of two stored runs would come to.

    Args:
        store: Where the runs are kept.
        names: Of the two: ids, beginnings of ids, or `latest`; the one whose confidence decides is first.
        dataset: The labelled file, where it has moved.
        thresholds: From 0 to 1.

    Raises:
        UnknownRunError: A run is not there.
        InputError: They are not two, or of different questions, or no answer of the first has a confidence.
        DatasetError: The labelled file is not there, or has no references.
        RunStoppedError: Conversations of a run are still to be played.
    """
    runs = [await find_run(store, name, kind=OVER_DATASETS) for name in names]
    if len(runs) != 2 or runs[0].id == runs[1].id:
        raise InputError(
            "a cascade is simulated of two runs: name two different ones, first the one that is asked first"
        )
    path = dataset or Path(runs[0].dataset)
    pages, gold = await compute(read_as_played, path, runs[0]), await compute(read_gold, path)
    one, other = [await score_run(store, run, pages, gold) for run in runs]
    return await compute(_simulated, one, other, thresholds)


def _simulated(one: ScoredRun, other: ScoredRun, thresholds: Sequence[float]) -> SimulatedCascade:
    if all(turn.confidence is None for turn in one.report.turns):
        raise InputError(f"run {one.run.id} says of no answer how sure it is: name one that does first")
    first, second, on = _stage(one), _stage(other), [turn.page for turn in one.report.turns]
    alone = [proportion([turn.right for turn in stage], on) for stage in (first, second)]
    return SimulatedCascade(one.run, other.run, alone[0], alone[1], cascade_curve(first, second, on, thresholds))


def _stage(scored: ScoredRun) -> list[StageTurn]:
    found = []
    for turn in scored.report.turns:
        record = scored.turns.get((turn.conversation, turn.turn))
        used = Usage.of_counts(record.usage) if record is not None else Usage()
        failed = record is None or turn.error is not None
        found.append(StageTurn(turn.correct, turn.predicted is not None, failed, turn.confidence, used))
    return found
