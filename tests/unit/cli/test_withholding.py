"""`--abstain-below`, with the embedded solver itself: what is withheld is shown, kept, and counted as wrong."""

import json
from pathlib import Path

import pytest
from command_line import Quaestor, one_line
from made_up import a_record, write_dataset

QUESTIONS = ("what was the net revenue in 2008?", "and in 2007?", "what was, then, the change?")
PAGE = "pages.json#NORD/2012/page_41.pdf"


@pytest.fixture
def scripted_solver() -> None:
    """None: the solver is the shipped one."""


@pytest.fixture
def asked(tmp_path: Path) -> None:
    write_dataset(tmp_path / "pages.json", a_record(questions=QUESTIONS))


def test_a_withheld_reading_is_shown(quaestor: Quaestor, asked: None) -> None:
    sure = quaestor(f"ask {PAGE}", QUESTIONS[0])
    assert "206,588" in sure.out
    assert 'row "net revenue"; year 2008' in sure.out
    withheld = quaestor(f"ask {PAGE} --abstain-below 1", QUESTIONS[0])
    assert withheld.code == 0
    assert "206,588" in " ".join(withheld.out.split())


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


def test_another_threshold_is_another_run(quaestor: Quaestor, asked: None) -> None:
    run = quaestor("run pages.json --abstain-below 0.5").out.strip()
    outcome = quaestor(f"run pages.json --abstain-below 0.6 --resume {run}")
    assert outcome.code == 2
    assert "abstain_below" in one_line(outcome)


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
