"""Results of `benchmarks.pdf_statements` for a correct and an incorrect statement."""

import pytest
from benchmarks.pdf_statements import Line, compare_statement

from quaestor.documents.assembly import TablePart, assemble
from quaestor.documents.table import Table

LINES = [
    Line("Balance sheet", ()),
    Line("", ("2023", "2022")),
    Line("Cash", ("510", "480")),
    Line("Receivables, net of", ("5", "905", "(870)")),
    Line("Total", ("1,415", "\u2014")),
    Line("Page", ("12",)),
]


def table(*rows: list[str]) -> Table:
    return assemble("report", [TablePart([["", "2023", "2022"], *rows])]).tables[0]


RIGHT = [["Cash", "510", "480"], ["Receivables, net of 5", "$ 905", "(870)"], ["Total", "1,415", "\u2014"]]


def test_correct_statement_has_no_differences() -> None:
    found = compare_statement(table(*RIGHT), LINES)
    assert (found.rows, found.numbers, found.differing) == (3, 6, [])


@pytest.mark.parametrize(
    ("row", "read"),
    [(1, ["Receivables, net of 5", "905", "870"]), (1, ["Claims", "905", "(870)"]), (0, ["Cash", "510 480", ""])],
)
def test_changed_row_is_a_difference(row: int, read: list[str]) -> None:
    rows = [read if place == row else own for place, own in enumerate(RIGHT)]
    assert compare_statement(table(*rows), LINES).differing


def test_line_without_a_row_is_a_difference() -> None:
    assert compare_statement(table(RIGHT[0], RIGHT[2]), LINES).differing == ["line: Receivables, net of 5 | 905 | -870"]
