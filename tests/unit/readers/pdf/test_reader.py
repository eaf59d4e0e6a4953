"""PDF files that the tests print themselves, read as documents."""

import contextlib
from pathlib import Path

import pytest
from pdf_files import PdfPage, pdf_of

from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.documents.table import Table
from quaestor.errors import DatasetError
from quaestor.readers.content import FileContent
from quaestor.readers.pdf import pages as pdf_pages
from quaestor.readers.pdf.reader import PdfReader

COLUMNS = (380.0, 460.0, 540.0)


def read(pages: list[PdfPage]) -> Document:
    return PdfReader().read(FileContent(Path("acme.pdf"), pdf_of(pages)))


def grid(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.cells]


def a_statement() -> PdfPage:
    """Return an income statement without ruling lines: separate signs, a wrapped label, one heading over all."""
    page = PdfPage()
    page.center(306, 60, "Acme Inc.", bold=True)
    page.center(306, 76, "CONSOLIDATED STATEMENTS OF OPERATIONS", bold=True)
    page.center(306, 88, "(In millions, except per share amounts)")
    page.center(445, 110, "Years ended December 31,", 8, bold=True)
    for column, year in zip(COLUMNS, ("2021", "2020", "2019"), strict=True):
        page.center(column - 25, 121, year, 8, bold=True)
    page.row(135, "Net sales:", (), ())
    page.row(147, "Products", ("$ 297,392", "$ 220,747", "$ 213,883"), COLUMNS, 10)
    page.row(159, "Services", ("68,425", "53,768", "46,291"), COLUMNS, 10)
    page.row(171, "Total net sales", ("365,817", "274,515", "260,174"), COLUMNS, 20)
    page.row(190, "Other income/(expense), net", ("(258)", "803", "\u2014"), COLUMNS)
    page.row(202, "Income from operations attributable to the shareholders of", (), ())
    page.row(212, "the company, net of tax", ("94,680", "(57,411)", "55,256"), COLUMNS, 10)
    page.row(224, "Margin", ("25.9%", "(20.9)%", "21.2%"), COLUMNS)
    page.row(240, "Basic earnings per share", ("$ 5.67", "$ (3.31)", "$ 2.99"), COLUMNS)
    page.text(200, 270, "See accompanying notes.")
    page.center(306, 740, "29")
    return page


def test_a_statement_is_the_grid_that_a_person_would_type() -> None:
    document = read([a_statement()])
    (table,) = document.tables
    assert grid(table) == [
        ["", *["Years ended December 31,"] * 3],
        ["", "2021", "2020", "2019"],
        ["Net sales:", "", "", ""],
        ["Products", "$ 297,392", "$ 220,747", "$ 213,883"],
        ["Services", "68,425", "53,768", "46,291"],
        ["Total net sales", "365,817", "274,515", "260,174"],
        ["Other income/(expense), net", "(258)", "803", "\u2014"],
        [
            "Income from operations attributable to the shareholders of the company, net of tax",
            "94,680",
            "(57,411)",
            "55,256",
        ],
        ["Margin", "25.9%", "(20.9)%", "21.2%"],
        ["Basic earnings per share", "$ 5.67", "$ (3.31)", "$ 2.99"],
    ]


def test_a_table_has_its_title_caption_periods_scale_and_page() -> None:
    document = read([PdfPage(), a_statement()])
    (table,) = document.tables
    assert table.title == "CONSOLIDATED STATEMENTS OF OPERATIONS"
    assert table.scale is Scale.MILLION
    periods = [table.period_at(4, column) for column in (1, 2, 3)]
    assert [period.year if period else None for period in periods] == [2021, 2020, 2019]
    assert document.block(table.cells[3][1].ref).page == 2
    assert document.section_of(table).title == "CONSOLIDATED STATEMENTS OF OPERATIONS"
    assert not any("29" in sentence.text for sentence in document.sentences)


