"""Tables that continue the headings of the previous table."""

import pytest

from quaestor.documents.assembly import DocumentPart, ParagraphPart, TablePart, assemble
from quaestor.documents.repairs import WarningKind

AMOUNTS = [["", "2024", "2023"], ["Products", "109,633", "108,803"], ["Services", "71,050", "60,345"]]
SHARES = [["Gross margin percentage:", "", ""], ["Products", "37.2%", "36.5%"], ["Services", "73.9%", "70.8%"]]


def read(*parts: DocumentPart, filing: bool = True) -> tuple[list[list[str]], list[WarningKind]]:
    """Return the headings of each table of a document, and its warnings."""
    document = assemble("10-K", parts, filing=filing)
    headings = [[column.label for column in table.columns] for table in document.tables]
    return headings, [warning.kind for warning in document.warnings]


def test_percentages_have_the_years_of_the_amounts_before() -> None:
    document = assemble("10-K", [TablePart(AMOUNTS), TablePart(SHARES)], filing=True)
    shares = document.tables[1]
    assert [column.period and column.period.year for column in shares.columns] == [None, 2024, 2023]
    assert shares.orientation == "columns"
    assert [warning.kind for warning in document.warnings] == [WarningKind.CONTINUED_TABLE]


def test_third_table_is_continued_too() -> None:
    headings, _ = read(TablePart(AMOUNTS), TablePart(SHARES), TablePart(SHARES[1:]))
    assert [row[1:] for row in headings] == [["2024", "2023"]] * 3


@pytest.mark.parametrize(
    "parts",
    [
        [TablePart(AMOUNTS), ParagraphPart(("Shares of another thing were these:",)), TablePart(SHARES)],
        [TablePart(AMOUNTS), TablePart([[*row, ""] for row in SHARES])],
        [TablePart([["", "2024"], ["Products", "5"]]), TablePart([["Services", "7"], ["Rent", "8"]])],
        [TablePart([["", "Name", "Title"], ["1", "A. Smith", "Director"]]), TablePart([["Rent", "7", "8"]])],
        [TablePart([["Rent", "7", "8"]]), TablePart([["Wages", "7", "8"]])],
    ],
    ids=["text between", "other width", "one column", "no numbers before", "no headings before"],
)
def test_unrelated_table_gets_no_headings(parts: list[DocumentPart]) -> None:
    headings, _ = read(*parts)
    assert not any(headings[-1][1:])


def test_benchmark_page_is_not_continued() -> None:
    headings, warnings = read(TablePart(AMOUNTS), TablePart(SHARES), filing=False)
    assert not any(headings[-1][1:])
    assert WarningKind.CONTINUED_TABLE not in warnings
