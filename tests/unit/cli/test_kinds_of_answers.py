"""Answers other than a single number, and TAT-QA files, in every command."""

import json
from pathlib import Path

import pytest
from command_line import Quaestor, refused
from made_up import a_record, write_dataset
from tatqa_pages import tatqa_pages, without_answers, write_tatqa

ASKED = {
    # question: kind of the answer, its text, its JSON value
    "row argmax 1": ("label", "2008", "2008"),
    "row above 1 200000": ("list", "2008: 206,588 million", [{"label": "2008", "number": 206588}]),
    "list count": ("count", "1", 1),
    "row above 1 300000": ("list", "none", []),
    "row labels 3": ("list", "2008; 2007", ["2008", "2007"]),
    "rows subtract 1 2": (
        "list",
        "2008: $ 207,023 million; 2007: $ 180,599 million",
        [{"label": "2008", "number": 207023}, {"label": "2007", "number": 180599}],
    ),
    "list largest 1": ("list", "2008: $ 207,023 million", [{"label": "2008", "number": 207023}]),
    "list rank 1": ("label", "2008", "2008"),
    "words 2": ("text", "operating costs", "operating costs"),
    "row average 3": ("number", "13.1 %", 13.1),
    "row greater 1 5": ("none", "no answer", None),
    "nothing": ("none", "no answer", None),
}
GOLD = len(ASKED)


@pytest.fixture
def kinds(tmp_path: Path) -> Path:
    """A dataset of one conversation whose references are all numbers."""
    record = a_record(
        questions=tuple(ASKED), programs=("2008",) * GOLD, answers=(2008.0,) * GOLD, displays=("2008",) * GOLD
    )
    return write_dataset(tmp_path / "kinds.json", record)


def test_run_stores_all_kinds_of_answers_and_scores_them_wrong_against_numbers(quaestor: Quaestor, kinds: Path) -> None:
    evaluated = quaestor("eval kinds.json --json --output turns.jsonl")
    assert evaluated.code == 0, evaluated.err
    score = json.loads(evaluated.out)["score"]["execution"]
    assert (score["correct"], score["total"]) == (0, GOLD)
    lines = [json.loads(line) for line in (kinds.parent / "turns.jsonl").read_text().splitlines()]
    for line, (kind, _, plain) in zip(lines, ASKED.values(), strict=True):
        assert (line["kind"], line["answer"], line["correct"]) == (kind, plain, False)
        assert bool(line["sources"]) == (plain is not None)
        assert line["cause"]
        assert (line["program"] is None) == (kind != "number") or plain is None


def test_ask_prints_all_kinds_of_answers(quaestor: Quaestor, kinds: Path) -> None:
    questions = [f"{question}?" if question == "nothing" else question for question in ASKED]
    result = quaestor("ask kinds.json#NORD/2012/page_41.pdf", *questions)
    assert result.code == 0, result.err
    as_json = quaestor("ask kinds.json#NORD/2012/page_41.pdf --json", *ASKED)
    for line, (kind, shown, plain) in zip(json.loads(as_json.out), ASKED.values(), strict=True):
        assert (line["kind"], line["display"], line["answer"]) == (kind, shown, plain)
        assert shown in result.out


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    return write_tatqa(tmp_path)


def test_dataset_is_scored_by_its_own_metrics(quaestor: Quaestor, pages: Path) -> None:
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


def test_a_file_without_answers_is_run_and_not_scored(quaestor: Quaestor, tmp_path: Path) -> None:
    write_tatqa(tmp_path, [without_answers(record) for record in tatqa_pages()])
    assert quaestor("run tatqa.json").code == 0
    refused(quaestor("score latest tatqa.json"))
    assert quaestor("check tatqa.json").code == 0
