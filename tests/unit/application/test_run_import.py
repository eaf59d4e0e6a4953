"""Imported answers and cross-validations are stored completely or not at all."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from made_up import a_record, write_dataset

from quaestor.application.run_import import import_run, run_name, save_held_out_runs
from quaestor.application.run_service import CROSS_VALIDATION, status_word
from quaestor.application.score_service import score_run
from quaestor.application.training import CrossValidationRequest, HeldOutReport
from quaestor.datasets.dataset import Dataset
from quaestor.datasets.formats import read_dataset
from quaestor.errors import InputError, StoreError
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.evaluation.runner import answer_conversation
from quaestor.learning.crossvalidate import HeldOutTurn
from quaestor.scoring.figures import score_predictions
from quaestor.scoring.gold import read_gold
from quaestor.solvers.registry import make_solver
from quaestor.store.base import open_store
from quaestor.store.records import ConversationRecord, RunRecord, RunStatus, TurnRecord, now
from quaestor.store.sqlite import SqliteStore

pytestmark = pytest.mark.anyio

ONE, TWO = "Single_NORD/2012/page_41.pdf-1", "Single_NORD/2012/page_41.pdf-2"


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return read_dataset(write_dataset(tmp_path / "pages.json", a_record(), a_record(TWO)))


def answers(tmp_path: Path, *given: tuple[str, int, object]) -> Path:
    path = tmp_path / "Other model.jsonl"
    lines = [{"conversation": name, "turn": turn, "answer": answer} for name, turn, answer in given]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


async def test_an_imported_run_is_stored_whole_and_scored(tmp_path: Path, dataset: Dataset) -> None:
    file = answers(tmp_path, (ONE, 0, 206588), (ONE, 1, "181,001"), (ONE, 2, -25586), (TWO, 0, 206588.0))

    async with open_store(str(tmp_path / "runs.db")) as store:
        found = await import_run(store, file, dataset)
        run = found.run
        assert (found.answered, found.unanswered) == (4, 2)
        assert (run.kind, run.status, run.conversations) == ("import", "complete", 2)
        assert "-other-model-" in run.id
        assert isinstance(options := run.spec["solver_options"], dict)
        assert (options["name"], options["file"]) == ("other-model", "Other model.jsonl")
        turns = await store.turns(run.id)
        assert [turn.number for turn in turns] == ["206588", "181001", "-25586", "206588.0", None, None]
        assert {(turn.verified, turn.program, turn.status) for turn in turns} == {(False, None, "complete")}
        scored = await score_run(store, run, dataset, read_gold(tmp_path / "pages.json"))
        assert [turn.correct for turn in scored.report.turns] == [True, True, False, True, False, False]
        assert scored.report.score.unanswered == 2


async def test_spec_does_not_depend_on_the_file_name(tmp_path: Path, dataset: Dataset) -> None:
    file = answers(tmp_path, (ONE, 0, 1))

    async with open_store("sqlite://") as store:
        one, same = [(await import_run(store, file, dataset)).run for _ in range(2)]
        other = (await import_run(store, answers(tmp_path, (ONE, 0, 2)), dataset)).run
        assert one.id != same.id
        assert one.spec_digest == same.spec_digest != other.spec_digest


class BreakingStore(SqliteStore):
    """A store that fails at the second conversation."""

    async def complete_example(self, example: ConversationRecord, turns: Sequence[TurnRecord]) -> None:
        if example.conversation == TWO:
            raise StoreError("the disk is full")
        await super().complete_example(example, turns)


async def test_failed_import_leaves_no_run(tmp_path: Path, dataset: Dataset) -> None:
    async with BreakingStore(tmp_path / "runs.db", create=True) as store:
        with pytest.raises(StoreError):
            await import_run(store, answers(tmp_path, (ONE, 0, 1)), dataset)
        assert await store.runs() == ()


async def test_invalid_file_or_name_is_refused(tmp_path: Path, dataset: Dataset) -> None:
    async with open_store("sqlite://") as store:
        with pytest.raises(InputError):
            await import_run(store, tmp_path / "nosuch.jsonl", dataset)
        with pytest.raises(InputError):
            await import_run(store, answers(tmp_path, (ONE, 0, 1)), dataset, "…")
        assert await store.runs() == ()
    assert run_name("A" * 100) == "a" * 40


@pytest.mark.parametrize(("status", "word"), [("complete", "imported"), ("running", "running")])
def test_killed_import_is_not_listed_as_imported(status: RunStatus, word: str) -> None:
    run = RunRecord("r", {}, "s", "sample.json", "d", 3, now(), status=status, kind="import")
    assert status_word(run) == word


async def held_out_report(path: Path) -> HeldOutReport:
    dataset, solver = read_dataset(path), make_solver("embedded")
    turns = [
        HeldOutTurn(record, reachable=True)
        for conversation in reversed(dataset.conversations)  # folds do not answer in the order of the file
        for record in turn_records(
            TurnPlace("cross-validation", conversation.id), await answer_conversation(conversation, solver)
        )
    ]
    report = score_predictions([turn.prediction for turn in turns], read_gold(path), dataset.conversations)
    return HeldOutReport(dataset, report, tuple(turns))


@pytest.mark.slow
async def test_held_out_turns_can_be_imported_as_a_run(tmp_path: Path) -> None:
    path = write_dataset(tmp_path / "pages.json", a_record(), a_record(TWO))
    request, found = CrossValidationRequest([path], folds=2, seed=7), await held_out_report(path)

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
