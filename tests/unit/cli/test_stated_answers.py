"""A file of TAT-QA in the commands that take a dataset."""

import json
from pathlib import Path

import pytest
from command_line import Quaestor, one_line
from tatqa_pages import tatqa_pages, without_answers, write_tatqa


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    return write_tatqa(tmp_path)


def test_it_is_evaluated_by_its_own_metrics(quaestor: Quaestor, pages: Path) -> None:
    evaluated = quaestor("eval tatqa.json --json --output turns.jsonl")
    assert evaluated.code == 0, evaluated.err
    score = json.loads(evaluated.out)["score"]
    assert {"exact_match", "f1", "scale"} <= score.keys()
    assert "execution" not in score
    assert score["exact_match"]["total"] == score["f1"]["total"] == 10
    lines = [json.loads(line) for line in (pages.parent / "turns.jsonl").read_text().splitlines()]
    assert len(lines) == 10
    assert lines[0]["gold_stated"] == ["200"]
    assert {"stated", "stated_scale", "gold_scale", "gold_kind", "source", "f1"} <= lines[0].keys()
    assert {line["kind"] for line in lines} <= {"number", "count", "yes_no", "label", "text", "list", "none"}
    assert all(line["answerable"] is None or 0 <= line["answerable"] <= 1 for line in lines)
    assert sum(line["correct"] for line in lines) == score["exact_match"]["correct"]


def test_a_run_is_scored_afterwards_and_told_in_words(quaestor: Quaestor, pages: Path) -> None:
    assert quaestor("run tatqa.json").code == 0
    scored = quaestor("score latest tatqa.json")
    assert scored.code == 0, scored.err
    assert all(words in scored.out for words in ("exact match", "F1", "by kind of answer", "multi-span", "table-text"))
    assert "program" not in scored.out.partition("wrong turns by cause")[0]
    assert quaestor("runs failures latest").code == 0
    assert "exact match" in quaestor("runs show latest").out


def test_a_page_is_a_conversation(quaestor: Quaestor, pages: Path) -> None:
    evaluated = quaestor("eval tatqa.json --conversation 2a7e-fleet --json")
    assert json.loads(evaluated.out)["score"]["exact_match"]["total"] == 4
    assert quaestor("run tatqa.json --sample 1 --seed 3").code == 0


def test_it_is_checked_before_anything_is_run(quaestor: Quaestor, pages: Path) -> None:
    checked = quaestor("check tatqa.json")
    assert checked.code == 0, checked.err
    assert "2 conversations, 10 questions, 2 pages" in checked.out
    assert "3 of 3" in checked.out


def test_a_file_without_answers_is_run_and_not_scored(quaestor: Quaestor, tmp_path: Path) -> None:
    write_tatqa(tmp_path, [without_answers(record) for record in tatqa_pages()])
    assert quaestor("run tatqa.json").code == 0
    scored = quaestor("score latest tatqa.json")
    assert scored.code == 2
    one_line(scored)
    assert quaestor("check tatqa.json").code == 0
