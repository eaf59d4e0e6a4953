"""A public workbook, if available: every sheet, the statements, their scales and periods."""

from decimal import Decimal
from pathlib import Path

import pytest

from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.documents.table import Table
from quaestor.readers.content import read_content
from quaestor.readers.workbook.reader import WorkbookReader

PATH = Path(__file__).parents[5] / "shared" / "data" / "filings" / "aapl-10-q-financial-report.xlsx"
pytestmark = pytest.mark.skipif(not PATH.exists(), reason="the public filings are not here")


@pytest.fixture(scope="module")
def document() -> Document:
    return WorkbookReader().read(read_content(PATH))


def statement(document: Document, words: str) -> Table:
    return next(table for table in document.tables if words in table.title and "Parenthetical" not in table.title)


@pytest.mark.slow
def test_every_sheet_is_a_section(document: Document) -> None:
    assert len(document.sections) == 42
    assert {section.level for section in document.sections} == {1}


@pytest.mark.parametrize(
    ("words", "label", "values", "kinds"),
    [
        ("OF OPERATIONS", "Net sales", "95359 90753 219659 210328", "quarter quarter span span"),
        ("OF OPERATIONS", "Other income/(expense), net", "-279 158 -527 108", "quarter quarter span span"),
        ("BALANCE SHEETS", "Cash and cash equivalents", "28162 29943", "date date"),
        ("BALANCE SHEETS", "Total current assets", "118674 152987", "date date"),
        ("OF CASH FLOWS", "Net income", "61110 57552", "span span"),
    ],
)
def test_rows_of_the_statements(document: Document, words: str, label: str, values: str, kinds: str) -> None:
    table = statement(document, words)
    row = next(row for row in table.cells if row[0].text == label)
    assert [cell.quantity.value if cell.quantity else None for cell in row[1:]] == list(map(Decimal, values.split()))
    assert [column.period.kind if column.period else None for column in table.columns[1:]] == kinds.split()
    assert (table.scale, table.unit) == (Scale.MILLION, "USD")


def test_shares_count_in_thousands_and_amounts_per_share_in_ones(document: Document) -> None:
    table = statement(document, "OF OPERATIONS")
    for number, row in enumerate(table.cells):
        if "(in shares)" in row[0].text:
            assert {cell.quantity.scale for cell in row[1:] if cell.quantity} == {Scale.THOUSAND}
        if "per share" in row[0].text and row[1].quantities:
            assert table.scale_at(number, 1) is Scale.ONE


def test_percentages_are_numbers_of_their_own(document: Document) -> None:
    cells = [cell for table in document.tables for cell in table.body() if cell.text.endswith("%")]
    assert cells
    assert {cell.quantity.scale for cell in cells if cell.quantity} == {Scale.PERCENT}
