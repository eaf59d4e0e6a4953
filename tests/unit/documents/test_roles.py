import pytest
from reports import a_report

from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.document import Document
from quaestor.documents.roles import look_alikes_named, statements_named
from quaestor.documents.table import TableRole

BALANCE = [
    ["Cash", "5", "4"],
    ["Total current assets", "9", "7"],
    ["Total assets", "20", "18"],
    ["Total liabilities", "12", "11"],
    ["Total stockholders' equity", "8", "7"],
]
INCOME = [
    ["Revenue", "100", "90"],
    ["Cost of revenue", "60", "50"],
    ["Operating income", "30", "25"],
    ["Income before income taxes", "29", "24"],
    ["Net income", "20", "18"],
]
CASH = [
    ["Net income", "20", "18"],
    ["Net cash provided by operating activities", "30", "28"],
    ["Net cash used for investing activities", "(10)", "(9)"],
    ["Net cash used for financing activities", "(15)", "(16)"],
    ["Change in cash", "5", "3"],
]
EQUITY = [
    ["", "Common stock", "Retained earnings", "Accumulated other comprehensive loss", "Total equity"],
    ["Balance at December 31, 2022", "5", "40", "(3)", "42"],
    ["Net income", "", "9", "", "9"],
    ["Dividends", "", "(2)", "", "(2)"],
    ["Other comprehensive income", "", "", "1", "1"],
    ["Balance at December 31, 2023", "5", "47", "(2)", "50"],
]
YEARS = ["", "2024", "2023"]


def table(rows: list[list[str]], title: str = "", head: list[str] | None = None) -> TablePart:
    return TablePart([YEARS if head is None else head, *rows], title=title)


def roles(*parts: DocumentPart) -> list[TableRole]:
    return [found.role for found in assemble("any", parts, filing=True).tables]


def test_tables_of_a_report_are_distinguished() -> None:
    assert [found.role for found in a_report().tables] == [
        TableRole.CONTENTS,
        TableRole.SEGMENTS,
        TableRole.INCOME_STATEMENT,
        TableRole.BALANCE_SHEET,
        TableRole.NOTE,
        TableRole.NOTE,
        TableRole.NOTE,
    ]


@pytest.mark.parametrize(
    ("title", "rows", "role"),
    [
        ("CONSOLIDATED BALANCE SHEETS", BALANCE, TableRole.BALANCE_SHEET),
        ("Condensed statement of financial position (unaudited)", BALANCE, TableRole.BALANCE_SHEET),
        ("Statements of Consolidated Income", INCOME, TableRole.INCOME_STATEMENT),
        ("Consolidated statement of profit or loss", INCOME, TableRole.INCOME_STATEMENT),
        ("Income statement", INCOME, TableRole.INCOME_STATEMENT),
        ("Consolidated Statements of Cash Flows", CASH, TableRole.CASH_FLOWS),
        ("Cash flow statement", CASH, TableRole.CASH_FLOWS),
        ("Balance sheet data", BALANCE, TableRole.OTHER),
        ("Off-balance sheet arrangements", [["Total assets", "5", "4"]] * 5, TableRole.OTHER),
        ("Unaudited pro forma statements of income", INCOME, TableRole.PRO_FORMA),
        ("Condensed financial information of the registrant: balance sheets", BALANCE, TableRole.PARENT_ONLY),
        ("Summarized financial information of guaranteed subsidiaries", INCOME, TableRole.SUBSIDIARIES),
        ("Consolidating statements of income", INCOME, TableRole.SUBSIDIARIES),
        ("Assets measured at fair value", [["Total assets", "5", "4"]] * 5, TableRole.FAIR_VALUES),
        ("Selected quarterly financial data", INCOME, TableRole.QUARTERLY),
        ("Reconciliation of net income to adjusted EBITDA", INCOME, TableRole.NON_GAAP),
        ("Revenue by segment", INCOME, TableRole.SEGMENTS),
        ("Selected consolidated financial data", INCOME, TableRole.DISCUSSION),
    ],
)
def test_title_determines_the_role(title: str, rows: list[list[str]], role: TableRole) -> None:
    other = ParagraphPart(("The company makes paper.",))
    statements = (table(BALANCE, "Consolidated balance sheets"), table(CASH, "Statements of cash flows"))
    parts: list[DocumentPart] = [HeadingPart("Cover"), other, HeadingPart("Financial information"), table(rows, title)]
    if not role.is_statement:
        parts += [HeadingPart("Statements"), *statements]
    assert roles(*parts)[0] is role


@pytest.mark.parametrize(
    "parts",
    [
        [HeadingPart("CONSOLIDATED BALANCE SHEETS"), TablePart([YEARS, *BALANCE])],
        [HeadingPart("CONSOLIDATED BALANCE SHEETS"), TablePart([YEARS, *BALANCE], title="(in millions)")],
        [HeadingPart("Item 8"), ParagraphPart(("Consolidated Balance Sheets", "December 31")), table(BALANCE)],
        [HeadingPart("Item 8"), TablePart([["Consolidated balance sheets", "2024", "2023"], *BALANCE])],
        [HeadingPart("Item 8"), TablePart([["Consolidated balance sheets", "", ""], YEARS, *BALANCE])],
        [HeadingPart("Item 8"), TablePart([YEARS, *BALANCE])],
    ],
    ids=["heading", "caption between", "line before", "corner", "first row", "lines alone"],
)
def test_title_is_above_the_table_or_in_it(parts: list[DocumentPart]) -> None:
    assert roles(*parts) == [TableRole.BALANCE_SHEET]


