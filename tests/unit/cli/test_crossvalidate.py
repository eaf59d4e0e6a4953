"""`quaestor crossvalidate --keep` stores held-out answers as a run; a stub replaces the training."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from command_line import Quaestor, one_line, refused
from made_up import a_record, write_dataset

from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.evaluation.runner import answer_conversation
from quaestor.learning.crossvalidate import HeldOutTurn
from quaestor.learning.examples import Example
from quaestor.solvers.registry import make_solver


def answered(examples: Sequence[Example], *_: object, **__: object) -> list[HeldOutTurn]:
    solver, found = make_solver("embedded"), list[HeldOutTurn]()
    for one in examples:
        assert one.document is not None
        turns = asyncio.run(answer_conversation(Conversation(one.id, one.document, one.questions), solver))
        found += [HeldOutTurn(record, reachable=True) for record in turn_records(TurnPlace("", one.id), turns)]
    return found


@pytest.fixture
def held_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quaestor.application.training.cross_validate", answered)


@pytest.mark.slow
@pytest.mark.usefixtures("held_out")
def test_stored_predictions_can_be_scored_and_compared(quaestor: Quaestor, pages: Path) -> None:
    outcome = quaestor("crossvalidate pages.json --folds 2 --keep --json")
    assert outcome.code == 0, outcome.err
    result = json.loads(outcome.out)
    scored = json.loads(quaestor(f"score {result['run']} pages.json --json").out)
    assert scored["score"]["execution"]["correct"] == result["score"]["execution"]["correct"] == 4
    shown = quaestor("runs show latest").out
    assert "pages.json" in shown
    other = quaestor("run pages.json").out.strip()
    assert json.loads(quaestor(f"compare latest {result['run']} --json").out)["pairs"][0]["first"] == other
    assert f"{result['run'][:8]}" in quaestor("crossvalidate pages.json --folds 2 --keep").out


@pytest.mark.usefixtures("held_out")
def test_nothing_is_stored_without_keep(quaestor: Quaestor, pages: Path) -> None:
    result = json.loads(quaestor("crossvalidate pages.json --folds 2 --json").out)
    assert "run" not in result
    one_line(quaestor("runs list"))


@pytest.mark.usefixtures("held_out")
def test_accuracy_of_first_turns_of_second_questions_is_separate(quaestor: Quaestor, tmp_path: Path) -> None:
    record = a_record("Double_NORD/2012/page_41.pdf")
    assert isinstance(record["annotation"], dict)
    record["annotation"]["qa_split"] = [0, 0, 1]
    write_dataset(tmp_path / "pages.json", record)
    second = json.loads(quaestor("crossvalidate pages.json --folds 2 --json").out)["second_questions"]
    assert (second["correct"], second["total"], second["pages"]) == (1, 1, 1)
    assert "1 of 1" in quaestor("crossvalidate pages.json --folds 2").out


def test_unopenable_store_is_reported_before_training(quaestor: Quaestor, pages: Path) -> None:
    assert "pages.json" in refused(quaestor(f"crossvalidate pages.json --keep --store {pages}"))