def test_table_continued_on_the_next_page_is_one_table() -> None:
    first, second = PdfPage(), PdfPage()
    first.text(40, 40, "Debt matures as follows (in thousands):")
    for column, year in zip(COLUMNS, ("2021", "2020", "2019"), strict=True):
        first.right(column, 80, year, bold=True)
    first.row(95, "Notes", ("1,000", "2,000", "3,000"), COLUMNS)
    first.row(107, "Bonds", ("4,000", "5,000", "6,000"), COLUMNS)
    second.row(40, "Loans", ("70", "\u2014", "90"), COLUMNS)
    second.text(40, 80, "The notes bear interest.")
    document = read([first, second])
    (table,) = document.tables
    assert grid(table)[-2:] == [["Bonds", "4,000", "5,000", "6,000"], ["Loans", "70", "\u2014", "90"]]
    assert [sentence.text for sentence in document.sentences][-1] == "The notes bear interest."


def test_lines_are_joined_to_paragraphs_over_hyphens_and_pages() -> None:
    first, second = PdfPage(), PdfPage()
    first.text(40, 60, "PART I", 12, bold=True)
    first.text(40, 80, "Item 1. Business", 11, bold=True)
    first.text(40, 100, "The company makes cables and sells them to operators of net-")
    first.text(40, 111, "works in many countries. Its operators are networks which are glad of the")
    second.text(40, 60, "cables that they get. Demand rose.")
    second.text(40, 90, "Another paragraph begins here.")
    document = read([first, second])
    assert [section.path for section in document.sections] == [("PART I",), ("PART I", "Item 1. Business")]
    assert [sentence.text for sentence in document.sentences] == [
        "The company makes cables and sells them to operators of networks in many countries.",
        "Its operators are networks which are glad of the cables that they get.",
        "Demand rose.",
        "Another paragraph begins here.",
    ]


def test_running_headers_and_footers_are_dropped() -> None:
    pages = []
    for number in range(1, 7):
        page = PdfPage()
        page.text(40, 30, "Table of Contents", 7)
        page.text(40, 80, f"Paragraph {'abcdef'[number - 1]} says something.")
        page.center(306, 760, f"Acme Inc. | 2021 Form 10-K | {number}")
        pages.append(page)
    document = read(pages)
    assert [sentence.text for sentence in document.sentences] == [
        f"Paragraph {letter} says something." for letter in "abcdef"
    ]
    assert [block.page for block in document.blocks] == [1, 2, 3, 4, 5, 6]


def test_scale_stated_on_a_page_applies_to_its_tables() -> None:
    pages = []
    for number, place in enumerate(("Norway", "Peru", "Kenya", "Japan", "Malta"), start=1):
        page = PdfPage()
        page.text(40, 60, f"The leases in {place} are for land and for ships, and most can be renewed.")
        page.row(90, "", ["2024", "2023"], [400, 480])
        page.row(104, "Land", [f"{number}40", "120"], [400, 480])
        page.row(118, "Ships", ["75", f"{number}60"], [400, 480])
        page.text(40, 750, "Amounts in thousands of dollars except per share amounts or as otherwise specified.")
        pages.append(page)
    tables = read(pages).tables
    assert [table.scale for table in tables] == [Scale.THOUSAND] * 5


def test_repeated_column_heading_is_not_a_running_header() -> None:
    pages = [a_statement() for _ in range(4)]
    for page, word in zip(pages, ("first", "second", "third", "fourth"), strict=True):
        page.text(40, 300, f"The {word} statement ends here.")
    document = read(pages)
    assert [row[1] for table in document.tables for row in grid(table)[:1]] == ["Years ended December 31,"] * 4


def test_columns_of_text_are_read_one_after_the_other() -> None:
    page = PdfPage()
    page.text(40, 40, "LETTER TO SHAREHOLDERS", 12, bold=True)
    for line in range(15):
        page.text(40, 70 + 11 * line, f"the left column has words on line {line} and many of them")
        page.text(320, 70 + 11 * line, f"whereas the right column has others on its line {line} too")
    (section,) = read([page]).text
    text = " ".join(sentence.text for sentence in section[1])
    assert text.index("left column has words on line 14") < text.index("right column has others on its line 0")


def test_table_columns_are_not_text_columns() -> None:
    page = PdfPage()
    for line in range(20):
        page.row(60 + 12 * line, f"a line of a table with {line} words", ("1,234", "5,678", "9,012"), COLUMNS)
    assert len(grid(read([page]).tables[0])) == 20


