"""A stored run by other rules than its score: by every published convention, and by an audit of its references."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quaestor.application.choosing import read_as_played
from quaestor.application.run_references import read_labelled
from quaestor.application.run_service import OVER_DATASETS, find_run, require_played
from quaestor.application.score_service import score_run
from quaestor.core.computing import compute
from quaestor.errors import InputError
from quaestor.scoring.audits import (
    Audit,
    AuditCandidate,
    AuditedScore,
    AuditedTurn,
    audit_candidates,
    audited_score,
    judge_turns,
)
from quaestor.scoring.conventions import ConventionFigure, convention_figures
from quaestor.scoring.gold import read_gold
from quaestor.scoring.predictions import prediction_of
from quaestor.scoring.verdicts import judge_predictions
from quaestor.store.base import RunStore, open_store
from quaestor.store.records import RunRecord


@dataclass(frozen=True, slots=True)
class RunAudit:
    """A run judged twice: raw and audited accuracy, if there is an audit, and turns that are worth reading again."""

    run: str
    score: AuditedScore | None
    candidates: tuple[AuditCandidate, ...]


async def audit_run(store: str, run: str, dataset: Path, audit: Audit | None, compared: Sequence[str] = ()) -> RunAudit:
    """Return a run judged by an audit too, and which references to read again; nothing is stored.

    Args:
        compared: Other runs of the same file: candidates that they answer alike come first.

    Raises:
        StoreError: There is no such run.
        InputError: A run was of another file, or the audit cannot be applied to its references.
        RunStoppedError: Conversations are still to be played.
        DatasetError: The file cannot be read, or has no answers.
    """
    gold = read_gold(dataset)
    async with open_store(store, create=False) as opened:
        records = [await find_run(opened, name, kind=OVER_DATASETS) for name in (run, *compared)]
        pages = read_as_played(dataset, records[0])
        first, *others = [
            (await score_run(opened, record, pages, gold, wanted="verdicts")).report.turns for record in records
        ]
    score = audited_score(judge_turns(records[0].id, first, pages.conversations, audit), audit) if audit else None
    answers = [{(turn.conversation, turn.turn): turn.predicted for turn in turns} for turns in others]
    return RunAudit(records[0].id, score, audit_candidates(first, audit, answers))


@dataclass(frozen=True, slots=True)
class RunConventions:
    """A run by each convention, the benchmark's own first; `audited` is that one with audited references."""

    run: RunRecord
    figures: tuple[ConventionFigure, ...]
    audited: ConventionFigure | None = None


async def run_conventions(
    store: RunStore, name: str, dataset: Path | None = None, audit: Audit | None = None
) -> RunConventions:
    """Return how right a run is by each convention; `dataset` is the labelled file, if it has moved.

    Raises:
        UnknownRunError: There is no such run.
        InputError: The labelled file is not there, or the run was not of it; or the audit cannot be applied to it.
        RunStoppedError: Conversations are still to be played.
    """
    run = await find_run(store, name, kind=OVER_DATASETS)
    await require_played(store, run)
    labelled = await compute(read_labelled, run, dataset)
    if labelled is None:
        raise InputError(f"{run.dataset}, with the references of run {run.id}, was not found: name the labelled file")
    found = {(turn.conversation, turn.index): prediction_of(turn) for turn in await store.turns(run.id)}
    asked = tuple(labelled.conversations.values())
    figures = await compute(convention_figures, found, labelled.gold, asked)
    if audit is None:
        return RunConventions(run, figures)
    scores = await compute(judge_predictions, found.values(), labelled.gold, asked, causes=False)
    audited = await compute(judge_turns, run.id, scores, asked, audit)
    return RunConventions(run, figures, audited_figure(audited, audit))


def audited_figure(turns: Sequence[AuditedTurn], audit: Audit) -> ConventionFigure:
    """Return how right a run is by the benchmark's own rule with the references of an audit."""
    return ConventionFigure(
        "audited",
        f"matches the official rule, with disputed references as settled by {audit.name}",
        audited_score(turns, audit).audited,
        gained=sum(turn.right and not turn.score.correct for turn in turns),
        lost=sum(turn.score.correct and not turn.right for turn in turns),
    )
