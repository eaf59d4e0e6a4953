"""Judges stored runs again: as frames for comparisons and reports, by every published rule, by audited references.

Verdicts come from the labelled file of the runs if it is available, else from the saved scores, which lack operations
and origins. Saved verdicts of a large run are used without reading its turns.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from quaestor.application import score_service
from quaestor.application.conversation_filter import read_conversations_of_run
from quaestor.application.run_references import RunFile, read_labelled
from quaestor.application.run_service import OVER_DATASETS, find_run, require_finished, require_same_questions
from quaestor.application.score_service import read_judged_frame, score_run
from quaestor.core import serial
from quaestor.core.computing import compute
from quaestor.errors import InputError
from quaestor.llm.usage import Usage
from quaestor.scoring.audits import (
    Audit,
    AuditCandidate,
    AuditedScore,
    AuditedTurn,
    audit_candidates,
    audited_score,
    judge_turns,
)
from quaestor.scoring.bootstrap import Proportion
from quaestor.scoring.conventions import ConventionFigure, convention_figures
from quaestor.scoring.figures import Score, score_of
from quaestor.scoring.gold import read_gold
from quaestor.scoring.predictions import prediction_of
from quaestor.scoring.scorers import Measures
from quaestor.scoring.turn_frame import TurnFrame
from quaestor.scoring.verdicts import judge_predictions
from quaestor.store.base import RunStore, open_store
from quaestor.store.records import RunRecord, TurnRecord

Basis = Literal["references", "kept scores"]


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run with its verdicts; unless `judge_runs` was called with `whole`, its other figures are missing.

    Attributes:
        seconds: The seconds of each finished turn; 0 if unknown.
        usage: The usage of models over all turns.
    """

    run: RunRecord
    turns: TurnFrame = field(repr=False)
    score: Score | None = None
    seconds: tuple[float, ...] = field(default=(), repr=False)
    usage: Usage = field(default_factory=Usage)
    conventions: tuple[ConventionFigure, ...] = ()
    audited: tuple[AuditedTurn, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class JudgedRuns:
    """Runs of the same questions with their verdicts, in the order given."""

    runs: tuple[JudgedRun, ...]
    labelled: RunFile | None = None

    @property
    def basis(self) -> Basis:
        """The source of the verdicts."""
        return "kept scores" if self.labelled is None else "references"

    @property
    def measures(self) -> Measures:
        """The scorers of the verdicts."""
        return self.runs[0].turns.measures


async def judge_runs(
    store: RunStore,
    runs: Sequence[RunRecord],
    scores_in: str,
    dataset: Path | None = None,
    *,
    whole: bool = False,
    audit: Audit | None = None,
) -> JudgedRuns:
    """Judge runs of the same questions.

    Args:
        dataset: The labelled file, if it has moved. Unless given, it is not read for large runs with saved scores.
        whole: Also compute all figures and the causes of wrong turns, which takes longer.
    """
    if dataset is None and not whole and audit is None and runs[0].conversations > score_service.LARGE:
        with suppress(InputError):  # one of them was not scored
            return JudgedRuns(tuple([await _saved_run(store, run, scores_in, whole) for run in runs]))
    labelled = await compute(read_labelled, runs[0], dataset)
    if labelled is None and audit is not None:
        raise InputError(f"{runs[0].dataset} was not found, but an audit needs its references: name the labelled file")
    if labelled is None:
        return JudgedRuns(tuple([await _saved_run(store, run, scores_in, whole) for run in runs]))
    judged = [await compute(_judged_run, run, await store.turns(run.id), labelled, whole, audit) for run in runs]
    return JudgedRuns(tuple(judged), labelled)


async def require_comparable(store: RunStore, names: Sequence[str]) -> tuple[RunRecord, ...]:
    """Return the named runs without duplicates; raise an error unless they are complete and have the same questions."""
    found = [await find_run(store, name, kind=OVER_DATASETS) for name in names]
    runs = tuple({run.id: run for run in found}.values())
    for run in runs:
        require_same_questions(runs[0], run)
        await require_finished(store, run)
    return runs


def _judged_run(
    run: RunRecord, stored: Sequence[TurnRecord], labelled: RunFile, whole: bool, audit: Audit | None
) -> JudgedRun:
    conversations, predictions = tuple(labelled.conversations.values()), [prediction_of(turn) for turn in stored]
    turns = judge_predictions(predictions, labelled.gold, conversations, causes=whole)
    frame = TurnFrame.of(turns, {conversation.id: conversation.company for conversation in conversations})
    judged = JudgedRun(run, frame, audited=judge_turns(run.id, turns, conversations, audit) if audit else ())
    if not whole:
        return judged
    seconds = tuple((turn.finished - turn.started).total_seconds() for turn in stored if turn.finished is not None)
    used = sum((Usage.of_counts(turn.usage) for turn in stored if turn.usage), Usage())
    conventions = convention_figures(predictions, labelled.gold, conversations)
    return replace(judged, score=score_of(frame), seconds=seconds, usage=used, conventions=conventions)


async def _saved_run(store: RunStore, run: RunRecord, scores_in: str, whole: bool) -> JudgedRun:
    score, frame = await read_judged_frame(scores_in, run)
    if score is None or frame is None or not len(frame):
        why = "was not scored" if score is None else "was continued after it was scored"
        raise InputError(
            f"run {run.id} {why}, and {run.dataset} with its references was not found: score the run, or name the "
            "labelled file"
        )
    if not whole:
        return JudgedRun(run, frame)
    # The frame has only the verdicts that comparisons need; the figures of the other scorers were saved with the score.
    saved = {name: serial.restore(Proportion, figure) for name, figure in score.metrics.items()}
    figures = replace(await compute(score_of, frame), results=saved)
    measures = await store.measure_turns(run.id)
    seconds = tuple(milliseconds / 1000 for milliseconds in Counter(measures.milliseconds).elements())
    used = Usage()
    if any(measures.requests):
        for example in await store.examples(run.id):
            # One conversation at a time: all turns of a large run would not fit into memory.
            used = sum((Usage.of_counts(t.usage) for t in await store.turns(run.id, example.conversation)), used)
    return JudgedRun(run, frame, figures, seconds, used)


@dataclass(frozen=True, slots=True)
class RunAudit:
    """Raw and audited accuracy of a run (None without an audit), and references worth checking."""

    run: str
    score: AuditedScore | None
    candidates: tuple[AuditCandidate, ...]


async def audit_run(store: str, run: str, dataset: Path, audit: Audit | None, compared: Sequence[str] = ()) -> RunAudit:
    """Judge a run by an audit, and return references to check, first those on which other runs agree."""
    gold = read_gold(dataset)
    async with open_store(store, create=False) as opened:
        records = [await find_run(opened, name, kind=OVER_DATASETS) for name in (run, *compared)]
        pages = read_conversations_of_run(dataset, records[0])
        first, *others = [
            (await score_run(opened, record, pages, gold, wanted="verdicts")).report.turns for record in records
        ]
    score = audited_score(judge_turns(records[0].id, first, pages.conversations, audit), audit) if audit else None
    answers = [{(turn.conversation, turn.turn): turn.predicted for turn in turns} for turns in others]
    return RunAudit(records[0].id, score, audit_candidates(first, audit, answers))


@dataclass(frozen=True, slots=True)
class RunConventions:
    """A run judged by each convention, the benchmark's first; `audited` is that one with audited references."""

    run: RunRecord
    figures: tuple[ConventionFigure, ...]
    audited: ConventionFigure | None = None


async def run_conventions(
    store: RunStore, name: str, dataset: Path | None = None, audit: Audit | None = None
) -> RunConventions:
    """Judge a run by each convention; `dataset` is the labelled file, if it has moved."""
    (run,) = await require_comparable(store, [name])
    labelled = await compute(read_labelled, run, dataset)
    if labelled is None:
        raise InputError(f"{run.dataset}, with the references of run {run.id}, was not found: name the labelled file")
    found = [prediction_of(turn) for turn in await store.turns(run.id)]
    conversations = tuple(labelled.conversations.values())
    figures = await compute(convention_figures, found, labelled.gold, conversations)
    if audit is None:
        return RunConventions(run, figures)
    scores = await compute(judge_predictions, found, labelled.gold, conversations, causes=False)
    audited = await compute(judge_turns, run.id, scores, conversations, audit)
    by_audit = ConventionFigure(
        "audited",
        f"matches the official rule, with disputed references as settled by {audit.name}",
        audited_score(audited, audit).audited,
        gained=sum(turn.right and not turn.score.correct for turn in audited),
        lost=sum(turn.score.correct and not turn.right for turn in audited),
    )
    return RunConventions(run, figures, by_audit)
