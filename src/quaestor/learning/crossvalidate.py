"""How good the embedded solver is on companies that its weights have never seen.

Folds are split by company. Everything that is learned, vocabularies too, is learned inside the fold.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np
from numpy.typing import NDArray

from quaestor.conversation.memory import Memory
from quaestor.documents.convfinqa import Conversation
from quaestor.evaluation.runner import play_conversation
from quaestor.learning.examples import Example, company_folds
from quaestor.learning.train import train
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.metrics import executed_equal
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.solver import EmbeddedSolver


@dataclass(frozen=True, slots=True)
class HeldOutTurn:
    """A turn answered by weights that saw nothing of its company.

    Attributes:
        conversation: The conversation's id.
        turn: Its index, from 0.
        question: As asked.
        gold: The program of reference.
        answer: The solver's number as text, or "" for none.
        formula: The solver's arithmetic.
        correct: By official execution accuracy.
        reachable: Gold's number was among the candidates, with the solver's own history.
    """

    conversation: str
    turn: int
    question: str
    gold: str
    answer: str
    formula: str
    correct: bool
    reachable: bool


def cross_validate(
    examples: Sequence[Example],
    extra: Sequence[Example],
    dialogues: Sequence[Example],
    folds: int = 5,
    seed: int = 0,
    workers: int = 2,
) -> list[HeldOutTurn]:
    """Returns every turn of `examples`, each answered by weights trained on the other folds' companies.

    Args:
        examples: Held out in turn.
        extra: Labelled conversations that only ever train, never of a company that is held out at the time.
        dialogues: The same, without pages.
    """
    fold_of = company_folds(examples, folds, seed)
    jobs = []
    for fold in range(folds):
        held_out = [e for e in examples if fold_of[e.company] == fold]
        companies = {e.company for e in held_out}
        jobs.append(
            (
                [e for e in (*examples, *extra) if e.company not in companies],
                [e for e in dialogues if e.company not in companies],
                held_out,
                seed,
            )
        )
    if workers == 1:
        results = [_one_fold(job) for job in jobs]
    else:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            results = list(pool.map(_one_fold, jobs))
    return [turn for result in results for turn in result]


def _one_fold(job: tuple[list[Example], list[Example], list[Example], int]) -> list[HeldOutTurn]:
    training, dialogues, held_out, seed = job
    solver = EmbeddedSolver(train(training, dialogues, seed))
    return [turn for example in held_out for turn in play_held_out(example, solver)]


def play_held_out(example: Example, solver: EmbeddedSolver) -> list[HeldOutTurn]:
    """Returns the turns of one conversation, answered with the solver's own history."""
    assert example.document is not None
    conversation = Conversation(example.id, example.document, example.questions)
    turns = asyncio.run(play_conversation(conversation, solver))
    reached = [
        solver.rank(turn.question, TurnContext(example.document, Memory(turns[:n]))).candidates.value
        for n, turn in enumerate(turns)
    ]
    return [
        HeldOutTurn(
            conversation=example.id,
            turn=n,
            question=turn.question,
            gold=gold.program,
            answer="" if turn.answer.value is None else str(turn.answer.value),
            formula=turn.answer.formula,
            correct=executed_equal(turn.answer.value, gold.executed),
            reachable=_among(values, gold),
        )
        for n, (turn, gold, values) in enumerate(zip(turns, example.gold, reached, strict=True))
    ]


def _among(values: NDArray[np.float64], gold: GoldTurn) -> bool:
    target = float(gold.executed == "yes") if isinstance(gold.executed, str) else float(gold.executed)
    return bool(np.isclose(values, target, rtol=1e-9, atol=0.6e-5).any())
