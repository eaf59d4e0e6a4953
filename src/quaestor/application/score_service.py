"""A stored run beside the reference answers of its dataset, and its score kept beside the run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from quaestor.application.run_service import require_played
from quaestor.datasets.dataset import Dataset
from quaestor.errors import InputError, StoreError
from quaestor.scores.base import open_scores
from quaestor.scores.recording import kept_score
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.predictions import prediction_of
from quaestor.scoring.report import Report, score_predictions
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
        unkept: Why the store could not keep the score; None where it did, or was not asked to.
    """

    run: RunRecord
    turns: Mapping[tuple[str, int], TurnRecord]
    report: Report
    broken: tuple[ConversationRecord, ...]
    unkept: str | None = None


async def score_run(
    store: RunStore, run: RunRecord, dataset: Dataset, gold: Gold, keep_in: str | None = None
) -> ScoredRun:
    """Returns the verdicts on a run.

    Args:
        store: Holds the run.
        run: Which one; all its conversations must have been played.
        dataset: What was asked; the same questions and documents that the run had.
        gold: The reference answers of that dataset.
        keep_in: The URI of the store, for the score to be kept beside the run; None keeps it nowhere.

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
    scored = ScoredRun(run, {(turn.conversation, turn.index): turn for turn in turns}, report, broken)
    if keep_in is None:
        return scored
    try:
        await _keep(scored, dataset, keep_in)
    except StoreError as error:
        # Whoever asked is to see the score all the same.
        return replace(scored, unkept=str(error))
    return scored


async def _keep(scored: ScoredRun, dataset: Dataset, uri: str) -> None:
    opened = open_scores(uri)
    if opened is not None:
        async with opened as scores:
            await scores.add_score(kept_score(scored.run, dataset.path, scored.report, scored.turns))
