"""A cascade of two stored runs, simulated: what a threshold would give before money is spent on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from quaestor.application.choosing import read_as_played
from quaestor.application.run_service import OVER_DATASETS, find_run
from quaestor.application.score_service import Gold, ScoredRun, score_run
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.errors import InputError
from quaestor.evaluation.knowledge import GraphProvider, resolve_ontology
from quaestor.evaluation.replaying import CascadeTurn, RecordedAnswers, replay_cascade
from quaestor.evaluation.spec import RunSpec
from quaestor.llm.usage import Usage
from quaestor.scoring.bootstrap import Proportion, proportion
from quaestor.scoring.gold import read_gold
from quaestor.scoring.predictions import prediction_of
from quaestor.scoring.verdicts import judge_predictions
from quaestor.solvers.base import Solver
from quaestor.solvers.registry import make_solver, solver_names, solver_spec
from quaestor.store.base import RunStore
from quaestor.store.records import RunRecord, TurnRecord

THRESHOLDS = tuple(step / 20 for step in range(21))
"""If nobody names others: 0 to 1 by twentieths."""


@dataclass(frozen=True, slots=True)
class StageTurn:
    """One turn of one run, as a stage of a cascade.

    Attributes:
        failed: Whether there is none because the solver failed.
    """

    right: bool
    answered: bool = True
    failed: bool = False
    confidence: float | None = None
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class CascadePoint:
    """A cascade at one threshold.

    Attributes:
        threshold: The confidence that an answer of the first run needs.
        passed: Turns that are given to the second run.
        usage: Of models: the first run's in all turns, the second's in those that are given to it.
    """

    threshold: float
    passed: int
    right: Proportion
    usage: Usage

    @property
    def share(self) -> float:
        """The turns that are given to the second run, as a share of all."""
        return self.passed / self.right.total if self.right.total else 0.0


def cascade_curve(
    first: Sequence[StageTurn],
    second: Sequence[StageTurn],
    pages: Sequence[str],
    thresholds: Sequence[float] = THRESHOLDS,
) -> tuple[CascadePoint, ...]:
    """Return what cascades of two runs come to, by threshold.

    An answer of the first run stands where it has a value and its confidence is the threshold or more; else the second
    run's does. Where that one failed, the first one's stands after all. So the cascade solver does it.

    Args:
        second: The same turns in the run that answers the others.
        thresholds: From 0 to 1.
    """
    before = sum((turn.usage for turn in first), Usage())
    return tuple(_point(first, second, pages, threshold, before) for threshold in thresholds)


def played_point(
    threshold: float, turns: Sequence[StageTurn], passed: Sequence[bool], pages: Sequence[str]
) -> CascadePoint:
    """Return a cascade that was played, at its threshold.

    Args:
        threshold: The confidence that the first stage needed.
        passed: Whether each was given to the second stage.
    """
    used = sum((turn.usage for turn in turns), Usage())
    return CascadePoint(threshold, sum(passed), proportion([turn.right for turn in turns], pages), used)


def _point(
    first: Sequence[StageTurn], second: Sequence[StageTurn], pages: Sequence[str], threshold: float, before: Usage
) -> CascadePoint:
    passed = [not (one.answered and (one.confidence or 0.0) >= threshold) for one in first]
    answered = [
        other if escalated and not (other.failed and one.answered) else one
        for one, other, escalated in zip(first, second, passed, strict=True)
    ]
    used = (other.usage for other, escalated in zip(second, passed, strict=True) if escalated)
    right = proportion([turn.right for turn in answered], pages)
    return CascadePoint(threshold, sum(passed), right, sum(used, before))


@dataclass(frozen=True, slots=True)
class SimulatedCascade:
    """Two runs as the stages of a cascade.

    Attributes:
        first_right: How right the first is alone.
        replayed: Whether the first run's solver answered again after the second run's answers; else each turn is taken
            as its own run answered it.
    """

    first: RunRecord
    second: RunRecord
    first_right: Proportion
    second_right: Proportion
    points: tuple[CascadePoint, ...]
    replayed: bool = False

    @property
    def best(self) -> CascadePoint:
        """The point with most right; of several the one that gives fewest turns to the second run."""
        return max(self.points, key=lambda point: (point.right.correct, -point.passed))


async def simulate_stored(
    store: RunStore,
    names: Sequence[str],
    dataset: Path | None = None,
    thresholds: Sequence[float] = THRESHOLDS,
    *,
    replay: bool = False,
) -> SimulatedCascade:
    """Return what cascades of two stored runs would come to.

    Args:
        names: Of the two: ids, beginnings of ids, or `latest`; the one whose confidence decides is first.
        dataset: The labelled file, if it has moved.
        thresholds: From 0 to 1, ascending.
        replay: Whether the first run's solver answers again after the answers of the second run, as it would in a
            cascade. It takes a solver that asks no model, and the time of a few of its runs.

    Raises:
        UnknownRunError: A run is not there.
        InputError: They are not two, or of different questions, or no answer of the first has a confidence; or its
            solver cannot answer again.
        DatasetError: The labelled file is not there, or has no references.
        RunStoppedError: Conversations of a run are still to be played.
    """
    runs = [await find_run(store, name, kind=OVER_DATASETS) for name in names]
    if len(runs) != 2 or runs[0].id == runs[1].id:
        raise InputError("a cascade needs two different runs, in the order of their stages")
    solver = solver_again(runs[0]) if replay else None
    path = dataset or Path(runs[0].dataset)
    pages, gold = await compute(read_as_played, path, runs[0]), await compute(read_gold, path)
    one, other = [await score_run(store, run, pages, gold) for run in runs]
    found = await compute(_simulate, one, other, thresholds)
    if solver is None:
        return found
    _, graphs = await resolve_ontology(RunSpec.of_run(runs[0]), pages, store)
    points = await replayed_curve(pages, gold, solver, tuple(other.turns.values()), thresholds, graphs)
    return replace(found, points=points, replayed=True)


def solver_again(run: RunRecord) -> Solver:
    """Return the solver that a run was played with.

    Raises:
        InputError: It was not played here by one solver, or that asks a model.
        QuaestorError: What the solver was built with is not there any more.
    """
    spec = RunSpec.of_run(run)
    if run.kind != "run" or spec.solver not in solver_names():
        raise InputError(
            f"run {run.id} was not played by a single solver that can answer again: simulate the cascade without replay"
        )
    known = solver_spec(spec.solver)
    if spec.model is not None or known.must_have_model(known.read(spec.solver_options)):
        raise InputError(
            f"the solver of run {run.id} uses a model, which would have to be asked again: simulate the cascade "
            "without replay"
        )
    return make_solver(spec.solver, spec.solver_options)


async def replayed_curve(
    dataset: Dataset,
    gold: Gold,
    first: Solver,
    second: Sequence[TurnRecord],
    thresholds: Sequence[float],
    graphs: GraphProvider | None = None,
) -> tuple[CascadePoint, ...]:
    """Return what cascades come to in which a solver answers again after a stored run's answers.

    Args:
        thresholds: From 0 to 1, ascending.
        graphs: The ontology that graphs are built with; by default each document's own.
    """
    by_conversation: dict[str, list[TurnRecord]] = {}
    for turn in second:
        by_conversation.setdefault(turn.conversation, []).append(turn)
    turns: list[list[StageTurn]] = [[] for _ in thresholds]
    passed: list[list[bool]] = [[] for _ in thresholds]
    pages: list[str] = []
    for asked in dataset.conversations:
        recorded = RecordedAnswers("recorded", asked, by_conversation.get(asked.id, ()))
        played = await replay_cascade(asked, first, recorded, thresholds, graphs)
        judged = await compute(_judge, {id(one): one for one in played}, asked, gold)
        for place, one in enumerate(played):
            turns[place] += judged[id(one)]
            passed[place] += [turn.passed for turn in one]
        pages += [asked.document.id] * len(asked.questions)
    return tuple(map(played_point, thresholds, turns, passed, [pages] * len(turns)))


def _judge(
    played: Mapping[int, Sequence[CascadeTurn]], asked: Conversation, gold: Gold
) -> Mapping[int, Sequence[StageTurn]]:
    found: dict[int, Sequence[StageTurn]] = {}
    for key, turns in played.items():
        records = [turn.record for turn in turns]
        verdicts = judge_predictions(map(prediction_of, records), gold, [asked], causes=False)
        used = [Usage.of_counts(record.usage) for record in records]
        found[key] = [StageTurn(score.correct, usage=usage) for score, usage in zip(verdicts, used, strict=True)]
    return found


def _simulate(one: ScoredRun, other: ScoredRun, thresholds: Sequence[float]) -> SimulatedCascade:
    if all(turn.confidence is None for turn in one.report.turns):
        raise InputError(f"run {one.run.id} has answers without a confidence: name a run that has them first")
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
