"""A made-up quarterly report: three months beside six, changes beside amounts, a balance sheet and some counts."""

from functools import lru_cache

from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.document import Document

OPERATIONS = [
    [
        "(in millions)",
        "Three Months Ended June 30, 2025",
        "Three Months Ended June 30, 2024",
        "Six Months Ended June 30, 2025",
        "Six Months Ended June 30, 2024",
    ],
    ["Revenues", "$ 300", "$ 280", "$ 570", "$ 540"],
    ["Operating income", "60", "50", "110", "95"],
    ["Net income", "$ 45", "$ 38", "$ 82", "$ 71"],
    ["Diluted earnings per share", "$ 0.45", "$ 0.38", "$ 0.82", "$ 0.71"],
]
REGIONS = [
    ["(in millions)", "Q2'25 vs. Q2'24", "Three Months Ended June 30, 2025", "Three Months Ended June 30, 2024"],
    ["Harbors", "$ 2", "$ 190", "$ 188"],
    ["Rivers", "18", "110", "92"],
]
BALANCE = [
    ["(in millions)", "June 30, 2025", "December 31, 2024"],
    ["Cash and cash equivalents", "$ 81", "$ 77"],
    ["Inventories", "55", "61"],
    ["Total assets", "$ 900", "$ 870"],
    ["Total liabilities", "400", "390"],
]
CASH_FLOWS = [
    ["(in millions)", "Six Months Ended June 30, 2025", "Six Months Ended June 30, 2024"],
    ["Net income", "$ 82", "$ 71"],
    ["Inventories", "6", "( 4 )"],
    ["Dividends declared and not paid", "12", "10"],
]
FILLER = "The company makes instruments that measure the wind and the depth of the sea for ports and for ships."


@lru_cache(maxsize=1)
def a_quarterly_filing() -> Document:
    """Return a report of a few thousand words."""
    some = ParagraphPart(tuple([FILLER] * 60))
    parts: list[DocumentPart] = [
        HeadingPart("Tidemark Corporation", page=1),
        HeadingPart("Item 1. Financial Statements", page=2),
        HeadingPart("Condensed Consolidated Statements of Operations", level=2, page=2),
        TablePart(OPERATIONS, page=2, title="CONSOLIDATED STATEMENTS OF OPERATIONS"),
        HeadingPart("Condensed Consolidated Balance Sheets", level=2, page=3),
        TablePart(BALANCE, page=3, title="CONSOLIDATED BALANCE SHEETS"),
        HeadingPart("Condensed Consolidated Statements of Cash Flows", level=2, page=4),
        TablePart(CASH_FLOWS, page=4, title="CONSOLIDATED STATEMENTS OF CASH FLOWS"),
        some,
        HeadingPart("Item 2. Management's Discussion and Analysis", page=10),
        TablePart(REGIONS, page=10),
        ParagraphPart(
            ("We employed about 1,250 people in 14 harbors; 4,000 shares were sold by an employee.",), page=11
        ),
        some,
    ]
    return assemble("TIDE/2025/10-Q", parts)
