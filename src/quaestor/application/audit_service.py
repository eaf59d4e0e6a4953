"""A stored run beside an audit of references: raw and audited accuracy, and turns that are worth reading again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from quaestor.application.choosing import read_as_played
from quaestor.application.run_service import OVER_DATASETS, find_run
from quaestor.application.score_service import ScoredRun, score_run
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.errors import InputError
from quaestor.scoring.audits.audit import Audit
from quaestor.scoring.audits.candidates import AuditCandidate, audit_candidates
from quaestor.scoring.audits.judging import AuditedScore, AuditedTurn, audited_score, audited_turns
from quaestor.scoring.gold import read_gold
from quaestor.scoring.scorers import PROGRAMS, measures_of
from quaestor.scoring.verdicts import TurnScore
from quaestor.store.base import open_store


@dataclass(frozen=True, slots=True)
class RunAudit:
    """A run, judged twice.

    Attributes:
        run: The run's id.
        score: Raw and audited accuracy; None without an audit.
        turns: Each turn, judged twice; none without an audit.
        candidates: Turns that are worth reading again, the most telling first.
    """

    run: str
    score: AuditedScore | None
    turns: tuple[AuditedTurn, ...]
    candidates: tuple[AuditCandidate, ...]


async def audit_run(store: str, run: str, dataset: Path, audit: Audit | None, beside: Sequence[str] = ()) -> RunAudit:
    """Returns a run beside an audit, and what else to read again. Nothing is kept.

    Args:
        store: The URI of the store.
        run: The run's id, the beginning of one, or `latest`.
        dataset: The labelled file that it answered.
        audit: What is settled; None where nothing is yet.
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
        first, *others = [await score_run(opened, record, pages, gold, wanted="verdicts") for record in records]
    turns = judge(first, pages, audit) if audit else ()
    answers = [{(turn.conversation, turn.turn): turn.predicted for turn in other.report.turns} for other in others]
    candidates = audit_candidates(first.report.turns, audit, answers)
    return RunAudit(records[0].id, audited_score(turns, audit) if audit else None, turns, candidates)


def judge(scored: ScoredRun, dataset: Dataset, audit: Audit) -> tuple[AuditedTurn, ...]:
    """Returns each turn of a scored run, judged by an audit too.

    Args:
        scored: The run with its verdicts.
        dataset: What was asked.
        audit: What is settled.

    Raises:
        InputError: The run's references are no programs, or the audit has none of its turns.
    """
    return judge_turns(scored.run.id, scored.report.turns, dataset.conversations, audit)


def judge_turns(
    run: str, turns: Sequence[TurnScore], conversations: Iterable[Conversation], audit: Audit
) -> tuple[AuditedTurn, ...]:
    """Returns each turn of a run with verdicts, judged by an audit too.

    Args:
        run: The run's id.
        turns: With their official verdicts, conversation by conversation.
        conversations: Those that were scored.
        audit: What is settled.

    Raises:
        InputError: The run's references are no programs, or the audit has none of its turns.
    """
    if turns and measures_of(turns[0].verdicts) != PROGRAMS:
        raise InputError("audits accept programs and cannot be applied to a file with stated answers")
    found = audited_turns(turns, conversations, audit)
    if not any(turn.entry for turn in found):
        raise InputError(f"the audit {audit.name} has no turns of run {run}: use an audit of the run's dataset")
    return found
