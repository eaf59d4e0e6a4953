"""Simulates a cascade of two stored runs, to compare thresholds without asking a model.

The second run answers with its stored plans, recomputed if they build on earlier answers. Whether its model would have
planned the same after the first solver's answers is unknown without asking it.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from quaestor.application.conversation_filter import read_conversations_of_run
from quaestor.application.run_service import OVER_DATASETS, find_run
from quaestor.application.score_service import Gold, ScoredRun, score_run
from quaestor.conversation.answer import Answer
from quaestor.conversation.events import StageAnswered
from quaestor.conversation.turn import Turn
from quaestor.core import serial
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.errors import InputError, QuaestorError, SolverError
from quaestor.evaluation.knowledge import GraphProvider, resolve_ontology
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.evaluation.runner import answer_conversation
from quaestor.evaluation.spec import RunSpec
from quaestor.llm.usage import Usage
from quaestor.scoring.gold import read_gold
from quaestor.scoring.scorers import prediction_of
from quaestor.scoring.statistics import Proportion, group_places, proportion
from quaestor.scoring.verdicts import judge_predictions
from quaestor.solvers.answering import answer_from_plan, verify_answer
from quaestor.solvers.base import Solver, TurnContext
from quaestor.solvers.cascade.solver import CascadeSolver, Stage
from quaestor.solvers.registry import make_solver, solver_names, solver_spec
from quaestor.store.base import RunStore
from quaestor.store.records import RunRecord, TurnRecord


@dataclass(frozen=True, slots=True)
class CascadeTurn:
    """Turn of a simulated cascade; `passed` if it was passed on to the stored run."""

    record: TurnRecord
    passed: bool


class CachingSolver:
    """Caches the answers of a deterministic solver by question and conversation history."""

    def __init__(self, solver: Solver) -> None:
        self.name, self._solver = solver.name, solver
        self._answers: dict[Hashable, Answer] = {}

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the solver's answer."""
        before = tuple((turn.question, turn.answer.plan, turn.answer.value) for turn in context.memory.turns)
        key = (context.document.id, question, before)
        if key not in self._answers:
            self._answers[key] = await self._solver.solve(question, context)
        return self._answers[key]