def test_a_heading_over_two_columns_of_four_is_in_both() -> None:
    columns = (300.0, 370.0, 460.0, 530.0)
    page = PdfPage()
    page.text(40, 40, "Revenues were as follows:")
    page.center(320, 70, "Three Months Ended June 30,", 7, bold=True)
    page.center(480, 70, "Six Months Ended June 30,", 7, bold=True)
    for column, year in zip(columns, ("2025", "2024", "2025", "2024"), strict=True):
        page.center(column - 12, 80, year, 7, bold=True)
    page.center(400, 90, "(in thousands)", 7)
    page.row(104, "Licences", ("$ 1,000", "$ 2,000", "$ 3,000", "$ 4,000"), columns)
    page.row(116, "Services", ("5,000", "(6,000)", "7,000", "8,000"), columns)
    (table,) = read([page]).tables
    assert grid(table) == [
        ["", *["Three Months Ended June 30,"] * 2, *["Six Months Ended June 30,"] * 2],
        ["", "2025", "2024", "2025", "2024"],
        ["Licences", "$ 1,000", "$ 2,000", "$ 3,000", "$ 4,000"],
        ["Services", "5,000", "(6,000)", "7,000", "8,000"],
    ]
    assert table.scale is Scale.THOUSAND


def test_label_continues_above_or_below_its_numbers() -> None:
    page = PdfPage()
    page.row(50, "Land", ("10", "20", "30"), COLUMNS)
    page.row(64, "Buildings", ("40", "50", "60"), COLUMNS)
    page.row(78, "Amounts reclassified from", (), ())
    page.row(87, "Accumulated income", ("70", "80", "90"), COLUMNS)
    page.row(101, "Net change in", ("11", "12", "13"), COLUMNS)
    page.row(110, "Accumulated loss", (), ())
    page.row(124, "Other assets", (), ())
    page.row(138, "Cash", ("14", "15", "16"), COLUMNS, 8)
    (table,) = read([page]).tables
    assert [row[0] for row in grid(table)] == [
        "Land",
        "Buildings",
        "Amounts reclassified from Accumulated income",
        "Net change in Accumulated loss",
        "Other assets",
        "Cash",
    ]


def test_years_in_the_label_column_are_labels() -> None:
    page = PdfPage()
    page.text(40, 40, "Maturities are as follows (in millions):")
    page.center(530, 60, "Notes", 8, bold=True)
    for place, (label, amount) in enumerate(
        (("2026", "$ 354"), ("2027", "236"), ("Thereafter", "92"), ("Total", "682"))
    ):
        page.row(74 + 12 * place, label, (amount,), (540,))
    (table,) = read([page]).tables
    assert grid(table) == [["", "Notes"], ["2026", "$ 354"], ["2027", "236"], ["Thereafter", "92"], ["Total", "682"]]


def test_two_tables_with_other_columns_are_two() -> None:
    page = PdfPage()
    for column, year in zip(COLUMNS, ("2021", "2020", "2019"), strict=True):
        page.right(column, 60, year, bold=True)
    page.row(74, "Rent", ("1,000", "2,000", "3,000"), COLUMNS)
    page.row(86, "Fees", ("4,000", "5,000", "6,000"), COLUMNS)
    page.text(40, 106, "Lease liabilities are:")
    page.right(380, 122, "Operating", bold=True)
    page.right(460, 122, "Finance", bold=True)
    page.row(136, "2022", ("70", "80"), COLUMNS[:2])
    page.row(148, "2023", ("90", "95"), COLUMNS[:2])
    first, second = read([page]).tables
    assert (len(grid(first)), grid(second)[0]) == (3, ["", "Operating", "Finance"])


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        (
            (200, 234.6, 269.2),
            (("Units sold", "12,345", "11,900", "9,850"), ("Returns", "(1,345)", "(1,900)", "(2,850)")),
        ),
        (
            (200, 247, 294),
            (("Cash flow", "4,052,954", "591,837", "3,998,120"), ("Net", "(1,052,954)", "(1,591,837)", "7")),
        ),
        ((200, 221, 242), (("Stores", "512", "498", "471"), ("Closed", "(12)", "(9)", "(14)"))),
        (
            (220, 266, 312),
            (("Current", "1,204,500", "\u2014", "998,200"), ("Due", "(88,700)", "(1,200,100)", "\u2014")),
        ),
        ((220, 259, 298), (("Margin", "112.5%", "113.4%", "111.0%"), ("Costs", "(112.5%)", "(113.4%)", "(111.0%)"))),
    ],
)
def test_numbers_of_columns_that_nearly_touch_are_cells_of_their_own(
    columns: tuple[float, ...], rows: tuple[tuple[str, ...], ...]
) -> None:
    page = PdfPage()
    page.text(40, 60, "Key figures", 12, bold=True)
    for line, (label, *cells) in enumerate((("", "2023", "2022", "2021"), *rows)):
        page.text(40, 80 + 12 * line, label)
        for column, cell in zip(columns, cells, strict=True):
            page.right(column, 80 + 12 * line, cell)
    (table,) = read([page]).tables
    assert grid(table) == [["", "2023", "2022", "2021"], *map(list, rows)]


