"""Answers that are no single number, in every place where answers are kept, told or judged."""

import json
from pathlib import Path

import pytest
from command_line import Quaestor
from made_up import a_record, write_dataset

from quaestor.conversation.answer import Answer
from quaestor.core import serial
from quaestor.core.answer_value import value_from_json, value_from_text

ASKED = {
    # what is asked: its kind, how it is told, what other programs are told
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
    """A conversation whose references are all numbers."""
    record = a_record(
        questions=tuple(ASKED), programs=("2008",) * GOLD, answers=(2008.0,) * GOLD, displays=("2008",) * GOLD
    )
    return write_dataset(tmp_path / "kinds.json", record)


def test_a_run_keeps_them_and_a_reference_that_is_a_number_makes_them_wrong(quaestor: Quaestor, kinds: Path) -> None:
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


@pytest.mark.slow
def test_what_a_run_tells_of_them(quaestor: Quaestor, kinds: Path) -> None:
    assert quaestor("run kinds.json --workers 1").code == 0
    for index, (kind, shown, _) in enumerate(ASKED.values()):
        as_json = json.loads(quaestor(f"runs turn latest 'Single_NORD/2012/page_41.pdf-1' {index + 1} --json").out)
        answer = serial.load(Answer, as_json["answer"])
        assert (as_json["kind"], answer.kind, str(answer)) == (kind, kind, shown)
        assert serial.dump(answer) == as_json["answer"]
        if answer.value is not None:
            assert value_from_text(as_json["number"]) == answer.value == value_from_json(as_json["answer"]["value"])
            assert as_json["verified"]
            assert as_json["registers"]
    told = quaestor("runs turn latest 'Single_NORD/2012/page_41.pdf-1' 6")
    assert "2008: 207023; 2007: 180599 (verified)" in told.out, told.err
    for command in ("runs show latest", "runs failures latest", "runs list", "score latest kinds.json"):
        told = quaestor(command)
        assert told.code == 0, (command, told.err)
    assert quaestor("runs failures latest").out.count("answer:") >= GOLD - 2


def test_traces_and_exports_have_them(quaestor: Quaestor, kinds: Path, tmp_path: Path) -> None:
    assert quaestor("run kinds.json").code == 0
    exported = quaestor("runs export latest --traces traces.jsonl")
    assert exported.code == 0, exported.err
    lines = [json.loads(line) for line in (tmp_path / "traces.jsonl").read_text().splitlines()]
    assert [line["kind"] for line in lines] == [kind for kind, _, _ in ASKED.values()]


def test_ask_tells_them(quaestor: Quaestor, kinds: Path) -> None:
    asked = [f"{question}?" if question == "nothing" else question for question in ASKED]
    told = quaestor("ask kinds.json#NORD/2012/page_41.pdf", *asked)
    assert told.code == 0, told.err
    as_json = quaestor("ask kinds.json#NORD/2012/page_41.pdf --json", *ASKED)
    for line, (kind, shown, plain) in zip(json.loads(as_json.out), ASKED.values(), strict=True):
        assert (line["kind"], line["display"], line["answer"]) == (kind, shown, plain)
        assert shown in told.out


def test_what_happens_is_written_while_it_happens(quaestor: Quaestor, kinds: Path) -> None:
    assert quaestor("run kinds.json --traces traces").code == 0
    (written,) = (path for path in (kinds.parent / "traces").rglob("*") if path.is_file())
    assert '"list"' in written.read_text()