class RecordedAnswers:
    """Answers the turns of one conversation as a stored run did."""

    def __init__(self, name: str, conversation: Conversation, turns: Sequence[TurnRecord]) -> None:
        self.name, self._conversation = name, conversation
        self._turns = {turn.index: turn for turn in turns}

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the recorded answer; a plan that builds on earlier answers is recomputed from the current ones."""
        conversation = self._conversation
        index = len(context.memory.turns) if conversation.chained else conversation.questions.index(question)
        turn = self._turns.get(index)
        if turn is None or turn.error is not None:
            raise SolverError("not played" if turn is None else str(turn.error))
        context.usage = context.usage + Usage.of_counts(turn.usage)
        answer = serial.restore(Answer, turn.answer)
        if answer.value is None or answer.plan is None:
            return answer
        try:
            if verify_answer(answer, context.memory, context.document)[0]:
                return answer
            return answer_from_plan(
                answer.plan, context, question=question, confidence=answer.confidence, reason=answer.reason
            )
        except QuaestorError:
            return replace(answer, plan=None)  # an earlier answer that the plan uses is not a number here


async def replay_cascade(
    conversation: Conversation,
    first: Solver,
    second: RecordedAnswers,
    thresholds: Sequence[float],
    graphs: GraphProvider | None = None,
) -> tuple[tuple[CascadeTurn, ...], ...]:
    """Return the turns of a conversation as answered by the cascade, at each threshold."""
    graphs = graphs or GraphProvider.of([conversation.document])
    once, found, turns = CachingSolver(first), list[tuple[CascadeTurn, ...]](), tuple[Turn, ...]()
    for place, least in enumerate(thresholds):
        if place and all(_is_unchanged(turn, least) for turn in turns):
            found.append(found[-1])
            continue
        cascade = CascadeSolver([Stage(once, least), Stage(second)])
        turns = await answer_conversation(conversation, cascade, graphs)
        records = turn_records(TurnPlace("replay", conversation.id), turns, chained=conversation.chained)
        found.append(tuple(map(CascadeTurn, records, map(_has_escalated, turns))))
    return tuple(found)


def _has_escalated(turn: Turn) -> bool:
    return any(isinstance(event, StageAnswered) and event.stage > 1 for event in turn.events)


def _is_unchanged(turn: Turn, least: float) -> bool:
    """Return whether a turn is the same at a higher confidence threshold of the first stage."""
    stages = (event for event in turn.events if isinstance(event, StageAnswered))
    return _has_escalated(turn) or all((event.confidence or 0.0) >= least for event in stages)


THRESHOLDS = tuple(step / 20 for step in range(21))


@dataclass(frozen=True, slots=True)
class StageTurn:
    """The outcome of a turn in one run, as a stage of a cascade."""

    right: bool
    answered: bool = True
    failed: bool = False
    confidence: float | None = None
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class CascadePoint:
    """The result of a cascade at one threshold."""

    threshold: float
    passed: int
    right: Proportion
    usage: Usage

    @property
    def share(self) -> float:
        """The turns passed to the second run, as a fraction of all."""
        return self.passed / self.right.total if self.right.total else 0.0


def cascade_curve(
    first: Sequence[StageTurn],
    second: Sequence[StageTurn],
    pages: Sequence[str],
    thresholds: Sequence[float] = THRESHOLDS,
) -> tuple[CascadePoint, ...]:
    """Return the results of cascades of two runs, by threshold.

    The answer of the first run is used if it has a value and its confidence reaches the threshold; otherwise that of
    the second run, unless the second run failed and the first has an answer. The cascade solver has the same rule.
    """
    before, groups, points = sum((turn.usage for turn in first), Usage()), group_places(pages), []
    for threshold in thresholds:
        passed = [not (turn.answered and (turn.confidence or 0.0) >= threshold) for turn in first]
        turns = list(zip(first, second, passed, strict=True))
        right = [
            (other if escalated and not (other.failed and one.answered) else one).right
            for one, other, escalated in turns
        ]
        used = sum((other.usage for _, other, escalated in turns if escalated), before)
        points.append(CascadePoint(threshold, sum(passed), proportion(right, groups), used))
    return tuple(points)


@dataclass(frozen=True, slots=True)
class SimulatedCascade:
    """Two runs as the stages of a cascade; unless `replayed`, each turn is taken from its run unchanged."""

    first: RunRecord
    second: RunRecord
    first_right: Proportion
    second_right: Proportion
    points: tuple[CascadePoint, ...]
    replayed: bool = False

    @property
    def best(self) -> CascadePoint:
        """The point with the most right turns; among equals, the one that passes the fewest turns."""
        return max(self.points, key=lambda point: (point.right.correct, -point.passed))


async def simulate_stored(
    store: RunStore, names: Sequence[str], dataset: Path | None = None, *, replay: bool = False
) -> SimulatedCascade:
    """Simulate cascades of two stored runs."""
    runs = [await find_run(store, name, kind=OVER_DATASETS) for name in names]
    if len(runs) != 2 or runs[0].id == runs[1].id:
        raise InputError("a cascade needs two different runs, in the order of their stages")
    solver = solver_again(runs[0]) if replay else None
    path = dataset or Path(runs[0].dataset)
    pages, gold = await compute(read_conversations_of_run, path, runs[0]), await compute(read_gold, path)
    one, other = [await score_run(store, run, pages, gold) for run in runs]
    found = await compute(_simulate, one, other)
    if solver is None:
        return found
    _, graphs = await resolve_ontology(RunSpec.of_run(runs[0]), pages, store)
    points = await replayed_curve(pages, gold, solver, tuple(other.turns.values()), THRESHOLDS, graphs)
    return replace(found, points=points, replayed=True)


def solver_again(run: RunRecord) -> Solver:
    """Return the solver of a run, built again."""
    spec = RunSpec.of_run(run)
    if run.kind != "run" or spec.solver not in solver_names():
        raise InputError(
            f"run {run.id} has no single solver that can answer again: simulate the cascade without replay"
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
    """Return the results of cascades in which a solver answers again with a stored run's answers in the history."""
    by_conversation: dict[str, list[TurnRecord]] = {}
    for turn in second:
        by_conversation.setdefault(turn.conversation, []).append(turn)
    cascade_turns: list[list[CascadeTurn]] = [[] for _ in thresholds]
    right: list[list[bool]] = [[] for _ in thresholds]
    pages: list[str] = []
    for conversation in dataset.conversations:
        recorded = RecordedAnswers("recorded", conversation, by_conversation.get(conversation.id, ()))
        found = await replay_cascade(conversation, first, recorded, thresholds, graphs)
        # Thresholds with the same outcome share their turns.
        different = {id(turns): turns for turns in found}
        judged = {key: await compute(_right, turns, conversation, gold) for key, turns in different.items()}
        for place, turns in enumerate(found):
            cascade_turns[place] += turns
            right[place] += judged[id(turns)]
        pages += [conversation.document.id] * len(conversation.questions)
    return tuple(
        CascadePoint(
            threshold,
            sum(turn.passed for turn in turns),
            proportion(verdicts, pages),
            sum((Usage.of_counts(turn.record.usage) for turn in turns), Usage()),
        )
        for threshold, turns, verdicts in zip(thresholds, cascade_turns, right, strict=True)
    )


def _right(turns: Sequence[CascadeTurn], conversation: Conversation, gold: Gold) -> list[bool]:
    predictions = [prediction_of(turn.record) for turn in turns]
    return [turn.correct for turn in judge_predictions(predictions, gold, [conversation], causes=False)]


def _simulate(one: ScoredRun, other: ScoredRun) -> SimulatedCascade:
    if all(turn.confidence is None for turn in one.report.turns):
        raise InputError(f"run {one.run.id} has answers without a confidence: name a run that has them first")
    first, second, pages = _stage(one), _stage(other), [turn.page for turn in one.report.turns]
    alone = [proportion([turn.right for turn in stage], pages) for stage in (first, second)]
    return SimulatedCascade(one.run, other.run, alone[0], alone[1], cascade_curve(first, second, pages))


def _stage(scored: ScoredRun) -> list[StageTurn]:
    pairs = [(turn, scored.turns.get((turn.conversation, turn.turn))) for turn in scored.report.turns]
    return [
        StageTurn(
            turn.correct,
            turn.predicted is not None,
            record is None or turn.error is not None,
            turn.confidence,
            Usage.of_counts(record.usage) if record is not None else Usage(),
        )
        for turn, record in pairs
    ]
