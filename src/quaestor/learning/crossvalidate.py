"""Cross-validation of the embedded solver by company.

Folds are split by company, or by page for independent questions. Everything that is learned, including vocabularies,
is learned within the fold.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from quaestor.cluster.ray_workers import RayWorkerPool, joined_cluster
from quaestor.conversation.turn import Memory
from quaestor.core.answer_value import as_float
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.engines import gather_limited
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.evaluation.runner import answer_conversation
from quaestor.learning.deterministic import deterministic_pool, variables_of_order
from quaestor.learning.examples import Example, as_program, company_folds
from quaestor.learning.train import fit_weights
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.scorers import Prediction, prediction_of
from quaestor.solvers.base import Session, TurnContext
from quaestor.solvers.embedded.solver import EmbeddedSolver
from quaestor.store.records import TurnRecord

Fold = TypeVar("Fold")
Answers = TypeVar("Answers")


@dataclass(frozen=True, slots=True)
class _FoldAnswerer(Generic[Fold, Answers]):
    answer: Callable[[Fold], Answers]

    async def __call__(self, fold: Fold, /, *_shared: object) -> Answers:
        # In a thread without an event loop, because running conversations starts one.
        return await asyncio.to_thread(self.answer, fold)


def answer_on_ray(
    answer: Callable[[Fold], Answers],
    folds: Sequence[Fold],
    workers: int,
    address: str | None = None,
    on_fold: Callable[[int], None] | None = None,
) -> list[Answers]:
    """Return the result of a function for each fold, in their order.

    Args:
        workers: Most folds at the same time.
        address: Address of the cluster; None starts one on this machine.
        on_fold: Called with the number of finished folds.

    Raises:
        EngineError: The cluster is missing, or its workers die.
    """
    answered: dict[int, Answers] = {}

    async def answer_all() -> None:
        work = _FoldAnswerer(answer)
        async with (
            joined_cluster(workers, address),
            RayWorkerPool[Fold, Answers](work, workers, variables=variables_of_order()) as pool,
        ):

            async def one(number: int) -> None:
                answered[number] = await pool.do(folds[number])
                if on_fold:
                    on_fold(len(answered))

            await gather_limited(range(len(folds)), one, pool.lanes)

    asyncio.run(answer_all())
    return [answered[number] for number in range(len(folds))]


@dataclass(frozen=True, slots=True)
class HeldOutTurn:
    """Turn answered, after the solver's own history, by weights that were trained without its company.

    Attributes:
        record: The record of the turn; its run has no name yet.
        reachable: Whether the reference number was among the candidates; always false for words, lists and counts.
    """

    record: TurnRecord
    reachable: bool

    @property
    def prediction(self) -> Prediction:
        """The solver's answer."""
        return prediction_of(self.record)


@dataclass(frozen=True, slots=True)
class _Fold:
    training: tuple[Example, ...]
    dialogues: tuple[Example, ...]
    held_out: tuple[Example, ...]
    seed: int


def cross_validate(
    examples: Sequence[Example],
    extra: Sequence[Example] = (),
    dialogues: Sequence[Example] = (),
    *,
    folds: int = 5,
    seed: int = 0,
    workers: int = 2,
    engine: Literal["processes", "ray"] = "processes",
    address: str | None = None,
    on_fold: Callable[[int], None] | None = None,
) -> list[HeldOutTurn]:
    """Return every turn of `examples`, answered by weights that were trained on the companies of the other folds.

    Conversations and independent questions are split separately, so that each fold has equally many of both.

    Args:
        extra: Labelled conversations for training only, and only while their company is not held out.
        dialogues: Like `extra`, but only for learning the operations of turns.
        folds: Number of folds.
        seed: Seed of the split and of the training.
        workers: Number of folds that are trained at the same time.
        engine: Processes of this machine, or a Ray cluster.
        address: Address of the cluster; None starts one on this machine.
        on_fold: Called with the number of finished folds.
    """
    fold_of: dict[str, int] = {}
    for chained in (True, False):
        fold_of |= company_folds([example for example in examples if example.chained is chained], folds, seed)
    jobs = []
    for fold in range(folds):
        held_out = tuple(example for example in examples if fold_of[example.company] == fold)
        companies = {example.company for example in held_out}
        training = tuple(example for example in (*examples, *extra) if example.company not in companies)
        jobs.append(_Fold(training, tuple(d for d in dialogues if d.company not in companies), held_out, seed))
    if engine == "ray":
        on_ray = answer_on_ray(_answer_fold, jobs, min(workers, folds), address, on_fold)
        return [turn for turns in on_ray for turn in turns]
    answered: list[HeldOutTurn] = []
    with deterministic_pool(workers) as pool:
        for done, turns in enumerate(pool.map(_answer_fold, jobs), start=1):
            answered += turns
            if on_fold:
                on_fold(done)
    return answered


def _answer_fold(job: _Fold) -> list[HeldOutTurn]:
    weights = fit_weights(job.training, job.dialogues, job.seed)
    # The conversations are ConvFinQA's, whose answers are numbers; independent questions can have any kind of answer.
    solvers = {True: EmbeddedSolver(weights), False: EmbeddedSolver(weights, answers="all")}
    return [turn for example in job.held_out for turn in answer_held_out(example, solvers[example.chained])]


def answer_held_out(example: Example, solver: EmbeddedSolver) -> list[HeldOutTurn]:
    """Return the turns of one conversation, answered after the solver's own history."""
    if example.document is None:
        raise ValueError(f"{example.id} has no page")
    conversation = Conversation(example.id, example.document, example.questions, chained=example.chained)
    knowledge = GraphProvider.of([example.document])
    turns = asyncio.run(answer_conversation(conversation, solver, knowledge))
    records = turn_records(TurnPlace("cross-validation", example.id), turns, chained=example.chained)
    held_out, session = [], Session()
    for n, (record, gold) in enumerate(zip(records, example.gold, strict=True)):
        graph, memory = knowledge.graph(example.document), Memory(turns[:n] if example.chained else ())
        context = TurnContext(example.document, memory, graph, knowledge.ontology, session=session)
        values = solver.pages.read(record.question, context).values
        held_out.append(HeldOutTurn(record, _is_among(values, gold)))
    return held_out


def _is_among(values: NDArray[np.float64], gold: GoldTurn) -> bool:
    """Whether the reference number is one of the values; a stated percentage also as a fraction."""
    solved = as_program(gold)
    target = None if solved is None else as_float(solved.executed)
    if target is None:
        return False
    targets = (target,) if gold.stated is None else (target, 100 * target)
    return any(bool(np.isclose(values, number, rtol=1e-9, atol=0.6e-5).any()) for number in targets)
