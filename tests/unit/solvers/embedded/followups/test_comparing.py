"""Comparison of the last answer with an earlier one."""

from pathlib import Path

import pytest

import quaestor
from quaestor.conversation.turn import Memory
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.direct_answers import plan_comparison

REPORT = """# Alder, annual report

| (in millions) | 2024 | 2023 | 2022 |
|---|---|---|---|
| Operating income | 125 | 100 | 90 |
| Rent | 40 | 50 | 60 |
"""
AVERAGE = "what was the average operating income from 2022 to 2024?"


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "alder.md"
    path.write_text(REPORT, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("was it greater than the average?", "yes"),
        ("and was that below the average operating income?", "no"),
        ("is it lower than that average?", "no"),
    ],
)
def test_the_last_answer_is_compared_with_the_named_one(question: str, shown: str, report: Path) -> None:
    conversation = quaestor.open(report).conversation()
    answers = [conversation.ask(text) for text in (AVERAGE, "what was operating income in 2024?", question)]
    assert answers[-1].display == shown


@pytest.mark.parametrize("question", ["was it greater than the total?", "was it greater than the average in 2022?"])
def test_comparison_with_a_new_subject_is_a_new_question(question: str, report: Path) -> None:
    conversation = quaestor.open(report).conversation()
    turns = tuple(conversation.ask(text).turn for text in (AVERAGE, "what was operating income in 2024?"))
    assert plan_comparison(read_question(question), Memory(turns)) is None
