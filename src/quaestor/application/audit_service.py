"""A stored run beside an audit of references: raw and audited accuracy, and turns that are worth reading again."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quaestor.application.choosing import read_as_played
from quaestor.application.run_service import OVER_DATASETS, find_run
from quaestor.application.score_service import ScoredRun, score_run
from quaestor.datasets.dataset import Dataset
from quaestor.errors import InputError
from quaestor.scoring.audits.audit import Audit
from quaestor.scoring.audits.candidates import AuditCandidate, audit_candidates
from quaestor.scoring.audits.judging import AuditedScore, AuditedTurn, audited_score, audited_turns
from quaestor.scoring.gold import read_gold
from quaestor.scoring.scorers import PROGRAMS
from quaestor.store.base import open_store


@dataclass(frozen=True, slots=True)
class RunAudit:
    """A run, judged twice.

    Attributes:
        run: The run's id.
        score: Raw and audited accuracy.
        turns: Each turn, judged twice.
        candidates: Turns that are worth reading again, the most telling first.
    """

    run: str
    score: AuditedScore
    turns: tuple[AuditedTurn, ...]
    candidates: tuple[AuditCandidate, ...]


async def audit_run(store: str, run: str, dataset: Path, audit: Audit, beside: Sequence[str] = ()) -> RunAudit:
    """Returns a run beside an audit. Nothing is kept.

    Args:
        store: The URI of the store.
        run: The run's id, the beginning of one, or `latest`.
        dataset: The labelled file that it answered.
        audit: What is settled.
        beside: Other runs of the same file: candidates that they answer alike come first.

    Raises:
        StoreError: There is no such run.
        InputError: A run was of another file, or the audit cannot be applied to its references.
        RunStoppedError: Conversations are still to be played.
        DatasetError: The file cannot be read, or has no answers.
    """
    gold = read_gold(dataset)
    async with open_store(store, create=False) as opened:
        records = [await find_run(opened, name, kind=OVER_DATASETS) for name in (run, *beside)]
        pages = read_as_played(dataset, records[0])
        first, *others = [await score_run(opened, record, pages, gold) for record in records]
    turns = judge(first, pages, audit)
    answers = [{(turn.conversation, turn.turn): turn.predicted for turn in other.report.turns} for other in others]
    candidates = audit_candidates(first.report.turns, audit, answers)
    return RunAudit(records[0].id, audited_score(turns, audit), turns, candidates)


def judge(scored: ScoredRun, dataset: Dataset, audit: Audit) -> tuple[AuditedTurn, ...]:
    """Returns each turn of a scored run, judged by an audit too.

    Args:
        scored: The run with its verdicts.
        dataset: What was asked.
        audit: What is settled.

    Raises:
        InputError: The run's references are no programs, or the audit has none of its turns.
    """
    if scored.report.score.measures != PROGRAMS:
        raise InputError("its references are stated answers: an audit accepts programs, and cannot be applied to them")
    turns = audited_turns(scored.report, dataset.conversations, audit)
    if not any(turn.entry for turn in turns):
        raise InputError(
            f"the audit {audit.name} has none of the turns of run {scored.run.id}: name an audit of "
            "the run's own dataset"
        )
    return turns
