"""Stored runs compared: all pairs of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from quaestor.application.comparison import PairReport, report_pair
from quaestor.application.judged_runs import Basis, JudgedRuns, Labelled, judge_runs, require_comparable
from quaestor.application.judged_turns import JudgedTurns
from quaestor.core.computing import compute
from quaestor.errors import InputError
from quaestor.extras import require_extra
from quaestor.readers.cache import ByteCache
from quaestor.scoring.bootstrap import Proportion, proportion
from quaestor.scoring.paired import holm
from quaestor.store.base import RunStore
from quaestor.store.records import RunRecord


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
        labelled: What was asked, where the labelled file was read.
    """

    scorer: str
    basis: Basis
    runs: tuple[ComparedRun, ...]
    pairs: tuple[PairReport, ...]
    adjusted: tuple[float, ...]
    labelled: Labelled | None = None


async def compare_stored(
    store: RunStore,
    names: Sequence[str],
    scores_in: str,
    dataset: Path | None = None,
    scorer: str | None = None,
    cache: ByteCache | None = None,
) -> RunsCompared:
    """Returns two or more runs of the same questions compared.

    Args:
        store: Where the runs are kept.
        names: Their ids, beginnings of ids, or `latest`.
        scores_in: The store's URI: the scores that are kept there count where the labelled file is not there.
        dataset: The labelled file, where it has moved.
        scorer: The name of the scorer whose verdicts are compared; by default the one that says what is right.
        cache: Where what is needed of documents is kept, where `labelled` is not wanted.

    Raises:
        SettingsError: The extra that the test needs is not installed.
        UnknownRunError: A run is not there.
        InputError: The runs are fewer than two, or of different questions; or neither a labelled file nor kept scores
            are there.
        RunStoppedError: Conversations of a run are still to be played.
    """
    require_extra("compare", "comparing runs")
    runs = await require_comparable(store, names)
    if len(runs) < 2:
        raise InputError(f"{' and '.join(names)} {('is' if len(names) == 1 else 'are')} a single run: name two or more")
    judged = await judge_runs(store, runs, scores_in, dataset, scorer=scorer, cache=cache)
    return await compute(compare_judged, judged, scorer or judged.measures.right)


def compare_judged(judged: JudgedRuns, scorer: str) -> RunsCompared:
    """Returns every two of some judged runs compared; needs the extra `compare`.

    Raises:
        InputError: No turn has a verdict of that scorer.
    """
    pairs = tuple(
        report_pair((one.run.id, other.run.id), one.turns, other.turns, scorer)
        for one, other in combinations(judged.runs, 2)
    )
    runs = tuple(ComparedRun(found.run, _right(found.turns, scorer)) for found in judged.runs)
    adjusted = holm([pair.figures.p for pair in pairs])
    return RunsCompared(scorer, judged.basis, runs, pairs, adjusted, judged.labelled)


def _right(turns: JudgedTurns, scorer: str) -> Proportion:
    import numpy as np

    verdicts = turns.verdicts_of(scorer)
    judged = ~np.isnan(verdicts)
    return proportion(verdicts[judged] == 1, turns.page_groups[judged])
