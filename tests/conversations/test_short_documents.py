"""Typical conversations about short documents with a table."""

from decimal import Decimal
from pathlib import Path

import pytest

import quaestor
from quaestor.core.answer_value import number_of

RESULTS = """# Results of the fourth quarter of 2024

| (in millions) | Q4 2024 | Q4 2023 | FY 2024 | FY 2023 |
|---|---|---|---|---|
| Revenue | $212.4 | $189.6 | $801.3 | $742.0 |
| Cost of revenue | 127.9 | 117.2 | 486.0 | 459.8 |
| Net income | 25.7 | 17.9 | 88.4 | 66.5 |
"""
FLIGHTS = """# Operating statistics

| | 2022 | 2023 | 2024 |
|---|---|---|---|
| Passengers (thousands) | 18,420 | 21,305 | 22,870 |
| Load factor | 79.2% | 83.5% | 84.1% |
| Fuel cost per gallon | $3.42 | $2.95 | $2.71 |
"""
LOANS = """# Loan portfolio

| (dollars in millions) | December 31, 2024 | December 31, 2023 |
|---|---|---|
| Commercial real estate | 1,845 | 1,702 |
| Consumer | 215 | 240 |
| Total loans | 2,060 | 1,942 |
"""


@pytest.mark.parametrize(
    ("text", "questions", "expected"),
    [
        # Two years in a row do not mean a quarter.
        (RESULTS, ("what was net income for fiscal 2024?", "and for 2023?", "the growth?"), (88.4, 66.5, 21.9)),
        (RESULTS, ("what was revenue in Q4 2024?", "and in 2023?", "how much did it grow?"), (212.4, 189.6, 22.8)),
        # An improvement is from the earlier year to the later.
        (FLIGHTS, ("what was the load factor in 2023?", "and in 2024?", "how much did it improve?"), (83.5, 84.1, 0.6)),
        # A document may have the answer although it does not contain the question's verb.
        (FLIGHTS, ("how many passengers did they carry in 2024?", "in 2022?"), (22_870, 18_420)),
        # The total says what the lines are amounts of.
        (LOANS, ("what were consumer loans in 2024?", "and in 2023?", "how much did they fall?"), (215, 240, -25)),
    ],
)  # fmt: skip
def test_follow_up_questions_are_answered(
    text: str, questions: tuple[str, ...], expected: tuple[float, ...], tmp_path: Path
) -> None:
    file = tmp_path / "document.md"
    file.write_text(text, encoding="utf-8")
    answers = quaestor.open(file).ask(questions)
    assert [number_of(answered.answer.value) for answered in answers] == [Decimal(str(number)) for number in expected]
