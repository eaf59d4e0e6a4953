"""Scores that are kept, as `runs` shows them."""

import json
from pathlib import Path

import pytest
from command_line import Quaestor
from made_up import a_record, write_dataset

from quaestor.application import saved_scores
from quaestor.store.sqlite import SqliteStore

SECOND = "Single_NORD/2012/page_41.pdf-2"


def test_eval_and_score_keep_a_score_that_runs_show(quaestor: Quaestor, pages: Path) -> None:
    run = quaestor("run pages.json").out.strip()
    assert "score:" not in quaestor("runs show latest").out
    assert json.loads(quaestor("runs list --json").out)[0]["score"] is None
    assert quaestor("score latest pages.json").code == 0
    shown = quaestor("runs show latest").out
    assert "4 of 6" in shown
    assert "1 of 2" in shown
    assert "3.0" in shown
    assert "66.7 %" in quaestor("runs list").out
    assert json.loads(quaestor("runs list --json").out)[0]["score"]["correct_answers"] == 4
    found = json.loads(quaestor(f"runs show {run} --json").out)
    (score,) = found["scores"]
    assert (score["dataset"], score["dataset_digest"]) == ("pages.json", found["dataset_digest"])
    assert (score["metrics"]["execution"]["correct"], score["metrics"]["execution"]["total"]) == (4, 6)
    assert {"low", "high", "pages", "value"} <= score["metrics"]["execution"].keys()
    assert [example["score"]["failed_turns"] for example in found["examples"]] == [[], [1, 2]]


def test_eval_keeps_its_score(quaestor: Quaestor, pages: Path) -> None:
    assert quaestor("eval pages.json").code == 0
    assert "4 of 6" in quaestor("runs show latest").out


def test_a_turn_is_shown_with_its_verdict(quaestor: Quaestor, pages: Path) -> None:
    assert quaestor("run pages.json").code == 0
    assert "verdict:" not in quaestor(f"runs turn latest {SECOND} 1").out
    assert json.loads(quaestor(f"runs turn latest {SECOND} 1 --json").out)["verdict"] is None
    assert quaestor("score latest pages.json").code == 0
    assert "verdict:" in quaestor(f"runs turn latest {SECOND} 1").out
    verdict = json.loads(quaestor(f"runs turn latest {SECOND} 3 --json").out)["verdict"]
    assert verdict == {"correct": False, "program_correct": False}


@pytest.mark.slow
def test_wrong_turns_are_known_once_the_file_is_gone(quaestor: Quaestor, pages: Path) -> None:
    assert quaestor("eval pages.json").code == 0
    causes = [turn["cause"] for turn in json.loads(quaestor("runs failures latest --json").out)["turns"]]
    assert all(causes)
    pages.unlink()
    shown = quaestor("runs failures latest").out
    assert "turn 3: cell 2 2" in shown
    assert "2 of 6" in shown
    assert "reference:" not in shown
    found = json.loads(quaestor("runs failures latest --json").out)["turns"]
    assert [(turn["turn"], turn["gold"]) for turn in found] == [(1, None), (2, None)]
    assert [turn["cause"] for turn in found] == causes


def test_scored_by_another_file_both_are_shown_and_the_latest_counts(quaestor: Quaestor, pages: Path) -> None:
    assert quaestor("eval pages.json").code == 0
    records = json.loads(pages.read_text(encoding="utf-8"))
    for record in records:
        record["annotation"]["exe_ans_list"] = [1.5] * len(record["annotation"]["exe_ans_list"])
    write_dataset(Path("other.json"), *records)
    assert quaestor("score latest other.json").code == 0
    scores = json.loads(quaestor("runs show latest --json").out)["scores"]
    assert [(score["dataset"], score["correct_answers"]) for score in scores] == [("other.json", 0), ("pages.json", 4)]
    assert quaestor("score latest pages.json").code == 0
    scores = json.loads(quaestor("runs show latest --json").out)["scores"]
    assert [(score["dataset"], score["correct_answers"]) for score in scores] == [("pages.json", 4), ("other.json", 0)]
    assert json.loads(quaestor(f"runs turn latest {SECOND} 1 --json").out)["verdict"]["correct"] is True


@pytest.mark.slow
def test_a_run_that_went_on_is_to_be_scored_again(quaestor: Quaestor, tmp_path: Path) -> None:
    broken = a_record(SECOND, questions=("cell 1 1", "break", "change"))
    write_dataset(tmp_path / "broken.json", a_record(), broken)
    run = quaestor("run broken.json").out.strip()
    assert quaestor(f"score {run} broken.json").code == 0
    assert json.loads(quaestor("runs list --json").out)[0]["score"] is not None
    quaestor(f"run broken.json --resume {run}")
    assert json.loads(quaestor("runs list --json").out)[0]["score"] is None


def test_scores_go_with_their_run(quaestor: Quaestor, pages: Path) -> None:
    import sqlite3

    assert quaestor("eval pages.json").code == 0
    assert quaestor("runs delete latest --yes").code == 0
    db = sqlite3.connect(".quaestor/runs.db")
    for table in ("scores", "scored_examples", "scored_turns"):
        assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    db.close()


def test_of_a_large_run_the_score_says_what_is_wrong(
    quaestor: Quaestor, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert quaestor("eval pages.json").code == 0
    small, words = json.loads(quaestor("runs failures latest --json").out), quaestor("runs failures latest").out
    monkeypatch.setattr(saved_scores, "LARGE", 1)
    large = json.loads(quaestor("runs failures latest --json").out)
    assert large == {**small, "turns": [{**turn, "gold": None, "gold_program": None} for turn in small["turns"]]}
    gold = [line for line in words.splitlines() if not line.startswith(("  reference", "  ref. program"))]
    assert quaestor("runs failures latest").out.splitlines() == gold
    assert "reference:" in quaestor("runs failures latest --dataset pages.json").out
    assert quaestor("runs failures latest --full").out.count("interpretation:") == 2


def test_the_first_wrong_turns_are_shown_and_how_many_more_there_are(
    quaestor: Quaestor, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert quaestor("eval pages.json").code == 0
    for least in (1000, 1):
        monkeypatch.setattr(saved_scores, "LARGE", least)
        shown = quaestor("runs failures latest --limit 1").out
        assert "--limit 2" in shown
        assert "turn 2: fail" in shown
        assert "turn 3: cell 2 2" not in shown
        assert "2 of 6" in shown
        found = json.loads(quaestor("runs failures latest --json --limit 1").out)
        assert (len(found["turns"]), sum(found["causes"].values())) == (1, 2)


def test_no_turn_is_read_that_is_not_shown(quaestor: Quaestor, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert quaestor("eval pages.json").code == 0
    shown = quaestor("runs show latest").out
    monkeypatch.setattr(saved_scores, "LARGE", 1)

    async def refused(*_: object) -> None:
        raise AssertionError("all turns were read")

    monkeypatch.setattr(SqliteStore, "turns", refused)
    assert quaestor("runs show latest").out == shown
    assert "turns:         6" in shown
    assert "2 of 6" in quaestor("runs failures latest").out
