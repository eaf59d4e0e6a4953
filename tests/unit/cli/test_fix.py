"""Answers corrected in the terminal, and what other commands show of the corrections."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from command_line import Outcome, Quaestor

PAGE = "pages.json#NORD/2012/page_41.pdf"
TURN = "runs turn latest NORD/2012/page_41.pdf"
ASKED = "cell 1 1\ncell 1 2\nchange\nratio\n"


@pytest.fixture(autouse=True)
def author(quaestor: Quaestor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAESTOR_AUTHOR", "Ada")


def run_of(outcome: Outcome) -> str:
    return outcome.err.split()[1]


def read(quaestor: Quaestor, line: str) -> Any:
    outcome = quaestor(f"{line} --json")
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


def test_corrected_cell_changes_dependent_answers_immediately(chat: Quaestor) -> None:
    outcome = chat(f'{ASKED}/fix 2 cell "net revenue" 2007 = 200,000 because the scan says so\nchange\n')
    assert outcome.code == 0
    assert "2007" in outcome.out
    assert "answer 2: 181,001 million -> 200,000 million   cell 1 2" in outcome.out
    assert "answer 3: -25,587 million -> -6,588 million   change" in outcome.out
    assert "answer 4: -0.1414 -> -0.0329" in outcome.out or "answer 4: -0.1414 -> -3.3 %" in outcome.out
    assert "answer 1" not in outcome.out


def test_later_question_uses_the_corrected_document(chat: Quaestor) -> None:
    outcome = chat("cell 1 1\n/fix cell 1 = 5,400\ncell 1 1\n/fix undo\n")
    assert "2. cell 1 1\n   5,400 million" in outcome.out
    assert "net revenue | 2008 | 5,400 (" in outcome.out
    assert outcome.out.count("5,400 million -> 206,588 million") == 2


def test_choices_are_listed_with_their_results_and_selected_by_number(chat: Quaestor) -> None:
    outcome = chat(f"{ASKED}/fix 2\n/fix 2 1\n/fix 3\n/fix\n")
    assert "  /fix 2 cell 1 = NUMBER" in outcome.out
    assert "  /fix 2 1                  step 1: net revenue | 2008 | 206588  ->  206,588 million" in outcome.out
    assert "answer 2, step 1 takes net revenue, 2008 (Ada)" in outcome.out
    assert "answer 3: -25,587 million -> 0 million" in outcome.out
    assert "  /fix 4 " in outcome.out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('2 step 1 -> "operating costs" | 2007', "answer 2: 181,001 million -> 402 million"),
        ("2 step 1 -> operating costs 2007", "answer 2: 181,001 million -> 402 million"),
        ('2 step 1 -> table 1 2007 | "operating costs"', "answer 2: 181,001 million -> 402 million"),
        ("3 operation add", "answer 3: -25,587 million -> 387,589 million"),
        ("3 operation swap step 1", "answer 3: -25,587 million -> 25,587 million"),
        ("operation swap", "answer 4: -0.1414 ->"),
        ("2 cell 1 = (435)", "answer 2: 181,001 million -> -435 million"),
        ("2 cell 1 = 0", "206588"),
    ],
)
def test_every_form_of_a_correction_is_parsed(chat: Quaestor, line: str, message: str) -> None:
    outcome = chat(f"{ASKED}/fix {line}\n")
    assert (outcome.code, message in outcome.out) == (0, True), outcome.out + outcome.err


def test_invalid_fix_gives_a_one_line_error(chat: Quaestor) -> None:
    wrong = {
        "9": "quaestor: ",
        "2 99": "99",
        "2 blah": "'blah'",
        "2 cell 1 = five": "'five'",
        "2 cell 1 = 181001": "181001",
        "2 cell wages 2007 = 5": "2007",
        "2 cell net revenue = 5": "quaestor: ",
        '1 cell "e" 2007 = 5': "2007",
        "2 cell table 7 net 2007 = 5": "quaestor: ",
        "2 operation add": "quaestor: ",
        "2 reading": "quaestor: ",
        "undo": "quaestor: ",
        "3 operation substract": "'subtract'",
    }
    outcome = chat(ASKED + "".join(f"/fix {line}\n" for line in wrong))
    assert outcome.code == 2
    _, *errors = outcome.err.splitlines()
    assert len(errors) == len(wrong), outcome.err
    for (line, message), error in zip(wrong.items(), errors, strict=True):
        assert message in error, line
    assert chat("/fix\n").err


def test_undo_reverts_the_last_correction(chat: Quaestor) -> None:
    outcome = chat(f"{ASKED}/fix 3 operation add\n/undo\n/undo\n/fix log\n")
    assert ": ratio" in outcome.out
    assert ", undone\n" in outcome.out


def test_store_keeps_the_original_turn_and_the_correction(chat: Quaestor, quaestor: Quaestor) -> None:
    outcome = chat(f"{ASKED}/fix 2 cell 1 = 200,000 because misread\n/why 3\n")
    assert "6,588" in outcome.out
    turn = read(quaestor, f"{TURN} 3")
    assert (turn["number"], turn["corrected"]["value"]) == ("-25587", "-6588")
    assert turn["corrected"]["corrected"] | {"made": ""} == {
        "was": "-25,587 million", "author": "Ada", "made": "", "number": 1, "reason": "misread",
    }  # fmt: skip
    shown = quaestor(f"{TURN} 3").out
    assert "-25587 (verified)" in shown
    assert "6,588" in shown
    assert "corrected" not in read(quaestor, f"{TURN} 1")


def test_run_and_page_are_shown_with_corrections(chat: Quaestor, quaestor: Quaestor) -> None:
    chat(f"{ASKED}/fix 2 cell 1 = 200,000 because misread\n/fix 3 operation add\n/fix undo\n")
    corrections = read(quaestor, "runs show latest")["corrections"]
    assert [one["act"]["kind"] for one in corrections] == ["number", "operation", "undo"]
    page = quaestor(f"show {PAGE} --run latest").out
    assert "[200,000]" in page
    assert "200,000" in page
    assert "6,588" in page
    assert "1. cell 1 1  206,588 million\n" in page


def test_resumed_conversation_has_its_corrections(chat: Quaestor, quaestor: Quaestor) -> None:
    first = chat(f"{ASKED}/fix 2 cell 1 = 200,000\n")
    again = chat("change\n/fix undo\n", "--resume", run_of(first))
    assert "200,000" in again.out
    assert "5. change" in again.out
    assert "answer 3: -6,588 million -> -25,587 million" in again.out
    # The resumed run is unchanged; the new one has copies of the turns as they were answered first.
    assert read(quaestor, f"runs turn {run_of(first)} NORD/2012/page_41.pdf 3")["corrected"]["value"] == "-6588"
    copied = read(quaestor, f"{TURN} 3")
    assert (copied["number"], "corrected" in copied) == ("-25587", False)


def test_undoing_a_question_removes_its_corrections(chat: Quaestor, quaestor: Quaestor) -> None:
    outcome = chat(
        "cell 1 1\n/fix cell 1 = 5\ncell 1 2\n/fix step 1 -> net revenue 2008\n/undo\n/undo\nchange\n/fix log\n"
    )
    assert "answer 2: 5 million -> 181,001 million" in outcome.out
    log = outcome.out.rpartition("change\n")[2]
    assert "2008" in log
    assert read(quaestor, f"{TURN} 1")["corrected"]["value"] == "5"


def test_every_export_has_the_corrected_value_and_its_author(
    chat: Quaestor, quaestor: Quaestor, tmp_path: Path
) -> None:
    chat(f"{ASKED}/fix 2 cell 1 = 200,000 because misread\n/export chat.csv\n")
    for name in ("run.csv", "run.json", "run.md", "run.html"):
        assert quaestor(f"export latest --output {name}").code == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "run.csv").read_text())))
    assert (tmp_path / "run.csv").read_text() == (tmp_path / "chat.csv").read_text()
    assert (rows[2]["answer"], rows[2]["value"]) == ("'-6,588 million", "-6588")
    assert rows[2]["remark"].startswith("corrected by Ada on ")
    assert rows[2]["remark"].endswith(": misread (was -25,587 million)")
    assert "200,000 (corrected by Ada on " in rows[1]["sources"]
    assert "181001" in rows[1]["sources"]
    (exported,) = json.loads((tmp_path / "run.json").read_text())
    assert exported["turns"][2]["corrected"]["was"] == "-25,587 million"
    assert "corrected" not in exported["turns"][0]
    for name in ("run.md", "run.html"):
        text = (tmp_path / name).read_text()
        assert "-6,588 million" in text


def test_workbook_computes_from_the_corrected_cell_and_notes_the_original(
    chat: Quaestor, quaestor: Quaestor, tmp_path: Path
) -> None:
    chat(f"{ASKED}/fix 2 cell 1 = 200,000 because misread\n")
    assert quaestor("export latest --output run.xlsx").code == 0
    with ZipFile(tmp_path / "run.xlsx") as book:
        comments = book.read("xl/comments1.xml").decode()
        sheet = book.read("xl/worksheets/sheet4.xml").decode()
    assert 'ref="C3"' in comments
    assert "corrected by Ada on" in comments
    assert "181001" in comments
    assert re.search(r'<c r="C3"[^>]*><v>200000</v>', sheet)


def test_unsaved_answer_is_saved_on_request(chat: Quaestor, quaestor: Quaestor) -> None:
    outcome = chat(f"{ASKED}/fix 2 cell 1 = 200,000\n/save\ncell 1 1\n/save\n", "--no-keep")
    assert outcome.code == 0
    assert outcome.out.count(f"--resume {run_of(outcome)}") == 2
    assert read(quaestor, f"{TURN} 2")["corrected"]["value"] == "200000"
    assert read(quaestor, f"{TURN} 5")["number"] == "206588"
    assert chat("/save\n").err
