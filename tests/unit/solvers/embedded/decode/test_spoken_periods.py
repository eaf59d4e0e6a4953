"""Whether a cell is of the kind of period that a question names."""

from pathlib import Path

import pytest
from quarterly_filing import a_quarterly_filing

import quaestor
from quaestor.core.provenance import CellRef
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.number_fit import read_asked_kind
from quaestor.solvers.embedded.period_fit import (
    A_CHANGE,
    NO_DAY,
    NOT_AS_REPORTED,
    OTHER_LENGTH,
    OTHER_QUARTER,
    read_asked_period,
)

OPERATIONS, BALANCE, CASH, REGIONS = range(4)
FILING = a_quarterly_filing()


@pytest.mark.parametrize(
    ("question", "table", "column", "away"),
    [
        ("what were revenues in q2 2025?", OPERATIONS, 1, 0.0),
        ("what were revenues in q2 2025?", OPERATIONS, 3, OTHER_LENGTH),
        ("what were revenues in q1 2025?", OPERATIONS, 1, OTHER_QUARTER),
        ("what were revenues in the six months of 2025?", OPERATIONS, 1, OTHER_LENGTH),
        ("what were revenues in 2025?", OPERATIONS, 3, 0.0),
        ("what were inventories at the end of 2024?", CASH, 2, NO_DAY),
        ("what were inventories at december 31, 2024?", BALANCE, 2, 0.0),
        ("what were sales of rivers in 2025?", REGIONS, 1, A_CHANGE),
        ("by how much did sales of rivers increase in 2025?", REGIONS, 1, 0.0),
    ],
)
def test_cell_of_another_period_has_a_penalty(question: str, table: int, column: int, away: float) -> None:
    place = FILING.tables[table]
    source = CellRef(FILING.id, table, place.header_rows, column)
    assert read_asked_period(read_question(question)).penalty(place, source) == away


@pytest.mark.parametrize(
    ("question", "counted", "per_share"),
    [
        ("how many full-time employees did it have?", "employe", False),
        ("how many people work there?", "employe", False),
        ("how many shares were repurchased?", "share", False),
        ("how many million dollars were spent?", "", False),
        ("how many times was it repaid?", "", False),
        ("what were dividends per common share?", "", True),
        ("what was net income?", "", False),
    ],
)
def test_the_kind_of_number_that_is_asked_for(question: str, counted: str, per_share: bool) -> None:
    kind = read_asked_kind(read_question(question))
    assert (kind.counted, kind.per_share) == (counted, per_share)


def test_amount_in_constant_currency_is_not_as_reported(tmp_path: Path) -> None:
    report = (
        "# Birch\n\n| | 2024 as reported | 2024 constant currency |\n|---|---|---|\n| Sales of rivers | 10 | 12 |\n"
    )
    (tmp_path / "birch.md").write_text(report, encoding="utf-8")
    (table,) = quaestor.open(tmp_path / "birch.md").document.tables
    source = CellRef("birch.md", 0, table.header_rows, 2)
    questions = ("what were sales of rivers in 2024?", "what were sales of rivers in constant currency in 2024?")
    assert [read_asked_period(read_question(text)).penalty(table, source) for text in questions] == [
        NOT_AS_REPORTED,
        0.0,
    ]
