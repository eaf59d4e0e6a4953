"""The difference between two values that were just compared."""

from pathlib import Path

import pytest

import quaestor
from quaestor.conversation.turn import Memory
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.direct_answers import plan_difference

REPORT = """# Alder, annual report

| (in millions) | 2024 | 2023 |
|---|---|---|
| Operating income | 125 | 100 |
| Rent | 40 | 50 |
"""


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "alder.md"
    path.write_text(REPORT, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("questions", "shown"),
    [
        (["did operating income increase?", "by how much?"], "25 million"),
        (["did operating income increase?", "by how much?", "in percent?"], "25.0 %"),
        (["did operating income increase?", "and by how much did it increase, in percent?"], "25.0 %"),
        (["did rent increase?", "what was the difference?"], "10 million"),
    ],
)
def test_difference_follows_a_comparison(questions: list[str], shown: str, report: Path) -> None:
    conversation = quaestor.open(report).conversation()
    assert [conversation.ask(question) for question in questions][-1].display == shown


def test_question_without_a_comparison_has_no_difference(report: Path) -> None:
    conversation = quaestor.open(report).conversation()
    memory = Memory((conversation.ask("what was rent in 2024?").turn,))
    assert plan_difference(read_question("by how much?"), memory) is None
