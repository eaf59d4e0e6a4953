"""Stored runs of the same questions with their verdicts, as far as comparisons and reports need them.

Owns where the verdicts come from: the labelled file that the runs are of, where it is there; else the scores that are
kept beside them, which know no operation and no origin. Of a large run no turn is read for them.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from quaestor.application import kept_scores
from quaestor.application.asked_pages import asked_pages, keep_asked, read_asked
from quaestor.application.audit_service import judge_turns
from quaestor.application.judged_turns import ComparedTurn, JudgedTurns
from quaestor.application.kept_scores import read_judged_columns
from quaestor.application.kept_verdicts import kept_verdicts
from quaestor.application.run_references import Gold, read_played_file, references_in
from quaestor.application.run_service import OVER_DATASETS, find_run, require_played
from quaestor.application.score_service import digest_of_references
from quaestor.core import serial
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Conversation
from quaestor.errors import InputError, QuaestorError, UnlabelledError
from quaestor.llm.usage import Usage
from quaestor.readers.cache import ByteCache
from quaestor.scoring.audits.audit import Audit
from quaestor.scoring.audits.judging import AuditedTurn
from quaestor.scoring.bootstrap import Proportion
from quaestor.scoring.breakdowns import classes_of_kind
from quaestor.scoring.figures import Score
from quaestor.scoring.predictions import prediction_of
from quaestor.scoring.report import score_predictions
from quaestor.scoring.scorers import PROGRAMS, Measures, measures_of
from quaestor.scoring.verdicts import TurnScore, judge_predictions
from quaestor.store.base import RunStore
from quaestor.store.records import RunRecord, TurnRecord

Basis = Literal["references", "kept scores"]


@dataclass(frozen=True, slots=True)
class Labelled:
    """What runs were asked, conversation by conversation, and its references."""

    conversations: Mapping[str, Conversation]
    gold: Gold


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run took.

    Attributes:
        seconds: Of each turn that came to its end, from the question to the answer; 0 where nobody says.
        usage: Of models, over all turns.
    """

    seconds: tuple[float, ...] = field(repr=False)
    usage: Usage


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run with its verdicts.

    Attributes:
        run: Its record.
        turns: Every labelled turn.
        results: The figure of each scorer, by its name; none where they were not asked for.
        spent: What it took; nothing where that was not asked for.
        score: All figures, where they were asked for and the labelled file was read.
        audited: Each turn judged by an audit too, where one was named.
    """

    run: RunRecord
    turns: JudgedTurns = field(repr=False)
    results: Mapping[str, Proportion]
    spent: Spent
    score: Score | None = None
    audited: tuple[AuditedTurn, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class JudgedRuns:
    """Runs of the same questions with their verdicts.

    Attributes:
        runs: The runs, in the order in which they were named.
        basis: Where the verdicts come from.
        measures: What was measured.
        labelled: What was asked, where the labelled file and its documents were read.
    """

    runs: tuple[JudgedRun, ...]
    basis: Basis
    measures: Measures
    labelled: Labelled | None = None


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
    """Returns runs of the same questions with their verdicts.

    Args:
        store: Where the runs are kept.
        runs: As `require_comparable` returns them.
        scores_in: The store's URI: the scores that are kept there count where the labelled file is not there.
        dataset: The labelled file, where it has moved. Of large runs that were scored the scores count where it is not
            named, and the file is not read.
        whole: Whether all figures and the causes of wrong turns are wanted, which takes longer.
        audit: By what else turns are judged; it takes the labelled file.
        scorer: Whose verdicts are wanted, where no figures are: those that are kept need not be given again. By default
            the one that says what is right.
        cache: Where what verdicts that are kept need of the documents is kept, so that these are not read for them;
            then `labelled` may not be there.

    Raises:
        InputError: Neither a labelled file nor kept scores are there, or the runs are of another file than is named; or
            an audit is named and cannot be applied.
    """
    if dataset is None and audit is None and not whole and runs[0].conversations > kept_scores.LARGE:
        with suppress(InputError):  # one of them was not scored
            kept = [await _kept_run(store, run, scores_in, whole) for run in runs]
            return JudgedRuns(tuple(run for run, _ in kept), "kept scores", kept[0][1])
    as_kept = not whole and audit is None
    if as_kept and cache is not None and (turns := await _kept_beside(cache, runs, scores_in, dataset, scorer)):
        unread = [JudgedRun(run, found, {}, Spent((), Usage())) for run, found in zip(runs, turns, strict=True)]
        return JudgedRuns(tuple(unread), "references", measures_of(turns[0].verdicts))
    labelled = await compute(read_labelled, runs[0], dataset)
    if labelled is None and audit is not None:
        raise InputError(f"{runs[0].dataset} was not found, but an audit needs its references: name the labelled file")
    if labelled is None:
        kept = [await _kept_run(store, run, scores_in, whole) for run in runs]
        return JudgedRuns(tuple(run for run, _ in kept), "kept scores", kept[0][1])
    judged, asked = list[JudgedRun](), await compute(asked_pages, labelled.conversations.values()) if as_kept else ()
    if as_kept and cache is not None and runs[0].conversations <= kept_scores.LARGE:
        await asyncio.to_thread(keep_asked, cache, runs[0], digest_of_references(labelled.gold), asked)
    for run in runs:
        kept_turns = await kept_verdicts(scores_in, run, asked, labelled.gold, scorer) if as_kept else None
        if kept_turns is not None:
            judged.append(JudgedRun(run, kept_turns, {}, Spent((), Usage())))
        else:
            judged.append(await compute(_judged_run, run, await store.turns(run.id), labelled, whole, audit))
    measures = measures_of(judged[0].turns.verdicts) if judged[0].turns else PROGRAMS
    return JudgedRuns(tuple(judged), "references", measures, labelled)


async def _kept_beside(
    cache: ByteCache, runs: Sequence[RunRecord], scores_in: str, dataset: Path | None, scorer: str | None
) -> Sequence[JudgedTurns] | None:
    """Returns the verdicts that are kept of all runs, beside the references and what is kept of the documents.

    Returns:
        None where the documents have to be read, or turns to be judged.
    """
    path, turns = dataset or Path(runs[0].dataset), list[JudgedTurns]()
    with suppress(QuaestorError, OSError):  # whoever reads the documents says it
        if (gold := await compute(references_in, path)) is None:
            return None
        asked = await asyncio.to_thread(read_asked, cache, runs[0], digest_of_references(gold))
        for run in runs if asked is not None else ():
            found = await kept_verdicts(scores_in, run, asked or (), gold, scorer)
            if found is None:
                return None
            turns.append(found)
    return turns if len(turns) == len(runs) else None


async def require_comparable(store: RunStore, names: Sequence[str]) -> tuple[RunRecord, ...]:
    """Returns the runs of some names, each once, and makes sure that they are whole and of the same questions.

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
    """Returns what a run was asked, with references; None where its file is not there, not the same or unlabelled.

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
    score, turns = None, list[TurnScore]()
    if whole:
        report = score_predictions(predictions, labelled.gold, asked)
        turns, score = list(report.turns), report.score
    else:
        turns = [turn for found in judge_predictions(predictions, labelled.gold, asked).values() for _, turn in found]
    company = {conversation.id: conversation.company for conversation in asked}
    compared = [
        ComparedTurn(
            turn.conversation,
            turn.turn,
            turn.page,
            company[turn.conversation] or turn.page,
            classes_of_kind(turn.kind, measures_of(turn.verdicts)),
            turn.predicted,
            turn.verdicts,
            turn.confidence,
            turn.cause,
        )
        for turn in turns
    ]
    audited = () if audit is None else judge_turns(run.id, turns, asked, audit)
    return JudgedRun(run, JudgedTurns.of(compared), score.results if score else {}, _spent(stored), score, audited)


async def _kept_run(store: RunStore, run: RunRecord, scores_in: str, whole: bool) -> tuple[JudgedRun, Measures]:
    score, columns = await read_judged_columns(scores_in, run)
    if score is None or columns is None or not len(columns):
        why = "was not scored" if score is None else "was continued after it was scored"
        raise InputError(
            f"run {run.id} {why}, and {run.dataset} with its references was not found: score the run, or name the "
            "labelled file"
        )
    measures = _measures(score.metrics)
    results = {name: serial.restore(Proportion, figure) for name, figure in score.metrics.items()}
    spent = await _kept_spent(store, run) if whole else Spent((), Usage())
    return JudgedRun(run, JudgedTurns.kept(columns, measures), results, spent), measures


async def _kept_spent(store: RunStore, run: RunRecord) -> Spent:
    """Returns what a run took, without reading turns that asked no model."""
    took = await store.measure_turns(run.id)
    seconds = tuple(milliseconds / 1000 for milliseconds in Counter(took.milliseconds).elements())
    used = Usage()
    if any(took.requests):
        for example in await store.examples(run.id):
            # One conversation at a time: all turns of a large run would not fit.
            used = sum((Usage.of_counts(t.usage) for t in await store.turns(run.id, example.conversation)), used)
    return Spent(seconds, used)


def _spent(turns: Sequence[TurnRecord]) -> Spent:
    ended = [(turn.finished - turn.started).total_seconds() for turn in turns if turn.finished is not None]
    return Spent(tuple(ended), sum((Usage.of_counts(turn.usage) for turn in turns if turn.usage), Usage()))


def _measures(names: Iterable[str]) -> Measures:
    try:
        return measures_of(names)
    except ValueError:  # of a score that another version kept
        return PROGRAMS
