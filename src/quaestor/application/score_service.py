"""A stored run beside the reference answers of its dataset."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quaestor.application.run_service import require_played
from quaestor.datasets.dataset import Dataset
from quaestor.errors import InputError
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.report import Prediction, Report, score_predictions
from quaestor.store.base import RunStore
from quaestor.store.records import ConversationRecord, RunRecord, TurnRecord

Gold = Mapping[str, Sequence[GoldTurn]]


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A run, what it answered, and the verdicts.

    Attributes:
        run: The run.
        turns: Its turns, by conversation and index.
        report: The verdict on every labelled turn, and the figures.
        broken: The conversations that a defect of the solver ended; their turns are wrong.
    """

    run: RunRecord
    turns: Mapping[tuple[str, int], TurnRecord]
    report: Report
    broken: tuple[ConversationRecord, ...]


async def score_run(store: RunStore, run: RunRecord, dataset: Dataset, gold: Gold) -> ScoredRun:
    """Returns the verdicts on a run.

    Args:
        store: Holds the run.
        run: Which one; all its conversations must have been played.
        dataset: What was asked; the same questions and documents that the run had.
        gold: The reference answers of that dataset.

    Raises:
        InputError: The run was of another dataset.
        RunStoppedError: Conversations are still to be played.
        DatasetError: A conversation has no reference answers.
    """
    if run.dataset_digest != dataset.digest:
        raise InputError(f"run {run.id} was of {run.dataset} and not of these questions: score it with that file")
    await require_played(store, run)
    turns = await store.turns(run.id)
    report = score_predictions([prediction_of(turn) for turn in turns], gold, dataset.conversations)
    broken = tuple(example for example in await store.examples(run.id) if example.status == "failed")
    return ScoredRun(run, {(turn.conversation, turn.index): turn for turn in turns}, report, broken)


def prediction_of(turn: TurnRecord) -> Prediction:
    """Returns what a stored turn answered."""
    confidence = turn.answer.get("confidence")
    return Prediction(
        turn.conversation,
        turn.index,
        turn.number,
        turn.program,
        turn.error,
        float(confidence) if isinstance(confidence, int | float) else None,
    )
