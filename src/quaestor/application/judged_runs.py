"""Stored runs of the same questions as frames of judged turns, for comparisons and reports.

Verdicts come from the labelled file of the runs if it is there; else from the saved scores, which have no operation and
no origin. No turn of a large run is read for saved verdicts.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from quaestor.application import kept_scores
from quaestor.application.asked_pages import AskedPage, asked_pages, keep_asked, read_asked
from quaestor.application.kept_scores import read_judged_columns
from quaestor.application.run_references import Gold, is_by, read_played_file, references_in
from quaestor.application.run_service import OVER_DATASETS, find_run, require_played
from quaestor.application.score_service import digest_of_references
from quaestor.core import serial
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Conversation
from quaestor.errors import InputError, QuaestorError, UnlabelledError
from quaestor.llm.usage import Usage
from quaestor.readers.cache import ByteCache
from quaestor.scores.columns import JudgedColumns
from quaestor.scoring.audits import Audit, AuditedTurn, judge_turns
from quaestor.scoring.bootstrap import Proportion
from quaestor.scoring.figures import score_predictions
from quaestor.scoring.predictions import prediction_of
from quaestor.scoring.scorers import PROGRAMS, Measures, Verdict, measures_of
from quaestor.scoring.taxonomy import turn_kinds
from quaestor.scoring.turn_frame import TurnFrame, classes_of_kind
from quaestor.scoring.verdicts import TurnScore, judge_predictions
from quaestor.store.base import RunStore
from quaestor.store.records import RunRecord, TurnRecord

Basis = Literal["references", "kept scores"]


@dataclass(frozen=True, slots=True)
class Labelled:
    """What runs were asked, by conversation, and its references."""

    conversations: Mapping[str, Conversation]
    gold: Gold


@dataclass(frozen=True, slots=True)
class RunCost:
    """What a run took: the seconds of each finished turn (0 if unknown), and the usage of models over all turns."""

    seconds: tuple[float, ...] = field(default=(), repr=False)
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run with its verdicts.

    Attributes:
        results: The figure of each scorer; empty unless `judge_runs` was asked for all figures, like `spent`.
        audited: Each turn judged by the audit too; empty without one.
    """

    run: RunRecord
    turns: TurnFrame = field(repr=False)
    results: Mapping[str, Proportion] = field(default_factory=dict)
    spent: RunCost = field(default_factory=RunCost)
    audited: tuple[AuditedTurn, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class JudgedRuns:
    """Runs of the same questions with their verdicts, in the order in which they were named.

    Attributes:
        labelled: What was asked, if the labelled file and its documents were read.
    """

    runs: tuple[JudgedRun, ...]
    basis: Basis
    labelled: Labelled | None = None

    @property
    def measures(self) -> Measures:
        """What was measured."""
        return self.runs[0].turns.measures


async def judge_runs(
    store: RunStore,
    runs: Sequence[RunRecord],
    scores_in: str,
    dataset: Path | None = None,
    *,
    whole: bool = False,
    audit: Audit | None = None,
    scorer: str | None = None,
    cache: ByteCache | None = None,
) -> JudgedRuns:
    """Return runs of the same questions with their verdicts.

    Args:
        runs: As `require_comparable` returns them.
        scores_in: The URI of the store, for the saved scores.
        dataset: The labelled file, if it has moved. Unless it is named, it is not read for large runs that were scored.
        whole: Also return all figures and the causes of wrong turns, which takes longer.
        scorer: Whose verdicts are wanted without `whole`; by default the one that says what is right.
        cache: Holds what saved verdicts need of the documents, so that these are not read; then there is no `labelled`.

    Raises:
        InputError: Neither a labelled file nor saved scores are there, or the runs are of another file than is named;
            or an audit cannot be applied.
    """
    path = dataset or Path(runs[0].dataset)
    as_kept = not whole and audit is None
    if dataset is None and as_kept and runs[0].conversations > kept_scores.LARGE:
        with suppress(InputError):  # one of them was not scored
            return await _by_saved_scores(store, runs, scores_in, whole)
    if as_kept and cache is not None:
        with suppress(QuaestorError, OSError):  # reading the documents will report it
            gold = await compute(references_in, path)
            asked = await asyncio.to_thread(read_asked, cache, runs[0], digest_of_references(gold)) if gold else None
            found = [await _saved_verdicts(scores_in, run, asked, gold, scorer) for run in runs if gold and asked]
            judged = [JudgedRun(run, turns) for run, turns in zip(runs, found, strict=False) if turns is not None]
            if len(judged) == len(runs):
                return JudgedRuns(tuple(judged), "references")
    labelled = await compute(read_labelled, runs[0], dataset)
    if labelled is None and audit is not None:
        raise InputError(f"{runs[0].dataset} was not found, but an audit needs its references: name the labelled file")
    if labelled is None:
        return await _by_saved_scores(store, runs, scores_in, whole)
    asked = await compute(asked_pages, labelled.conversations.values()) if as_kept else ()
    if as_kept and cache is not None and runs[0].conversations <= kept_scores.LARGE:
        await asyncio.to_thread(keep_asked, cache, runs[0], digest_of_references(labelled.gold), asked)
    judged = []
    for run in runs:
        frame = await _saved_verdicts(scores_in, run, asked, labelled.gold, scorer) if as_kept else None
        if frame is None:
            judged.append(await compute(_judged_run, run, await store.turns(run.id), labelled, whole, audit))
        else:
            judged.append(JudgedRun(run, frame))
    return JudgedRuns(tuple(judged), "references", labelled)


async def require_comparable(store: RunStore, names: Sequence[str]) -> tuple[RunRecord, ...]:
    """Return the runs of some names, each once; make sure that they are complete and of the same questions.

    Raises:
        UnknownRunError: One is not there.
        InputError: They are not of the same questions.
        RunStoppedError: Conversations of one are still to be played.
    """
    found = [await find_run(store, name, kind=OVER_DATASETS) for name in names]
    runs = tuple({run.id: run for run in found}.values())
    for run in runs:
        if run.dataset_digest != runs[0].dataset_digest:
            raise InputError(
                f"runs {runs[0].id} and {run.id} have different questions ({runs[0].dataset}, {run.dataset}): "
                "compare runs of the same file"
            )
        await require_played(store, run)
    return runs


def read_labelled(run: RunRecord, named: Path | None) -> Labelled | None:
    """Return what a run was asked, with references; None if its file is missing, has changed or is unlabelled.

    Raises:
        InputError: The run was not of the file that is named.
        UnlabelledError: The file that is named has no references.
    """
    path = named or Path(run.dataset)
    if named is None and not path.is_file():
        return None
    file = read_played_file(path, run)
    if file is not None and file.gold is not None:
        return Labelled(file.conversations, file.gold)
    if named is None:
        return None
    if file is None:
        raise InputError(f"run {run.id} was over {run.dataset}, which has different questions: use that file")
    raise UnlabelledError(f"{path} has no reference answers: use the labelled file")


def _judged_run(
    run: RunRecord, stored: Sequence[TurnRecord], labelled: Labelled, whole: bool, audit: Audit | None
) -> JudgedRun:
    asked, predictions = tuple(labelled.conversations.values()), map(prediction_of, stored)
    results: Mapping[str, Proportion] = {}
    turns: Sequence[TurnScore]
    if whole:
        report = score_predictions(predictions, labelled.gold, asked)
        turns, results = report.turns, report.score.results
    else:
        turns = [turn for found in judge_predictions(predictions, labelled.gold, asked).values() for _, turn in found]
    frame = TurnFrame.of(turns, {conversation.id: conversation.company for conversation in asked})
    audited = () if audit is None else judge_turns(run.id, turns, asked, audit)
    ended = [(turn.finished - turn.started).total_seconds() for turn in stored if turn.finished is not None]
    used = sum((Usage.of_counts(turn.usage) for turn in stored if turn.usage), Usage())
    return JudgedRun(run, frame, results, RunCost(tuple(ended), used), audited)


async def _saved_verdicts(
    scores_in: str, run: RunRecord, asked: Sequence[AskedPage] | None, gold: Gold | None, scorer: str | None
) -> TurnFrame | None:
    """Return the saved verdicts of a run with the classes that its references tell, in the order of the file.

    None if they have to be judged again: the run was not scored, or continued since, by another version or other
    references, or such verdicts are not saved.
    """
    score, columns = await read_judged_columns(scores_in, run)
    if score is None or columns is None or gold is None or not is_by(score, gold):
        return None
    measures = measures_of(score.metrics)
    # Of a share, such as F1, only the figures are saved.
    if scorer not in (None, measures.right, "program"):
        return None
    return await compute(_with_classes, columns, measures, asked or (), gold)


def _with_classes(
    columns: JudgedColumns, measures: Measures, asked: Sequence[AskedPage], gold: Gold
) -> TurnFrame | None:
    saved = {(row.conversation, row.index): row for row in columns.rows()}
    frame = TurnFrame.for_measures(measures)
    for one in asked:
        for kind in turn_kinds(gold[one.conversation], one.numbers, joined=one.joined):
            row = saved.pop((one.conversation, kind.index), None)
            if row is None:
                return None
            verdicts = {measures.right: row.correct, measures.beside: row.program_correct}
            classes = classes_of_kind(kind, measures)
            frame.append(
                row.conversation, row.index, one.page, one.company, classes, row.number, verdicts, row.confidence
            )
    return None if saved else frame


async def _by_saved_scores(store: RunStore, runs: Sequence[RunRecord], scores_in: str, whole: bool) -> JudgedRuns:
    return JudgedRuns(tuple([await _saved_run(store, run, scores_in, whole) for run in runs]), "kept scores")


async def _saved_run(store: RunStore, run: RunRecord, scores_in: str, whole: bool) -> JudgedRun:
    score, columns = await read_judged_columns(scores_in, run)
    if score is None or columns is None or not len(columns):
        why = "was not scored" if score is None else "was continued after it was scored"
        raise InputError(
            f"run {run.id} {why}, and {run.dataset} with its references was not found: score the run, or name the "
            "labelled file"
        )
    results = {name: serial.restore(Proportion, figure) for name, figure in score.metrics.items()}
    frame = _frame_of(columns, _measures(score.metrics))
    return JudgedRun(run, frame, results, await _saved_spent(store, run) if whole else RunCost())


def _frame_of(columns: JudgedColumns, measures: Measures) -> TurnFrame:
    companies = {page: page.partition("/")[0] for page in dict.fromkeys(columns.documents)}
    classes = [(f"turn {place + 1}",) for place in range(max(columns.indexes, default=-1) + 1)]
    flags = (True, False, None)
    verdicts: Mapping[tuple[Verdict, Verdict], Mapping[str, Verdict]] = {
        (right, program): {measures.right: right, measures.beside: program} for right in flags for program in flags
    }
    return TurnFrame(
        measures,
        ("turn",),
        columns.conversations,
        columns.indexes,
        columns.documents,
        [companies[page] for page in columns.documents],
        columns.numbers,
        columns.confidences,
        columns.causes,
        [verdicts[both] for both in zip(columns.correct, columns.program_correct, strict=True)],
        [classes[place] for place in columns.indexes],
        columns.asked,
    )


async def _saved_spent(store: RunStore, run: RunRecord) -> RunCost:
    """Return what a run took; reads no turns if no model was asked."""
    took = await store.measure_turns(run.id)
    seconds = tuple(milliseconds / 1000 for milliseconds in Counter(took.milliseconds).elements())
    used = Usage()
    if any(took.requests):
        for example in await store.examples(run.id):
            # One conversation at a time: all turns of a large run would not fit.
            used = sum((Usage.of_counts(t.usage) for t in await store.turns(run.id, example.conversation)), used)
    return RunCost(seconds, used)


def _measures(names: Iterable[str]) -> Measures:
    try:
        return measures_of(names)
    except ValueError:  # of a score that another version kept
        return PROGRAMS
