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
HALF_YEAR = """# Half-year report

| (in millions) | Six months ended June 30, 2024 | Six months ended June 30, 2023 | Year ended December 31, 2023 |
|---|---|---|---|
| Revenue | 61.4 | 55.8 | 118.9 |
| Rent | 15.5 | 12.3 | 28.4 |
"""
QUARTERS = """# Quarterly report

| (in thousands) | Three months ended July 4, 2024 | Three months ended July 6, 2023 | Six months ended July 4, 2024 |
|---|---|---|---|
| Revenue | 8,110 | 7,450 | 15,900 |
| Rent | 310 | 220 | 505 |
"""


SALES = """Month,Region,Units,Revenue (EUR)
2025-01,North,412,18540
2025-01,South,388,17460
2025-02,North,430,19350
2025-02,South,365,16425
2025-04,North,470,21150
2025-04,South,452,20340
"""


@pytest.mark.parametrize(
    ("questions", "expected"),
    [
        (("what was the revenue in the North in February 2025?", "and in the South?", "and in April?"),
         (19_350, 16_425, 20_340)),
        (("what was the change in revenue of the North from January 2025 to February 2025?",), (810,)),
    ],
)  # fmt: skip
def test_months_of_one_quarter_are_different_times(
    questions: tuple[str, ...], expected: tuple[int, ...], tmp_path: Path
) -> None:
    file = tmp_path / "sales.csv"
    file.write_text(SALES, encoding="utf-8")
    assert [number_of(answered.answer.value) for answered in quaestor.open(file).ask(questions)] == list(expected)


METERS = "Date;Meter;kWh\n31.01.2025;House;412\n28.02.2025;House;388\n30.04.2025;House;290\n31.01.2025;Garage;51\n"


def test_month_of_a_follow_up_is_of_the_latest_year(tmp_path: Path) -> None:
    file = tmp_path / "meters.csv"
    file.write_text(METERS, encoding="utf-8")
    asked = quaestor.open(file).ask(["how many kWh did the house use in February 2025?", "and in April?"])
    assert [one.answer.number for one in asked] == [388, 290]


NINE_MONTHS = """# Interim report

| (in millions) | Three months ended September 30, 2024 | Nine months ended September 30, 2024 |
|---|---|---|
| Revenue | 61.4 | 118.9 |
| Diluted earnings per share | 0.40 | 0.95 |
| Adjusted diluted earnings per share | 0.52 | 1.20 |
"""


def test_adjusted_figures_are_given_only_if_they_are_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "document.md"
    file.write_text(NINE_MONTHS, encoding="utf-8")
    asked = [f"what was {name} in the third quarter of 2024?" for name in ("diluted EPS", "adjusted diluted EPS")]
    assert [one.answer.number for one in quaestor.open(file).ask(asked)] == [Decimal("0.40"), Decimal("0.52")]


@pytest.mark.parametrize(
    ("text", "questions", "expected"),
    [
        # Two years in a row do not mean a quarter.
        (RESULTS, ("what was net income for fiscal 2024?", "and for 2023?", "the change?"), (88.4, 66.5, 21.9)),
        (RESULTS, ("what was revenue in Q4 2024?", "and in 2023?", "how much did it grow?"), (212.4, 189.6, 22.8)),
        # An improvement is from the earlier year to the later.
        (FLIGHTS, ("what was the load factor in 2023?", "and in 2024?", "how much did it improve?"), (83.5, 84.1, 0.6)),
        (FLIGHTS, ("how many passengers were there in 2024?", "in 2022?"), (22_870, 18_420)),
        # The total says what the lines are amounts of.
        (LOANS, ("what were consumer loans in 2024?", "and in 2023?", "how much did they fall?"), (215, 240, 25)),
        # A year means the whole year if an interim report prints it, else the period of the report.
        (HALF_YEAR, ("what was revenue in 2023?", "and in 2024?"), (118.9, 61.4)),
        (QUARTERS, ("what was revenue in the three months ended July 4, 2024?", "and in the same quarter of the prior "
                    "year?"), (8110, 7450)),
        (QUARTERS, ("what was year-to-date rent in 2024?",), (505,)),
    ],
)  # fmt: skip
def test_follow_up_questions_are_answered(
    text: str, questions: tuple[str, ...], expected: tuple[float, ...], tmp_path: Path
) -> None:
    file = tmp_path / "document.md"
    file.write_text(text, encoding="utf-8")
    answers = quaestor.open(file).ask(questions)
    assert [number_of(answered.answer.value) for answered in answers] == [Decimal(str(number)) for number in expected]
