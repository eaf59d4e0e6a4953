"""A made-up annual report: statements, notes, a discussion that repeats them, contents, and repeated labels."""

from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.document import Document

PARTS: tuple[DocumentPart, ...] = (
    HeadingPart("Table of contents", page=1),
    TablePart([["", "Page"], ["Item 1. Business", "2"], ["Item 8. Net sales and statements", "6"]], page=1),
    HeadingPart("Item 7. Management's discussion and analysis", page=3),
    ParagraphPart(("Our mills ran well.", "We employ 1,250 people in 14 mills."), page=3),
    HeadingPart("Net sales", level=2, page=3),
    ParagraphPart(("The following table shows net sales by region (dollars in millions):",), page=3),
    TablePart(
        [
            ["", "2024", "Change", "2023"],
            ["North", "310", "3%", "300"],
            ["Overseas", "90", "(10)%", "100"],
            ["Total net sales", "$ 400", "-%", "$ 400"],
        ],
        page=3,
    ),
    HeadingPart("Item 8. Financial statements", page=5),
    HeadingPart("Consolidated statements of operations", level=2, page=5),
    TablePart(
        [
            ["(in millions)", "2024", "2023", "2022"],
            ["Net sales", "400", "400", "350"],
            ["Cost of sales", "250", "240", "210"],
            ["Gross profit", "150", "160", "140"],
            ["Provision for income taxes", "20", "24", "20"],
            ["Net income", "60", "70", "55"],
            ["Diluted earnings per share", "1.20", "1.40", "1.10"],
        ],
        page=5,
        title="CONSOLIDATED STATEMENTS OF OPERATIONS",
    ),
    HeadingPart("Consolidated balance sheets", level=2, page=6),
    TablePart(
        [
            ["(in millions)", "December 31, 2024", "December 31, 2023"],
            ["Cash and cash equivalents", "35", "30"],
            ["Inventories", "44", "41"],
            ["Total current assets", "99", "90"],
            ["Total assets", "500", "480"],
            ["Total liabilities", "200", "210"],
            ["Total stockholders' equity", "300", "270"],
        ],
        page=6,
        title="CONSOLIDATED BALANCE SHEETS",
        anchor="balance",
    ),
    HeadingPart("Note 1 - Revenue", level=2, page=7),
    TablePart(
        [["", "2024", "2023"], ["Paper", "260", "250"], ["Services", "140", "150"], ["Total net sales", "400", "400"]],
        page=7,
    ),
    HeadingPart("Note 2 - Pensions", level=2, page=8),
    TablePart([["", "2024", "2023"], ["Service cost", "7", "6"], ["Total", "11", "10"]], page=8),
    HeadingPart("Note 3 - Leases", level=2, page=9),
    ParagraphPart(("Rent was $ 9 million in 2024 and $ 8 million in 2023.",), page=9),
    TablePart([["", "2024", "2023"], ["Lease cost", "9", "8"], ["Total", "9", "8"]], page=9),
)


def a_report() -> Document:
    """Return seven tables on nine pages; "Total" and "Total net sales" are lines of two tables each."""
    return assemble("NORD/2024/10-K", PARTS)
