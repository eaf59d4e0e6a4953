"""A stored run by every convention of scoring."""

from dataclasses import dataclass
from pathlib import Path

from quaestor.application.judged_runs import read_labelled
from quaestor.application.run_service import OVER_DATASETS, find_run, require_played
from quaestor.core.computing import compute
from quaestor.errors import InputError
from quaestor.scoring.conventions import ConventionFigure, convention_figures
from quaestor.scoring.predictions import prediction_of
from quaestor.store.base import RunStore
from quaestor.store.records import RunRecord


@dataclass(frozen=True, slots=True)
class RunConventions:
    """A run, and what it comes to by each convention, the benchmark's own first."""

    run: RunRecord
    figures: tuple[ConventionFigure, ...]


async def run_conventions(store: RunStore, name: str, dataset: Path | None = None) -> RunConventions:
    """Returns what a run comes to by each convention.

    Args:
        store: Where the run is kept.
        name: Its id, the beginning of one, or `latest`.
        dataset: The labelled file, where it has moved.

    Raises:
        UnknownRunError: There is no such run.
        InputError: The labelled file is not there, or the run was not of it.
        RunStoppedError: Conversations are still to be played.
    """
    run = await find_run(store, name, kind=OVER_DATASETS)
    await require_played(store, run)
    labelled = await compute(read_labelled, run, dataset)
    if labelled is None:
        raise InputError(f"{run.dataset} is not there with the references of run {run.id}: name the labelled file")
    found = {(turn.conversation, turn.index): prediction_of(turn) for turn in await store.turns(run.id)}
    return RunConventions(run, await compute(convention_figures, found, labelled.gold, labelled.conversations.values()))