def two_tables(right: tuple[str, ...], over: tuple[str, ...] = ("2023", "2022")) -> PdfPage:
    page = PdfPage()
    page.center(306, 50, "Balance sheet", 12, bold=True)
    page.text(40, 90, "Assets", bold=True)
    page.text(320, 90, "Equity and liabilities", bold=True)
    for column, year in zip((200, 260, 480, 540), ("2023", "2022", *over), strict=True):
        page.right(column, 90, year)
    for line, (label, *cells) in enumerate((("Cash", "510", "480"), ("Stock", "1,205", "870"), ("Land", "220", "205"))):
        page.text(40, 104 + 13 * line, label)
        page.text(320, 104 + 13 * line, right[line])
        for column, cell in zip((200, 260, 480, 540), (*cells, *cells[::-1]), strict=True):
            page.right(column, 104 + 13 * line, cell)
    return page


def test_two_tables_side_by_side_are_two() -> None:
    left, right = read([two_tables(("Equity", "Borrowings", "Trade payables"))]).tables
    assert grid(left)[1:] == [["Cash", "510", "480"], ["Stock", "1,205", "870"], ["Land", "220", "205"]]
    assert grid(right)[1:] == [
        ["Equity", "480", "510"],
        ["Borrowings", "870", "1,205"],
        ["Trade payables", "205", "220"],
    ]
    assert [column.period and column.period.year for column in right.columns] == [None, 2023, 2022]
    assert left.title == right.title == "Balance sheet"


@pytest.mark.parametrize(
    ("words", "over"),
    [
        (("Long-term", "Short-term", "Long-term"), ("2023", "2022")),
        (("down 32%", "up 14 points", "down 114%"), ("2023", "2022")),
        (("Norway", "Peru", "Kenya"), ("Rate", "Term")),
    ],
)
def test_words_between_the_numbers_of_one_table_are_a_column(words: tuple[str, ...], over: tuple[str, ...]) -> None:
    (table,) = read([two_tables(words, over)]).tables
    assert grid(table)[-3] == ["Cash", "510", "480", words[0], "480", "510"]


def test_dot_leaders_are_dropped() -> None:
    page = PdfPage()
    page.text(40, 50, "Business ........................................")
    page.right(540, 50, "12")
    page.text(40, 62, "Risk factors . . . . . . . . . . . . . . . . . . . .")
    page.right(540, 62, "34")
    assert grid(read([page]).tables[0]) == [["Business", "12"], ["Risk factors", "34"]]


def test_footnote_marks_are_kept_in_labels_and_dropped_behind_numbers() -> None:
    page = PdfPage()
    for place, label in enumerate(("Rent", "Fees", "Tax")):
        page.row(50 + 12 * place, label, ("1,000", "2,000", "3,000"), COLUMNS)
        page.text(62, 47 + 12 * place, "1", 5)
        page.text(542, 50 + 12 * place, "(2)", 9)
    assert grid(read([page]).tables[0])[0] == ["Rent (1)", "1,000", "2,000", "3,000"]


def test_losses_are_reported() -> None:
    document = read([a_statement(), PdfPage(), PdfPage()])
    assert any("(2, 3)" in warning.detail for warning in document.warnings)


@pytest.mark.slow
@pytest.mark.parametrize("cells", [("1.401,40", "-580,25"), ("1,28,205.40", "1,998.70"), ("12,5 %", "801,4 %")])
def test_numbers_of_other_countries_are_cells(cells: tuple[str, ...]) -> None:
    page = PdfPage()
    for line, row in enumerate((("2023", "2022"), cells, cells[::-1])):
        page.text(40, 80 + 12 * line, ("", "Revenue", "Costs")[line])
        for column, cell in zip((300, 400), row, strict=True):
            page.right(column, 80 + 12 * line, cell)
    (table,) = read([page]).tables
    assert grid(table) == [["", "2023", "2022"], ["Revenue", *cells], ["Costs", *cells[::-1]]]


