from pathlib import Path

import pytest

import quaestor
from quaestor.documents.assembly import HeadingPart, TablePart, assemble
from quaestor.retrieval.question_texts import in_fiscal_years

INCOME = [
    ["", "2023", "2022"],
    ["Net sales", "5,272.8", "5,927.2"],
    ["Cost of sales", "3,978.6", "4,555.1"],
    ["Net loss", "(6.7)", "(313.1)"],
    ["Earnings per common share:", "", ""],
    ["Net income", "1.79", "1.03"],
    ["Net income - assuming dilution", "1.78", "1.02"],
]
DAYS = [
    ["", "February 3, 2024", "January 28, 2023"],
    ["Deferred revenue", "128.6", "163.8"],
    ["Total assets", "2,709.0", "3,113.4"],
    ["Total liabilities", "1,370.0", "1,790.9"],
]
REPORT = assemble(
    "report",
    [
        HeadingPart("CONSOLIDATED STATEMENTS OF OPERATIONS"),
        TablePart(INCOME, title="CONSOLIDATED STATEMENTS OF OPERATIONS"),
        HeadingPart("CONSOLIDATED BALANCE SHEETS"),
        TablePart(DAYS, title="CONSOLIDATED BALANCE SHEETS"),
    ],
    filing=True,
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("revenue for the year ended February 3, 2024?", "revenue for fiscal 2023?"),
        ("sales in the fiscal year ended on January 28, 2023?", "sales in fiscal 2022?"),
        ("total assets at the end of fiscal 2023?", "total assets at February 3, 2024?"),
        ("total assets as of the close of fiscal year 2022?", "total assets at January 28, 2023?"),
        ("total assets at January 28, 2023?", "total assets at January 28, 2023?"),
        ("revenue for the year ended March 3, 2024?", "revenue for the year ended March 3, 2024?"),
        ("revenue in fiscal 2023?", "revenue in fiscal 2023?"),
    ],
)
def test_periods_are_renamed_to_those_of_the_document(question: str, expected: str) -> None:
    assert in_fiscal_years(question, REPORT) == expected


@pytest.mark.parametrize(
    "heading",
    ["Unaudited pro forma results", "Condensed financial information of the registrant", "Non-GAAP measures"],
)
def test_statement_is_preferred_to_other_tables(heading: str, tmp_path: Path) -> None:
    lines = [["Revenue", "100", "90"], ["Operating income", "30", "25"], ["Net income", "20", "18"]]
    other = [[label, *(f"{int(cell) + 7}" for cell in cells)] for label, *cells in lines]
    text = "# Report\n"
    for title, rows in ((heading, other), ("Consolidated statements of income", lines)):
        text += f"\n## {title}\n\n|  | 2023 | 2022 |\n|---|---|---|\n"
        text += "".join(f"| {' | '.join(row)} |\n" for row in rows)
    file = tmp_path / "report.md"
    file.write_text(text)
    answer = quaestor.open(file, settings=quaestor.Settings(keep_asked=False)).ask("what was net income in 2023?")
    assert answer.number == 20
