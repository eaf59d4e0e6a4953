"""How good the embedded solver is on companies that its weights have never seen.

Folds are split by company, those of independent questions by page. Everything that is learned, vocabularies too, is
learned inside the fold.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from quaestor.cluster.joining import joined_cluster
from quaestor.cluster.ray_workers import RayWorkerPool
from quaestor.conversation.turn import Memory
from quaestor.core.answer_value import as_float
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.engines import gather_limited
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.evaluation.runner import play_conversation
from quaestor.learning.deterministic import deterministic_pool, variables_of_order
from quaestor.learning.examples import Example, as_program, company_folds
from quaestor.learning.train import fit_weights
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.predictions import Prediction, prediction_of
from quaestor.solvers.base import Session, TurnContext
from quaestor.solvers.embedded.solver import EmbeddedSolver
from quaestor.store.records import TurnRecord

Fold = TypeVar("Fold")
Answers = TypeVar("Answers")


@dataclass(frozen=True, slots=True)
class _Answering(Generic[Fold, Answers]):
    answer: Callable[[Fold], Answers]

    async def __call__(self, fold: Fold, /, *_shared: object) -> Answers:
        # In a thread without an event loop: what plays conversations there begins one of its own.
        return await asyncio.to_thread(self.answer, fold)


def answer_on_ray(
    answer: Callable[[Fold], Answers],
    folds: Sequence[Fold],
    workers: int,
    address: str | None = None,
    on_fold: Callable[[int], None] | None = None,
) -> list[Answers]:
    """Return what a function makes of each fold, in their order.

    Args:
        workers: How many at once, at most.
        address: Of the cluster; None starts one on this machine.
        on_fold: Called with the number of folds that are done.

    Raises:
        EngineError: The cluster is missing, or its workers die.
    """
    answered: dict[int, Answers] = {}

    async def answer_all() -> None:
        work = _Answering(answer)
        async with (
            joined_cluster(workers, address) as cluster,
            RayWorkerPool[Fold, Answers](cluster, work, workers, variables=variables_of_order()) as pool,
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
    """A turn answered, with its own history, by weights that saw nothing of its company.

    Attributes:
        record: The turn as it is stored; its run has no name yet.
        reachable: Gold's number was among the candidates; of words, lists and counts it never is.
    """

    record: TurnRecord
    reachable: bool

    @property
    def prediction(self) -> Prediction:
        """What the solver answered."""
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
    """Return every turn of `examples`, each answered by weights trained on the other folds' companies.

    Conversations and independent questions are split each for themselves: a fold has as many of both as the others.

    Args:
        extra: Labelled conversations that only ever train, never while their company is held out.
        dialogues: The same, of which only what a turn does is learned.
        folds: How many parts the companies are split into.
        seed: Of the split and of the training.
        workers: How many folds are trained at once.
        engine: What trains them: processes of this machine, or a Ray cluster.
        address: Of the cluster; None starts one on this machine.
        on_fold: Called with the number of folds that are done.
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
    # Conversations are ConvFinQA's, whose answers are numbers; independent questions are answered by any kind.
    solvers = {True: EmbeddedSolver(weights), False: EmbeddedSolver(weights, answers="all")}
    return [turn for example in job.held_out for turn in answer_held_out(example, solvers[example.chained])]


def answer_held_out(example: Example, solver: EmbeddedSolver) -> list[HeldOutTurn]:
    """Return the turns of one conversation, answered with the solver's own history."""
    if example.document is None:
        raise ValueError(f"{example.id} has no page")
    conversation = Conversation(example.id, example.document, example.questions, chained=example.chained)
    knowledge = GraphProvider.of([example.document])
    turns = asyncio.run(play_conversation(conversation, solver, knowledge))
    records = turn_records(TurnPlace("cross-validation", example.id), turns, chained=example.chained)
    held_out, session = [], Session()
    for n, (record, gold) in enumerate(zip(records, example.gold, strict=True)):
        graph, memory = knowledge.graph(example.document), Memory(turns[:n] if example.chained else ())
        context = TurnContext(example.document, memory, graph, knowledge.ontology, session=session)
        values = solver.pages.read(record.question, context).values
        held_out.append(HeldOutTurn(record, _is_among(values, gold)))
    return held_out


def _is_among(values: NDArray[np.float64], gold: GoldTurn) -> bool:
    """Whether gold's number is one of the values: a stated percentage as points or as a fraction."""
    taught = as_program(gold)
    target = None if taught is None else as_float(taught.executed)
    if target is None:
        return False
    targets = (target,) if gold.stated is None else (target, 100 * target)
    return any(bool(np.isclose(values, number, rtol=1e-9, atol=0.6e-5).any()) for number in targets)
