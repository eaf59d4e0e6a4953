"""`quaestor ask FILE... QUESTION...` with the real embedded solver, and `--abstain-below`."""

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
    """Use the real embedded solver instead of the scripted one."""


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


def test_several_files_are_asked_together(quaestor: Quaestor, report: Path, earlier: Path) -> None:
    first, second = ask(quaestor, earlier, report, "what were net sales in 2021?", "and in 2022?")
    assert (first["value"], second["value"]) == ("660", "705")
    assert [answer["sources"][0]["file"] for answer in (first, second)] == ["report-2022.md", "report-2023.md"]
    assert "restated" in str(second["reason"])
    assert "720 in report-2022.md" in str(second["reason"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["REPORT", "report-2024.md", "net sales?"], "'report-2024.md'"),
        (["REPORT", "net sales?", "REPORT"], "quaestor: "),
        (["REPORT", "REPORT", "net sales?"], "quaestor: "),
        (["nowhere.md", "net sales?"], "quaestor: "),
    ],
)
def test_argument_that_is_neither_file_nor_question_gives_a_one_line_error(
    quaestor: Quaestor, report: Path, words: list[str], message: str
) -> None:
    assert message in refused(
        quaestor("ask --solver embedded", *(str(report) if word == "REPORT" else word for word in words))
    )


QUESTIONS = ("what was the net revenue in 2008?", "and in 2007?", "what was, then, the change?")
PAGE = "pages.json#NORD/2012/page_41.pdf"


@pytest.fixture
def pages_file(tmp_path: Path) -> None:
    write_dataset(tmp_path / "pages.json", a_record(questions=QUESTIONS))


def test_withheld_answer_prints_no_arithmetic(quaestor: Quaestor, pages_file: None) -> None:
    """The arithmetic would reveal the withheld answer."""
    given = quaestor(f"ask {PAGE}", *QUESTIONS)
    assert "   = 206588 - 181001" in given.out
    withheld = quaestor(f"ask {PAGE} --abstain-below 1", *QUESTIONS)
    assert withheld.out.count("no answer") == 3
    assert " = " not in withheld.out
    objects = json.loads(quaestor(f"ask {PAGE} --abstain-below 1 --json", *QUESTIONS).out)
    assert [(found["value"], found["formula"]) for found in objects] == [(None, None)] * 3
