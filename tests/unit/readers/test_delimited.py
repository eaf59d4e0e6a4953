from decimal import Decimal
from pathlib import Path

import pytest

from quaestor.documents.document import Document
from quaestor.documents.repairs import WarningKind
from quaestor.readers import delimited, tabular
from quaestor.readers.content import read_content
from quaestor.readers.delimited import DelimitedReader

STATEMENTS = """ACME CORP
Statements of Operations
(in millions, except per share data)

,2023,2022
Net sales,"1,200.5","1,100"
Cost of sales,(600),(550)

Operating expenses
Research,10,20
Total,"$ 620",$ 570

Balance Sheet
($ in thousands)
Item,"Dec 31, 2023","Dec 31, 2022"
Cash,100,50
Source: company filings.
"""


def read(tmp_path: Path, text: str | bytes, name: str = "a.csv") -> Document:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    content = read_content(path)
    assert DelimitedReader().recognises(content)
    return DelimitedReader().read(content)


def values(document: Document, table: int = 0) -> list[list[str]]:
    found = document.tables[table]
    return [[str(cell.quantity.value) for cell in row[1:] if cell.quantity] for row in found.cells[found.header_rows :]]


def test_tables_titles_captions_and_notes(tmp_path: Path) -> None:
    document = read(tmp_path, STATEMENTS)
    one, other = document.tables
    assert (one.title, one.scale, one.header_rows) == ("Statements of Operations", "million", 1)
    assert (other.title, other.scale, other.unit) == ("Balance Sheet", "thousand", "USD")
    assert [row.label for row in one.rows[1:]] == [
        "Net sales", "Cost of sales", "", "Operating expenses", "Research", "Total"
    ]  # fmt: skip
    assert one.rows[5].levels == ("Operating expenses", "Research")
    assert [column.period.year for column in one.columns if column.period] == [2023, 2022]
    assert values(document) == [["1200.5", "1100"], ["-600", "-550"], [], [], ["10", "20"], ["620", "570"]]
    assert [sentence.text for sentence in document.sentences] == ["ACME CORP", "Source: company filings."]
    assert [block.anchor for block in document.blocks] == ["line 1", "lines 5-11", "lines 15-16", "line 17"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_any_delimiter(tmp_path: Path, delimiter: str) -> None:
    rows = [["", "2023", "2022"], ["net sales", "1200.5", "1100"], ["costs", "-600", "550"]]
    document = read(tmp_path, "\n".join(delimiter.join(row) for row in rows))
    assert values(document) == [["1200.5", "1100"], ["-600", "550"]]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1.234,56", "1234.56"), ("1.000", "1000"), ("(12,5)", "-12.5"), ("-3,1", "-3.1"), ("12,5 %", "12.5"),
        ("1.234.567", "1234567"), ("7", "7"), ("1 234,5", "1234.5"), ("€ 1.234,5", "1234.5"), (",5", "0.5"),
    ],
)  # fmt: skip
def test_a_decimal_comma(tmp_path: Path, cell: str, value: str) -> None:
    document = read(tmp_path, f"Umsatz;2023;2022\nErlöse;234,56;0,5\nKosten;{cell};9,75\n")
    found = document.tables[0].cells[2][1]
    assert found.quantity is not None
    assert found.quantity.value == Decimal(value)
    assert found.text == cell


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a;2023\nx;1,234\ny;5,678.5\n", "1234"),  # thousands, by the number beside it
        ("a;2023\nx;1.234\ny;2.345\n", "1234"),  # by the semicolon alone
        ("a,2023\nx,1.234\ny,2.345\n", "1.234"),
        ("a,2023\nx,1 234\ny,12 345\n", "1234"),
        ("a,2023\nx,1'234.5\ny,2\n", "1234.5"),
    ],
)
def test_thousands_or_decimals(tmp_path: Path, text: str, value: str) -> None:
    assert values(read(tmp_path, text))[0] == [value]


def test_a_line_that_names_the_delimiter(tmp_path: Path) -> None:
    document = read(tmp_path, "sep=;\na;2023\nx;5\n")
    assert values(document) == [["5"]]
    assert document.blocks[0].anchor == "lines 2-3"


def test_quoted_cells_over_several_lines(tmp_path: Path) -> None:
    document = read(tmp_path, 'a,2023\n"net\nsales, ""gross""",5\nx,6\n')
    assert document.tables[0].cells[1][0].text == 'net sales, "gross"'
    assert document.blocks[0].anchor == "lines 1-4"


def test_unclosed_quotation_mark(tmp_path: Path) -> None:
    document = read(tmp_path, 'a,2023\n"net sales,5\n' + "x,6\n" * 60)
    assert len(values(document)) == 61
    assert WarningKind.LOST in {warning.kind for warning in document.warnings}


def test_no_header(tmp_path: Path) -> None:
    document = read(tmp_path, "net sales,5,4\ncosts,3,2\nprofit,2,2\n")
    assert document.tables[0].header_rows == 0
    assert values(document) == [["5", "4"], ["3", "2"], ["2", "2"]]


def test_more_cells_than_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "MOST_CELLS", 30)
    document = read(tmp_path, "a,2023,2022\n" + "x,5,6\n" * 50)
    assert len(document.tables[0].rows) == 10
    assert any("10 rows" in warning.detail and "30" in warning.detail for warning in document.warnings)


def test_cells_and_rows_that_are_too_long(tmp_path: Path) -> None:
    long = "word " * 9_000
    wide = ",".join(["7"] * (tabular.MOST_COLUMNS + 5))
    document = read(tmp_path, f"a,2023\n{long},5\n{wide}\n")
    assert sum(len(sentence.text) for sentence in document.sentences) <= tabular.LONGEST_CELL
    lost = [warning.detail for warning in document.warnings if warning.kind is WarningKind.LOST]
    assert ["1,000" in lost[0], "40,000" in lost[1]] == [True, True]


@pytest.mark.parametrize(
    "text",
    [
        "Net sales rose, as costs fell, in 2023.\nThey fell, however, in 2022.\nThat is all, so far.\n",
        "one line\n",
        "a: b\nc: d\ne: f\n",
    ],
)
def test_prose_is_not_a_table(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    assert not DelimitedReader().recognises(read_content(path))


def test_a_table_is_known_without_its_suffix(tmp_path: Path) -> None:
    assert read(tmp_path, "a,2023,2022\nnet sales,5,4\ncosts,3,2\nprofit,2,2\n", "figures.txt").tables