@pytest.mark.parametrize("cells", [("1 401,40 F", "1 320,00 F"), ("12:401", "13:320"), ("4/1401", "4/1320")])
def test_unrecognised_table_is_reported_with_its_page(cells: tuple[str, ...]) -> None:
    page = PdfPage()
    for line, label in enumerate(("Revenue", "Costs", "Profit", "Taxes")):
        page.text(40, 80 + 12 * line, label)
        for column, cell in zip((300, 400), cells, strict=True):
            page.right(column, 80 + 12 * line, cell)
    document = read([PdfPage(), page])
    assert not document.tables
    assert any("page 2" in warning.detail for warning in document.warnings if "4 lines" in warning.detail)


def test_a_page_of_too_much_text_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_pages, "_CHARACTERS_OF_A_PAGE", 1_000)
    page = PdfPage()
    page.operations = [f"BT /F0 1 Tf {i % 30 * 20} {i // 30 * 10} Td (12,345) Tj ET" for i in range(300)]
    assert any("page 1 " in warning.detail for warning in read([page]).warnings)


def test_a_turned_page_is_read_as_if_it_were_upright() -> None:
    upright, turned = read([a_statement()]), a_statement()
    turned.operations = [f"0 1 -1 0 {turned.height} 0 cm", *turned.operations]
    turned.width, turned.height, turned.rotation = turned.height, turned.width, 90
    document = read([turned])
    assert [grid(table) for table in document.tables] == [grid(table) for table in upright.tables]


def test_a_scan_is_refused_in_one_line() -> None:
    page = PdfPage()
    page.rule(10, 100, 50)
    with pytest.raises(DatasetError, match=r"acme\.pdf.* 3 "):
        read([page, PdfPage(), PdfPage()])


def test_an_encrypted_file_is_refused_in_one_line() -> None:
    data = pdf_of([a_statement()], encrypted=True)
    with pytest.raises(DatasetError, match=r"acme\.pdf"):
        PdfReader().read(FileContent(Path("acme.pdf"), data))


def test_a_broken_file_is_refused_in_one_line() -> None:
    with pytest.raises(DatasetError, match=r"acme\.pdf"):
        PdfReader().read(FileContent(Path("acme.pdf"), b"%PDF-1.4\nnothing of a file"))


def test_a_broken_table_of_references_is_mended() -> None:
    data = pdf_of([a_statement()])
    broken = data.replace(b"0000000009 00000 n", b"0000099999 00000 n").replace(b"startxref\n", b"startxref\n9")
    document = PdfReader().read(FileContent(Path("acme.pdf"), broken))
    assert len(document.tables) == 1


def test_a_file_that_is_cut_off_is_read_or_refused() -> None:
    data = pdf_of([a_statement(), a_statement()])
    for share in (0.3, 0.6, 0.9):
        with contextlib.suppress(DatasetError):
            document = PdfReader().read(FileContent(Path("acme.pdf"), data[: int(share * len(data))]))
            assert document.tables


def test_a_file_is_recognised_by_its_mark() -> None:
    assert PdfReader().recognises(FileContent(Path("x"), pdf_of([PdfPage()])))
    assert not PdfReader().recognises(FileContent(Path("x.pdf"), b"<html>"))


def test_long_caption_over_the_labels_is_beside_the_headings() -> None:
    page = PdfPage()
    page.center(306, 60, "Consolidated Statements of Income", bold=True)
    page.text(40, 90, "(In Millions, Except Per Share Amounts; unaudited and restated)")
    for column, day in ((420, "Dec 31, 2022"), (520, "Dec 25, 2021")):
        page.right(column, 90, day)
    for place, (label, *cells) in enumerate(
        (("Net revenue", "63,054", "79,024"), ("Cost of sales", "36,188", "35,209"))
    ):
        page.row(104 + 12 * place, label, cells, (420, 520))
    (table,) = read([page]).tables
    assert [column.period and column.period.year for column in table.columns[1:]] == [2022, 2021]