@pytest.mark.parametrize("heading", ["Note 4 - Condensed balance sheets", "Notes to financial statements", "12. Banks"])
def test_a_statement_within_a_note_is_a_note(heading: str) -> None:
    assert roles(HeadingPart(heading), table(BALANCE, "Balance sheets")) == [TableRole.NOTE]


def test_statement_without_title_is_recognised_by_its_lines() -> None:
    equity = TablePart(EQUITY)
    found = roles(HeadingPart("Report"), table(INCOME), table(BALANCE), table(CASH), equity)
    assert found == [TableRole.INCOME_STATEMENT, TableRole.BALANCE_SHEET, TableRole.CASH_FLOWS, TableRole.EQUITY]


def test_lines_alone_identify_no_second_statement() -> None:
    found = roles(HeadingPart("Balance sheets"), table(BALANCE), HeadingPart("Ventures"), table(BALANCE))
    assert found[0] is TableRole.BALANCE_SHEET
    assert len(set(found)) == 2


def test_parts_of_one_statement_have_one_role_and_a_far_one_is_another_companys() -> None:
    again: list[DocumentPart] = [HeadingPart("Balance sheets"), table(BALANCE), table(BALANCE)]
    between: list[DocumentPart] = [HeadingPart("Other"), *(table([["Rent", "5", "4"]]) for _ in range(4))]
    found = roles(*again, *between, *again[:2])
    assert (found[0], found[1], found[-1]) == (TableRole.BALANCE_SHEET, TableRole.BALANCE_SHEET, TableRole.SUBSIDIARIES)


@pytest.mark.parametrize(
    ("cells", "title", "role"),
    [
        (["100.0 %", "100.0 %"], "", TableRole.COMMON_SIZE),
        (["100 %", "100 %"], "Results", TableRole.COMMON_SIZE),
        (["48.2", "47.1"], "As a percentage of net sales", TableRole.COMMON_SIZE),
        (["4,820", "4,710"], "As a percentage of net sales", TableRole.OTHER),
    ],
)
def test_percentages_of_sales_are_recognised_by_their_numbers(cells: list[str], title: str, role: TableRole) -> None:
    rows = [
        ["Net sales", *cells],
        ["Cost of sales", "66.8", "66.7"],
        ["Operating income", "15.2", "14.9"],
        ["Net income", "3.3", "3.2"],
    ]
    if role is TableRole.OTHER:
        rows = [[row[0], *cells] for row in rows]
    assert roles(HeadingPart("Report"), table(rows, title)) == [role]


def test_levels_mark_fair_values_and_four_quarters_quarterly_data() -> None:
    levels = table([["Funds", "5", "4", "1"]], head=["", "Level 1", "Level 2", "Total"])
    quarters = table([["Revenue", "1", "2", "3", "4"]], head=["", "Q1 2023", "Q2 2023", "Q3 2023", "Q4 2023"])
    assert roles(HeadingPart("Report"), levels, quarters) == [TableRole.FAIR_VALUES, TableRole.QUARTERLY]


def test_interest_rate_is_not_a_contents_entry() -> None:
    rows = [["1.55% Notes due 2028", "5", "4"], ["2.85% Notes due 2030", "7", "6"]]
    assert roles(HeadingPart("Note 11 - Debt"), table(rows)) == [TableRole.NOTE]


def test_a_table_without_signs_is_another() -> None:
    assert roles(TablePart([["", "2024"], ["rent", "5"]])) == [TableRole.OTHER]


def test_an_excerpt_keeps_the_roles() -> None:
    report: Document = a_report()
    block = report.block(report.tables[3].cells[0][0].ref)
    assert report.excerpt([block.order]).tables[0].role is TableRole.BALANCE_SHEET


def test_roles_are_recognised_in_questions() -> None:
    assert statements_named("net income in the consolidated statement of cash flows?") == (TableRole.CASH_FLOWS,)
    assert statements_named("net income in 2024?") == ()
    assert look_alikes_named("what was adjusted EPS?") == (TableRole.NON_GAAP,)
    assert look_alikes_named("pro forma revenue of the guarantors") == (TableRole.SUBSIDIARIES, TableRole.PRO_FORMA)
    assert look_alikes_named("what were total assets?") == ()


def test_a_list_of_statements_with_their_pages_is_one_of_contents() -> None:
    listed = [
        ["Independent Auditors' Report", "22", ""], ["Consolidated Balance Sheets", "23", "-24"],
        ["Consolidated Statements of Income (Loss)", "25", ""],
        ["Notes to Consolidated Financial Statements", "29", "-38"],
    ]  # fmt: skip
    assert roles(TablePart(listed)) == [TableRole.CONTENTS]
