"""The embedded solver on companies that its weights never saw: each fold is trained once and answered in several ways.

`benchmarks.ablation` describes the parts that are left out.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks.ablation import keeping_rows, paths_kept, rankers_without
from quaestor.core.answer_value import value_from_text
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.evaluation.runner import answer_conversation
from quaestor.learning.calibration import is_right
from quaestor.learning.crossvalidate import answer_held_out
from quaestor.learning.examples import Example, company_folds, read_examples, read_lines
from quaestor.learning.pages import read_pages, teacher_forced_rollout
from quaestor.learning.train import fit_weights
from quaestor.questions.question import read_question
from quaestor.scoring.metrics import executed_equal
from quaestor.solvers.embedded.beam import BeamState, rank_hypotheses
from quaestor.solvers.embedded.loading import EmbeddedWeights
from quaestor.solvers.embedded.page import build_page_features
from quaestor.solvers.embedded.solver import EmbeddedSolver

FOLDS = 5
FULL, GOLD_HISTORY, GREEDY = "all of it", "gold history", "one reading at a time"


@dataclass(frozen=True, slots=True)
class HeldOutTurn:
    """A held-out turn with its verdict.

    Attributes:
        company: The ticker; intervals are resampled by company.
        turn: Index of the turn, from 0.
        intent: The metric type that the question asks for, by the patterns of the core.
        right: Whether it is right by official execution accuracy.
        confidence: The solver's confidence, or None.
        reachable: Whether the reference number is among the candidates; None if not checked.
    """

    conversation: str
    company: str
    turn: int
    intent: str
    right: bool
    confidence: float | None = None
    number: str | None = None
    program: str | None = None
    reachable: bool | None = None


@dataclass(frozen=True, slots=True)
class Data:
    """Data for training and evaluation.

    Attributes:
        tune: Conversations to answer; also used to train the other folds.
        extra: Conversations with pages, only for training.
        single: Single questions without pages; only their operations are learned.
        dialogues: Conversations without pages; only their operations are learned.
    """

    tune: tuple[Example, ...]
    extra: tuple[Example, ...]
    single: tuple[Example, ...]
    dialogues: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """Training and evaluation of one fold.

    Attributes:
        dialogues: Conversations of which only the operation of each turn is learned.
        held_out: Conversations of companies that are not in the training data.
        parts: Whether to leave out each part of the ranker in turn.
    """

    training: tuple[Example, ...]
    dialogues: tuple[Example, ...]
    held_out: tuple[Example, ...]
    seed: int
    parts: bool


def read_data(folder: Path) -> Data:
    """Read the labelled conversations of the shared folder."""
    return Data(
        read_examples([folder / "convfinqa_tune.json"]),
        read_examples([folder / "convfinqa_train50.json", folder / "convfinqa_train100.json"]),
        read_lines([folder / "finqa_single_turn.jsonl"]),
        read_lines([folder / "convfinqa_train_dialogues.jsonl"]),
    )


def folds_of(data: Data, seed: int, *, share: float = 1.0, parts: bool = False) -> list[Fold]:
    """Return the folds.

    Args:
        data: The data for training and evaluation.
        seed: Random seed of the split, the training and the left-out companies.
        share: Share of the training conversations to use; whole companies are left out.
        parts: Whether to leave out each part of the ranker in turn.
    """
    fold_of, folds = company_folds(data.tune, FOLDS, seed), []
    kept = _some_companies((*data.tune, *data.extra, *data.single, *data.dialogues), share, seed)
    for fold in range(FOLDS):
        held_out = tuple(example for example in data.tune if fold_of[example.company] == fold)
        left = kept - {example.company for example in held_out}
        training = tuple(e for e in (*data.tune, *data.extra) if e.company in left)
        lines = tuple(e for e in (*data.dialogues, *data.single) if e.company in left)
        folds.append(Fold(training, lines, held_out, seed, parts))
    return folds


def _some_companies(examples: Sequence[Example], share: float, seed: int) -> frozenset[str]:
    counts: dict[str, int] = {}
    for example in examples:
        counts[example.company] = counts.get(example.company, 0) + 1
    order = sorted(counts)
    np.random.default_rng(seed).shuffle(order)
    taken, kept = 0, set[str]()
    for company in order:
        if taken < share * len(examples):
            kept.add(company)
            taken += counts[company]
    return frozenset(kept)


def answer_fold(fold: Fold) -> dict[str, list[HeldOutTurn]]:
    """Train one fold, and return its held-out turns by variant."""
    with keeping_rows() as rows:
        weights = fit_weights(fold.training, fold.dialogues, fold.seed)
    found = {FULL: list(_in_full(fold.held_out, weights))}
    found[GOLD_HISTORY] = list(_after_gold(fold.held_out, weights))
    if fold.parts:
        with paths_kept(1):
            found[GREEDY] = list(_run_examples(fold.held_out, weights))
        for name, ranker in rankers_without(rows):
            found[f"without {name}"] = list(_run_examples(fold.held_out, replace(weights, ranker=ranker)))
    return found


def _in_full(examples: Iterable[Example], weights: EmbeddedWeights) -> Iterator[HeldOutTurn]:
    solver = EmbeddedSolver(weights)
    for example in examples:
        turns = answer_held_out(example, solver)
        for turn, intent, gold in zip(turns, _intents(example), example.gold, strict=True):
            prediction = turn.prediction
            yield HeldOutTurn(
                example.id,
                example.company,
                prediction.turn,
                intent,
                executed_equal(prediction.value, gold.executed),
                prediction.confidence,
                prediction.number,
                prediction.program,
                turn.reachable,
            )


def _run_examples(examples: Iterable[Example], weights: EmbeddedWeights) -> Iterator[HeldOutTurn]:
    solver = EmbeddedSolver(weights)
    for example in examples:
        assert example.document is not None
        conversation = Conversation(example.id, example.document, example.questions)
        turns = asyncio.run(answer_conversation(conversation, solver, _knowledge(example.document)))
        records = turn_records(TurnPlace("held out", example.id), turns)
        for record, intent, gold in zip(records, _intents(example), example.gold, strict=True):
            value = None if record.number is None else value_from_text(record.number)
            right = executed_equal(value, gold.executed)
            yield HeldOutTurn(example.id, example.company, record.index, intent, right)


def _after_gold(examples: Sequence[Example], weights: EmbeddedWeights) -> Iterator[HeldOutTurn]:
    """Answer each turn as if all earlier ones had been answered like the reference."""
    pages = {digest: build_page_features(table, weights.idf) for digest, table in read_pages(examples).items()}
    for example in examples:
        assert example.document is not None
        turns = teacher_forced_rollout(
            example, pages[example.document.digest], weights.signature, weights.references, weights.leaves
        )
        for number, (turn, intent) in enumerate(zip(turns, _intents(example), strict=True)):
            choices = rank_hypotheses([BeamState(turn.state)], turn.label.question, turn.page, weights)
            right = bool(choices.ranked) and is_right(choices.ranked[0].outcome, turn.label)
            yield HeldOutTurn(example.id, example.company, number, intent, right)


@lru_cache(maxsize=64)
def _knowledge(document: Document) -> GraphProvider:
    """Return the graph provider of a page, which is the same for every variant."""
    return GraphProvider.of([document])


def _intents(example: Example) -> list[str]:
    found: list[str] = []
    for question in example.questions:
        found.append(read_question(question).metric_types(found[-1] if found else None)[0].metric_type)
    return found
