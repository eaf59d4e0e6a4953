"""The answers of a cross-validation, kept as a run."""

import asyncio
import hashlib
from pathlib import Path

import pytest
from made_up import a_record, write_dataset

from quaestor.application.run_import import save_held_out_runs
from quaestor.application.run_service import CROSS_VALIDATION
from quaestor.application.score_service import score_run
from quaestor.application.training import CrossValidationRequest, HeldOutReport
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.evaluation.runner import play_conversation
from quaestor.learning.crossvalidate import HeldOutTurn
from quaestor.scoring.figures import score_predictions
from quaestor.scoring.gold import read_gold
from quaestor.solvers.registry import make_solver
from quaestor.store.base import open_store

ONE, TWO = "Single_NORD/2012/page_41.pdf-1", "Single_NORD/2012/page_41.pdf-2"


def held_out(path: Path) -> HeldOutReport:
    dataset, solver = read_dataset(path), make_solver("embedded")
    turns = [
        HeldOutTurn(record, reachable=True)
        for asked in reversed(dataset.conversations)  # folds answer in an order of their own
        for record in turn_records(
            TurnPlace("cross-validation", asked.id), asyncio.run(play_conversation(asked, solver))
        )
    ]
    report = score_predictions([turn.prediction for turn in turns], read_gold(path), dataset.conversations)
    return HeldOutReport(dataset, report, tuple(turns))


@pytest.mark.slow
def test_held_out_turns_are_a_run_like_any_other(tmp_path: Path) -> None:
    path = write_dataset(tmp_path / "pages.json", a_record(), a_record(TWO))
    request, found = CrossValidationRequest([path], folds=2, seed=7), held_out(path)

    async def scenario() -> None:
        async with open_store("sqlite://") as store:
            (run,) = await save_held_out_runs(store, request, [found])
            assert (run.kind, run.status, run.conversations) == ("run", "complete", 2)
            assert run.spec["solver"] == CROSS_VALIDATION
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            assert run.spec["solver_options"] == {"folds": 2, "seed": 7, "files": {"pages.json": digest}}
            turns = await store.turns(run.id)
            assert [(turn.conversation, turn.index) for turn in turns] == [(c, n) for c in (ONE, TWO) for n in range(3)]
            assert all(turn.run == run.id and turn.verified and turn.program for turn in turns)
            scored = await score_run(store, run, found.dataset, read_gold(path))
            assert scored.report.score == found.report.score
            assert all(turn.confidence is not None for turn in scored.report.turns)

    asyncio.run(scenario())


def test_another_seed_is_another_spec(tmp_path: Path) -> None:
    path = write_dataset(tmp_path / "pages.json", a_record())
    found = held_out(path)

    async def digest(seed: int) -> str:
        async with open_store("sqlite://") as store:
            (run,) = await save_held_out_runs(store, CrossValidationRequest([path], seed=seed), [found])
            return run.spec_digest

    assert asyncio.run(digest(1)) == asyncio.run(digest(1)) != asyncio.run(digest(2))
