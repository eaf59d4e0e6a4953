"""A made-up annual report whose discussion gives causes of changes of the company and of its segments."""

from functools import lru_cache

from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.document import Document

SEGMENTS = [
    ["(in millions)", "2024", "2023"],
    ["Harbors net sales", "$ 420", "$ 380"],
    ["Rivers net sales", "180", "200"],
    ["Total net sales", "$ 600", "$ 580"],
]
OPERATIONS = [
    ["(in millions)", "2024", "2023"],
    ["Net sales", "$ 600", "$ 580"],
    ["Cost of sales", "350", "345"],
    ["Gross margin", "250", "235"],
    ["Research and development", "64", "50"],
    ["Selling, general and administrative", "70", "75"],
    ["Operating income", "116", "110"],
    ["Net income", "$ 90", "$ 85"],
]
FILLER = "The company makes instruments that measure the wind and the depth of the sea for ports and for ships."


def _parts() -> list[DocumentPart]:
    some = ParagraphPart(tuple([FILLER] * 60))
    years = "2024 compared to 2023"
    return [
        HeadingPart("Item 1A. Risk Factors", page=2),
        ParagraphPart(("Net sales could decrease in 2024 due to weak demand from ports.",), page=2),
        some,
        HeadingPart("Item 7. Management's Discussion and Analysis", page=10),
        HeadingPart("Net Sales", level=2, page=10),
        TablePart(SEGMENTS, page=10),
        ParagraphPart(
            (
                f"Harbors net sales increased during {years} due primarily to orders of new terminals.",
                f"Rivers net sales decreased during {years} due primarily to low water.",
            ),
            page=10,
        ),
        HeadingPart("Gross Margin", level=2, page=11),
        ParagraphPart(
            (
                f"Gross margin increased 6% in {years}. The increase was mainly driven by lower prices of copper.",
                "Gross margin decreased in 2023 because of higher freight.",
            ),
            page=11,
        ),
        HeadingPart("Operating Expenses", level=2, page=12),
        ParagraphPart((f"The growth in R&D expense in {years} was driven primarily by new hires.",), page=12),
        ParagraphPart(("The decrease in SG&A expense in 2024 was due to the following:",), page=12),
        ParagraphPart(("\u2022Fewer trade fairs;",), page=12),
        ParagraphPart(("\u2022Lower rents of offices.",), page=12),
        HeadingPart("Item 8. Financial Statements", page=20),
        HeadingPart("Consolidated Statements of Operations", level=2, page=20),
        TablePart(OPERATIONS, page=20, title="CONSOLIDATED STATEMENTS OF OPERATIONS"),
        some,
    ]


@lru_cache(maxsize=1)
def a_discussed_filing() -> Document:
    """Return a report of a few thousand words."""
    return assemble("GAUG/2024/10-K", _parts())
