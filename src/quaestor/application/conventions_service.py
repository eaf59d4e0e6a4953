"""A stored run by every convention of scoring."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quaestor.application.audit_service import judge_turns
from quaestor.application.judged_runs import Labelled, read_labelled
from quaestor.application.run_service import OVER_DATASETS, find_run, require_played
from quaestor.core.computing import compute
from quaestor.errors import InputError
from quaestor.scoring.audits.audit import Audit
from quaestor.scoring.audits.judging import AuditedTurn, audited_score
from quaestor.scoring.conventions import ConventionFigure, convention_figures
from quaestor.scoring.predictions import Prediction, prediction_of
from quaestor.scoring.verdicts import judge_predictions
from quaestor.store.base import RunStore
from quaestor.store.records import RunRecord


@dataclass(frozen=True, slots=True)
class RunConventions:
    """A run by each convention.

    Attributes:
        run: The run.
        figures: What it comes to by each, the benchmark's own first.
        audited: What it comes to by the benchmark's own, with references as an audit settles them; None without one.
    """

    run: RunRecord
    figures: tuple[ConventionFigure, ...]
    audited: ConventionFigure | None = None


async def run_conventions(
    store: RunStore, name: str, dataset: Path | None = None, audit: Audit | None = None
) -> RunConventions:
    """Returns what a run comes to by each convention.

    Args:
        store: Where the run is kept.
        name: Its id, the beginning of one, or `latest`.
        dataset: The labelled file, where it has moved.
        audit: By what else the run is judged.

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
    figures = await compute(convention_figures, found, labelled.gold, labelled.conversations.values())
    return RunConventions(run, figures, await compute(_audited, run, found, labelled, audit) if audit else None)


def _audited(
    run: RunRecord, found: Mapping[tuple[str, int], Prediction], labelled: Labelled, audit: Audit
) -> ConventionFigure:
    asked = tuple(labelled.conversations.values())
    judged = judge_predictions(found.values(), labelled.gold, asked)
    turns = judge_turns(run.id, [score for turns in judged.values() for _, score in turns], asked, audit)
    return audited_figure(turns, audit)


def audited_figure(turns: Sequence[AuditedTurn], audit: Audit) -> ConventionFigure:
    """Returns what a run comes to by the benchmark's own rule, with references as an audit settles them.

    Args:
        turns: Judged by it.
        audit: The audit.
    """
    return ConventionFigure(
        "audited",
        f"matches the official rule, with disputed references as settled by {audit.name}",
        audited_score(turns, audit).audited,
        gained=sum(turn.right and not turn.score.correct for turn in turns),
        lost=sum(turn.score.correct and not turn.right for turn in turns),
    )
