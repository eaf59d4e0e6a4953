"""Stored runs, judged and compared: all pairs of them.

Owns where the verdicts come from: the labelled file that the runs are of, where it is there; else the scores that are
kept beside them, which know no operation and no origin.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Literal

from quaestor.application.choosing import read_as_played
from quaestor.application.comparison import ComparedTurn, PairReport, report_pair
from quaestor.application.kept_scores import read_run_scores
from quaestor.application.run_service import OVER_DATASETS, find_run, require_played
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Dataset
from quaestor.errors import InputError, UnlabelledError
from quaestor.extras import require_extra
from quaestor.scoring.bootstrap import Proportion, proportion
from quaestor.scoring.gold import GoldTurn, read_gold
from quaestor.scoring.paired import holm
from quaestor.scoring.predictions import prediction_of
from quaestor.scoring.report import classes_of_turn, judge_predictions
from quaestor.scoring.scorers import PROGRAMS, SCORERS, STATED, Measures, measures_of
from quaestor.store.base import RunStore
from quaestor.store.records import RunRecord

Basis = Literal["references", "kept scores"]
Gold = Mapping[str, Sequence[GoldTurn]]


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One of the runs that are compared.

    Attributes:
        run: Its record.
        right: How many of its turns are right.
    """

    run: RunRecord
    right: Proportion


@dataclass(frozen=True, slots=True)
class RunsCompared:
    """Runs of the same questions, each beside each.

    Attributes:
        scorer: By which turns are right.
        basis: Where the verdicts come from.
        runs: The runs, in the order in which they were named.
        pairs: Every two of them.
        adjusted: The p of each pair, adjusted for that there are several.
        dataset: What was asked, where the labelled file was read.
        gold: Its references.
    """

    scorer: str
    basis: Basis
    runs: tuple[ComparedRun, ...]
    pairs: tuple[PairReport, ...]
    adjusted: tuple[float, ...]
    dataset: Dataset | None = None
    gold: Gold | None = None


async def compare_stored(
    store: RunStore,
    names: Sequence[str],
    scores_in: str,
    dataset: Path | None = None,
    scorer: str | None = None,
) -> RunsCompared:
    """Returns two or more runs of the same questions compared.

    Args:
        store: Where the runs are kept.
        names: Their ids, beginnings of ids, or `latest`.
        scores_in: The store's URI: the scores that are kept there count where the labelled file is not there.
        dataset: The labelled file, where it has moved.
        scorer: The name of the scorer whose verdicts are compared; by default the one that says what is right.

    Raises:
        SettingsError: The extra that the test needs is not installed.
        UnknownRunError: A run is not there.
        InputError: The runs are fewer than two, or of different questions; or neither a labelled file nor kept scores
            are there.
        RunStoppedError: Conversations of a run are still to be played.
    """
    require_extra("compare", "comparing runs")
    runs = await _runs(store, names)
    found = await compute(read_labelled, runs[0], dataset)
    basis: Basis = "kept scores" if found is None else "references"
    if found is None:
        turns = [await _kept_turns(store, run, scores_in) for run in runs]
    else:
        turns = [await _judged_turns(store, run, *found) for run in runs]
    known = [name for name in SCORERS if any(name in turn.verdicts for turn in turns[0])]
    scorer = scorer or next(name for name in (PROGRAMS.right, STATED.right) if name in known)
    pairs, compared = await compute(_compared, runs, turns, scorer)
    adjusted = holm([pair.figures.p for pair in pairs])
    return RunsCompared(scorer, basis, compared, pairs, adjusted, *(found or ()))


def _compared(
    runs: Sequence[RunRecord], turns: Sequence[Sequence[ComparedTurn]], scorer: str
) -> tuple[tuple[PairReport, ...], tuple[ComparedRun, ...]]:
    pairs = tuple(
        report_pair((runs[one].id, runs[other].id), turns[one], turns[other], scorer)
        for one, other in combinations(range(len(runs)), 2)
    )
    return pairs, tuple(ComparedRun(run, _right(of_run, scorer)) for run, of_run in zip(runs, turns, strict=True))


async def _runs(store: RunStore, names: Sequence[str]) -> tuple[RunRecord, ...]:
    found = [await find_run(store, name, kind=OVER_DATASETS) for name in names]
    runs = tuple({run.id: run for run in found}.values())
    if len(runs) < 2:
        raise InputError(f"{' and '.join(names)} name one run: name two or more, to be compared")
    for run in runs:
        if run.dataset_digest != runs[0].dataset_digest:
            raise InputError(
                f"runs {runs[0].id} and {run.id} are not of the same questions "
                f"({runs[0].dataset}, {run.dataset}): compare runs of one file"
            )
        await require_played(store, run)
    return runs


def read_labelled(run: RunRecord, named: Path | None) -> tuple[Dataset, Gold] | None:
    """Returns what a run was asked, with references; None where its file is not there, not the same or unlabelled.

    Raises:
        InputError: The run was not of the file that is named.
        UnlabelledError: The file that is named has no references.
    """
    path = named or Path(run.dataset)
    if named is None and not path.is_file():
        return None
    pages = read_as_played(path, run)
    if pages.digest != run.dataset_digest:
        if named is None:
            return None
        raise InputError(f"run {run.id} was of {run.dataset} and not of these questions: name that file")
    try:
        return pages, read_gold(path)
    except UnlabelledError:
        if named is None:
            return None
        raise


async def _judged_turns(store: RunStore, run: RunRecord, dataset: Dataset, gold: Gold) -> list[ComparedTurn]:
    stored = await store.turns(run.id)

    def judged() -> list[ComparedTurn]:
        verdicts = judge_predictions(map(prediction_of, stored), gold, dataset.conversations)
        company = {conversation.id: conversation.company for conversation in dataset.conversations}
        return [
            ComparedTurn(
                turn.conversation,
                turn.turn,
                turn.page,
                company[turn.conversation] or turn.page,
                classes_of_turn(turn),
                turn.predicted,
                turn.verdicts,
            )
            for of_one in verdicts.values()
            for _, turn in of_one
        ]

    return await compute(judged)


async def _kept_turns(store: RunStore, run: RunRecord, scores_in: str) -> list[ComparedTurn]:
    kept = await read_run_scores(scores_in, run)
    if not kept.verdicts:
        why = "went on after it was scored" if kept.outdated else "was not scored"
        raise InputError(
            f"run {run.id} {why}, and {run.dataset} is not there with its references: score the run, "
            "or name the labelled file"
        )
    right = _measures(kept.latest[0].metrics).right
    found = []
    for example in await store.examples(run.id):
        # One conversation at a time: all turns of a large run would not fit.
        answers = {turn.index: turn.number for turn in await store.turns(run.id, example.conversation)}
        index = 0
        while (verdict := kept.verdicts.get((example.conversation, index))) is not None:
            found.append(
                ComparedTurn(
                    example.conversation,
                    index,
                    example.document,
                    example.document.partition("/")[0],
                    {"turn": f"turn {index + 1}"},
                    answers.get(index),
                    {right: verdict.correct, "program": verdict.program_correct},
                )
            )
            index += 1
    return found


def _measures(names: Iterable[str]) -> Measures:
    try:
        return measures_of(names)
    except ValueError:  # of a score that another version kept
        return PROGRAMS


def _right(turns: Sequence[ComparedTurn], scorer: str) -> Proportion:
    judged = [(verdict, turn.page) for turn in turns if (verdict := turn.verdicts[scorer]) is not None]
    return proportion([verdict == 1 for verdict, _ in judged], [page for _, page in judged])
