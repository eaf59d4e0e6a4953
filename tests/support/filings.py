"""A made-up report with equal rows, equal section names and adjacent tables."""

from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.document import Document

DEBT_MATURITIES = TablePart(
    [["( in millions )", "2008", "2007"], ["notes payable", "70", "60"], ["total", "100", "90"]]
)
CASH_FLOWS = TablePart(
    [["", "2008", "2007"], ["net cash from operating activities", "50", "40"], ["total", "7", "6"]],
    caption="( in thousands )",
    page=4,
)
MORE_CASH_FLOWS = TablePart([["", "2008", "2007"], ["dividends paid", "3", "2"], ["other", "1", "1"]], page=5)

PARTS: tuple[DocumentPart, ...] = (
    ParagraphPart(("nord had 12 plants .",)),
    HeadingPart("Borrowings", page=2),
    HeadingPart("Maturities", level=2, page=2),
    ParagraphPart(("long-term debt of the company is shown below .", "debt matures as follows :")),
    DEBT_MATURITIES,
    ParagraphPart(("interest on debt was 5 million in 2008 .",), page=3),
    HeadingPart("Liquidity", page=4),
    HeadingPart("Maturities", level=2, page=4),
    ParagraphPart(("cash flows from operating activities rose by 10 .",), page=4),
    CASH_FLOWS,
    MORE_CASH_FLOWS,
    ParagraphPart(("the cash flows include 2 of taxes paid .",), page=5),
)


def a_filing() -> Document:
    """Return a report of three tables; two sections are called "Maturities", and two tables have a row "total"."""
    return assemble("NORD/2008/10-K", PARTS)
