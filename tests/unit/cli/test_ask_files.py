"""`quaestor ask FILE... QUESTION...` with the embedded solver itself, and `--abstain-below`."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Quaestor, refused
from made_up import a_record, write_dataset

STATEMENTS = """# Results

All amounts are in millions.

## Consolidated Statements of Operations

| (in millions) | {0} | {1} |
|---|---|---|
| net sales | {2} | {3} |
| cost of sales | 480 | 450 |

## Notes

The company had 3,200 employees at the end of {0}.
"""


@pytest.fixture
def scripted_solver() -> None:
    """The solver here is the real one."""


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "report-2023.md"
    path.write_text(STATEMENTS.format(2023, 2022, 800, 705), encoding="utf-8")
    return path


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    path = tmp_path / "report-2022.md"
    path.write_text(STATEMENTS.format(2022, 2021, 720, 660), encoding="utf-8")
    return path


def ask(quaestor: Quaestor, *words: object) -> list[dict[str, Any]]:
    outcome = quaestor("ask --solver embedded --json", *map(str, words))
    assert outcome.code == 0, outcome.err
    found: list[dict[str, Any]] = json.loads(outcome.out)
    return found


def test_json_says_where_in_the_file_each_number_stands(quaestor: Quaestor, report: Path) -> None:
    (answer,) = ask(quaestor, report, "what were net sales in 2023?")
    assert {
        "question",
        "value",
        "scale",
        "unit",
        "answer",
        "formula",
        "sources",
        "confidence",
        "error",
    } <= answer.keys()
    assert (answer["value"], answer["scale"], answer["error"]) == ("800", "million", None)
    (source,) = answer["sources"]
    assert source["section_path"] == ["Results", "Consolidated Statements of Operations"]
    assert (source["row_label"], source["column_label"], source["text"]) == ("net sales", "2023", "800")
    assert source["file"].endswith("report-2023.md")
    assert {"page", "table_title", "anchor", "row", "column", "table"} <= source.keys()


def test_several_files_are_asked_together(quaestor: Quaestor, report: Path, earlier: Path) -> None:
    first, second = ask(quaestor, earlier, report, "what were net sales in 2021?", "and in 2022?")
    assert (first["value"], second["value"]) == ("660", "705")
    assert [answer["sources"][0]["file"] for answer in (first, second)] == ["report-2022.md", "report-2023.md"]
    assert "restated" in str(second["reason"])
    assert "720 in report-2022.md" in str(second["reason"])


def test_what_was_read_is_kept_beside_the_store(quaestor: Quaestor, report: Path) -> None:
    kept = Path(".quaestor") / "files"
    # No other test has asked about it: its index is held by nobody.
    report.write_text(report.read_text() + "\nNothing follows.\n")
    first = ask(quaestor, report, "what was the cost of sales in 2022?")
    assert {path.name.split("-")[0] for path in kept.iterdir()} == {"document", "index", "ontology"}
    before = {path: path.read_bytes() for path in kept.iterdir()}
    again = ask(quaestor, report, "what was the cost of sales in 2022?")
    assert {path: path.read_bytes() for path in kept.iterdir()} == before
    assert [{**answer, "run": None} for answer in first] == [{**answer, "run": None} for answer in again]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["REPORT", "report-2024.md", "net sales?"], "'report-2024.md'"),
        (["REPORT", "net sales?", "REPORT"], "quaestor: "),
        (["REPORT", "REPORT", "net sales?"], "quaestor: "),
        (["nowhere.md", "net sales?"], "quaestor: "),
    ],
)
def test_what_is_neither_file_nor_question_is_one_clear_line(
    quaestor: Quaestor, report: Path, words: list[str], message: str
) -> None:
    assert message in refused(
        quaestor("ask --solver embedded", *(str(report) if word == "REPORT" else word for word in words))
    )


def test_an_excerpt_too_small_to_hold_anything_is_refused(quaestor: Quaestor, report: Path) -> None:
    assert quaestor("ask --excerpt-tokens 5", str(report), "net sales?").code == 2


QUESTIONS = ("what was the net revenue in 2008?", "and in 2007?", "what was, then, the change?")
PAGE = "pages.json#NORD/2012/page_41.pdf"


@pytest.fixture
def asked(tmp_path: Path) -> None:
    write_dataset(tmp_path / "pages.json", a_record(questions=QUESTIONS))


def test_what_is_withheld_prints_no_arithmetic(quaestor: Quaestor, asked: None) -> None:
    """A sum beside `no answer` would be an answer."""
    given = quaestor(f"ask {PAGE}", *QUESTIONS)
    assert "   = 206588 - 181001" in given.out
    withheld = quaestor(f"ask {PAGE} --abstain-below 1", *QUESTIONS)
    assert withheld.out.count("no answer") == 3
    assert " = " not in withheld.out
    objects = json.loads(quaestor(f"ask {PAGE} --abstain-below 1 --json", *QUESTIONS).out)
    assert [(found["value"], found["formula"]) for found in objects] == [(None, None)] * 3


def test_what_is_withheld_counts_as_wrong_and_is_kept(quaestor: Quaestor, asked: None) -> None:
    outcome = quaestor("eval pages.json --abstain-below 1 --json")
    score = json.loads(outcome.out)["score"]
    assert (score["execution"]["correct"], score["execution"]["total"], score["unanswered"]) == (0, 3, 3)
    assert score["certainty"] is None
    turn = json.loads(quaestor("runs turn latest Single_NORD/2012/page_41.pdf-1 1 --json").out)
    assert (turn["number"], turn["error"]) == (None, None)
    assert turn["answer"]["reason"].startswith("withheld: ")
    assert "surest half" not in quaestor("score latest pages.json").out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--solver workflow --abstain-below 0.5", "quaestor: "),
        ("--abstain-below 1.5", "abstain-below"),
    ],
)
def test_what_cannot_be_withheld_is_refused(quaestor: Quaestor, asked: None, options: str, words: str) -> None:
    outcome = quaestor(f"eval pages.json {options}")
    assert outcome.code == 2
    assert words in outcome.err
