import io
import struct
import zipfile
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import pytest
from workbooks import Written, write_workbook

import quaestor
from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.documents.repairs import Repair, RepairKind
from quaestor.errors import DatasetError
from quaestor.readers import tabular
from quaestor.readers.content import read_content
from quaestor.readers.reading import unread_file
from quaestor.readers.serialization import document_bytes, document_of
from quaestor.readers.workbook import sheets
from quaestor.readers.workbook.reader import WorkbookReader

MONEY = "#,##0_);(#,##0)"
INCOME: list[list[Written]] = [
    ["Acme Corporation"],
    ["Statements of Income"],
    ["(in millions)", ("2023", "0"), ("2022", "0")],
    ["Net sales", ("1200.4", MONEY), ("1100", MONEY)],
    ["Cost of sales", ("-600", MONEY), ("-550", MONEY)],
    ["Margin", ("0.50017", "0.0%"), ("0.5", "0.0%")],
]


def read(path: Path) -> Document:
    content = read_content(path)
    assert WorkbookReader().recognises(content)
    return WorkbookReader().read(content)


def test_a_sheet_is_a_section_with_its_tables(tmp_path: Path) -> None:
    document = read(write_workbook(tmp_path / "a.xlsx", {"Income": INCOME, "Rent & more": [["rent", 5, 4]]}))
    assert [section.path for section in document.sections] == [("Income",), ("Rent & more",)]
    income, rent = document.tables
    assert (income.title, income.scale) == ("Statements of Income", "million")
    assert [[cell.text for cell in row] for row in income.cells[1:]] == [
        ["Net sales", "1,200", "1,100"], ["Cost of sales", "(600)", "(550)"], ["Margin", "50.0%", "50.0%"],
    ]  # fmt: skip
    assert [column.period.year for column in income.columns if column.period] == [2023, 2022]
    assert [block.anchor for block in document.blocks] == [
        "'Income'!A1", "'Income'!A1", "'Income'!A3:C6", "'Rent & more'!A1", "'Rent & more'!A1:C1",
    ]  # fmt: skip
    assert rent.cells[0][1].quantity


def test_numbers_are_exact_where_the_print_is_rounded(tmp_path: Path) -> None:
    rows: list[list[Written]] = [
        ["", "2023"], ["rounded", ("1200.4", MONEY)], ["margin", ("0.50017", "0.0%")],
        ["thousands", ("1234567", "#,##0,")],
        ["millions", ("1234567", '0.0,,"M"')], ["binary", ("0.14000000000000001", "0.00")], ["dash", ("0", '0;-0;"-"')],
    ]  # fmt: skip
    table = read(write_workbook(tmp_path / "a.xlsx", {"S": rows})).tables[0]
    found = {row[0].text: (row[1].text, row[1].quantity) for row in table.cells[1:]}
    numbers = {name: quantity and (quantity.value, quantity.scale) for name, (_, quantity) in found.items()}
    assert numbers == {
        "rounded": (Decimal("1200.4"), Scale.ONE), "margin": (Decimal("50.017"), Scale.PERCENT),
        "thousands": (Decimal("1234.567"), Scale.THOUSAND), "millions": (Decimal("1.234567"), Scale.MILLION),
        "binary": (Decimal("0.14"), Scale.ONE), "dash": None,
    }  # fmt: skip
    assert [text for text, _ in found.values()] == ["1,200", "50.0%", "1,235", "1.2M", "0.14", "-"]


def test_merged_cells_head_all_their_columns(tmp_path: Path) -> None:
    rows: list[list[Written]] = [
        ["", "3 Months Ended", None, "6 Months Ended"],
        ["", "Mar. 29, 2025", "Mar. 30, 2024", "Mar. 29, 2025"],
        ["Net sales", 5, 4, 9],
    ]
    merged = '<mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/></mergeCells>'
    table = read(write_workbook(tmp_path / "a.xlsx", {"S": rows}, extra={"S": merged})).tables[0]
    assert table.header_rows == 2
    assert [(c.period.kind, c.period.year) for c in table.columns if c.period] == [
        ("quarter", 2025), ("quarter", 2024), ("span", 2025),
    ]  # fmt: skip


def test_hidden_cells_are_skipped_with_a_warning(tmp_path: Path) -> None:
    sheet = (
        b'<worksheet><cols><col min="3" max="3" hidden="1"/><col min="3" max="4" hidden="1"/></cols><sheetData>'
        b'<row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1"><v>2023</v></c><c r="C1"><v>2022</v></c></row>'
        b'<row r="2" hidden="1"><c r="A2" t="str"><v>secret</v></c><c r="B2"><v>1</v></c></row>'
        b'<row r="3"><c r="A3" t="str"><v>rent</v></c><c r="B3"><v>5</v></c><c r="C3"><v>4</v></c></row>'
        b"</sheetData></worksheet>"
    )
    path = write_workbook(
        tmp_path / "a.xlsx", {"S": [], "Old": [["x", 1]]}, hidden=["Old"], parts={"xl/worksheets/sheet1.xml": sheet}
    )
    document = read(path)
    assert [[cell.text for cell in row] for row in document.tables[0].cells][-1] == ["rent", "5"]
    sheets, lines = (warning.detail for warning in document.warnings[:2])
    assert "Old" in sheets
    assert "'S'" in lines
    assert "2 hidden columns" in lines


def test_formulas_have_their_stored_results(tmp_path: Path) -> None:
    sheet = (
        b'<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1"><v>2023</v></c></row>'
        b'<row r="2"><c r="A2" t="str"><f>"rent"</f><v>rent</v></c><c r="B2"><f>2+3</f><v>5</v></c></row>'
        b'<row r="3"><c r="A3" t="str"><v>sum</v></c><c r="B3"><f>SUM(B2)</f></c></row></sheetData></worksheet>'
    )
    document = read(write_workbook(tmp_path / "a.xlsx", {"S": []}, parts={"xl/worksheets/sheet1.xml": sheet}))
    assert [[cell.text for cell in row] for row in document.tables[0].cells[1:]] == [["rent", "5"], ["sum", "=?"]]
    assert "'S'" in document.warnings[0].detail


UNKNOWN: list[list[Written]] = [
    ["USD millions", 2024, 2023],
    ["Product revenue", 310, 290],
    ["Total revenue", "=B2", "=C2+100/B2"],
    ["Operating costs", -260, -255],
    ["Operating income", "=SUM(B3:B4)", 35],
]


def test_a_formula_without_a_stored_value_is_unknown_and_no_heading(tmp_path: Path) -> None:
    document = read(write_workbook(tmp_path / "a.xlsx", {"S": UNKNOWN}))
    (table,) = document.tables
    assert [row.levels for row in table.rows[2:]] == [("Total revenue",), ("Operating costs",), ("Operating income",)]
    unknown = {cell.ref.row for row in table.cells for cell in row if cell.repair == Repair(RepairKind.NO_STORED_VALUE)}
    assert unknown == {2, 4}
    assert [[len(cell.quantities) for cell in row[1:]] for row in table.cells[1:]] == [[1, 1], [0, 0], [1, 1], [0, 1]]
    assert document_of(document_bytes(document)) == document


@pytest.mark.parametrize("question", ["what was total revenue in 2024?", "what was operating income in 2024?"])
def test_formula_without_stored_value_explains_how_to_store_it(tmp_path: Path, question: str) -> None:
    answer = quaestor.open(write_workbook(tmp_path / "a.xlsx", {"S": UNKNOWN})).ask(question).answer
    assert (answer.value, "stored value" in (answer.reason or "")) == (None, True)


def test_a_formula_that_yields_nothing_is_empty(tmp_path: Path) -> None:
    sheet = (
        b'<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1"><v>2023</v></c></row>'
        b'<row r="2"><c r="A2" t="str"><v>rent</v></c><c r="B2" t="str"><f>""</f><v></v></c></row>'
        b'<row r="3"><c r="A3" t="str"><v>wages</v></c><c r="B3"><v>7</v></c></row></sheetData></worksheet>'
    )
    document = read(write_workbook(tmp_path / "a.xlsx", {"S": []}, parts={"xl/worksheets/sheet1.xml": sheet}))
    assert document.tables[0].cells[1][1].text == ""
    assert not any("stored" in warning.detail for warning in document.warnings)


def test_shared_texts_omit_phonetic_hints(tmp_path: Path) -> None:
    spoken = b"<rPh><rPh><t>spo</t></rPh><t>ken</t></rPh>"
    shared = b"<sst><si><t>a</t></si><si><r><t>net </t></r><r><t>sales</t></r>" + spoken + b"</si></sst>"
    sheet = (
        b'<worksheet><sheetData><row><c t="s"><v>0</v></c><c><v>2023</v></c></row>'
        b'<row><c t="s"><v>1</v></c><c><v>5</v></c></row><row><c t="s"><v>99</v></c></row></sheetData></worksheet>'
    )
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    related = (
        f'<Relationships><Relationship Id="rId1" Type="{kind}/worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="x" Type="{kind}/sharedStrings" Target="sharedStrings.xml"/></Relationships>'
    )
    parts = {
        "xl/worksheets/sheet1.xml": sheet,
        "xl/sharedStrings.xml": shared,
        "xl/_rels/workbook.xml.rels": related.encode(),
    }
    document = read(write_workbook(tmp_path / "a.xlsx", {"S": []}, parts=parts))
    assert [cell.text for cell in document.tables[0].cells[1]] == ["net sales", "5"]


def test_several_tables_and_a_long_text(tmp_path: Path) -> None:
    words = "The company rents its stores. " * 20
    rows: list[list[Written]] = [*INCOME, [], ["Rent (in thousands)"], ["", 2023, 2022], ["stores", 5, 4], [], [words]]
    document = read(write_workbook(tmp_path / "a.xlsx", {"S": rows}))
    assert [table.title for table in document.tables] == ["Statements of Income", "Rent (in thousands)"]
    assert len(document.sentences) == 21


def test_corner_of_a_tagged_statement_is_read(tmp_path: Path) -> None:
    rows: list[list[Written]] = [
        ["STATEMENTS OF OPERATIONS - USD ($) shares in Thousands, $ in Millions", "Mar. 29, 2025"],
        ["Net sales", ("95359", MONEY)],
        ["Basic (in shares)", ("14994082", MONEY)],
    ]
    table = read(write_workbook(tmp_path / "a.xlsx", {"S": rows})).tables[0]
    assert (table.title, table.scale, table.unit) == ("STATEMENTS OF OPERATIONS", "million", "USD")
    shares = table.cells[2][1].quantity
    assert shares is not None
    assert (shares.scale, shares.unit) == (Scale.THOUSAND, "shares")


BOMB = '<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE w [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize("before", [BOMB, OUTSIDE])
def test_a_document_type_is_refused(tmp_path: Path, before: str) -> None:
    with pytest.raises(DatasetError, match=r"a\.xlsx"):
        read(write_workbook(tmp_path / "a.xlsx", {"S": [["rent", 5]]}, before=before))


def test_decompression_bomb_gives_a_one_line_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "MOST_UNPACKED", 1 << 20)
    spaces = b"<worksheet><sheetData>" + b" " * (4 << 20) + b"</sheetData></worksheet>"
    path = write_workbook(tmp_path / "a.xlsx", {"S": []}, parts={"xl/worksheets/sheet1.xml": spaces})
    assert path.stat().st_size < 100_000
    with pytest.raises(DatasetError, match="1 MB"):
        read(path)


def test_more_cells_than_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "MOST_CELLS", 30)
    rows: list[list[Written]] = [["a", 2023]]
    rows += [["x", 5] for _ in range(50)]
    document = read(write_workbook(tmp_path / "a.xlsx", {"S": rows}))
    assert len(document.tables[0].rows) == 15
    assert "'S'" in document.warnings[0].detail


def test_distant_cells_use_no_memory(tmp_path: Path) -> None:
    sheet = (
        b'<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>9</v></c></row>'
        b'<row r="1048576"><c r="B1048576"><v>2</v></c></row></sheetData></worksheet>'
    )
    document = read(write_workbook(tmp_path / "a.xlsx", {"S": []}, parts={"xl/worksheets/sheet1.xml": sheet}))
    assert sum(len(row) for table in document.tables for row in table.cells) < 3 * tabular.MOST_COLUMNS


def with_header(path: Path, local: int, value: int) -> None:
    """Write a 16-bit number into the local header and the central directory entry of each part of a ZIP archive."""
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\3\4", local), (b"PK\1\2", local + 2)):
        at = data.find(mark)
        while at >= 0:
            struct.pack_into("<H", data, at + offset, value)
            at = data.find(mark, at + 4)
    path.write_bytes(data)


@pytest.mark.parametrize(("field", "value"), [(8, 99), (6, 1)], ids=["packed in a method of others", "encrypted"])
def test_damaged_archive_is_one_line(tmp_path: Path, field: int, value: int) -> None:
    with_header(path := write_workbook(tmp_path / "a.xlsx", {"S": INCOME}), field, value)
    with pytest.raises(DatasetError, match=r"a\.xlsx"):
        read(path)


def test_unsupported_zip_version_is_reported(tmp_path: Path) -> None:
    with_header(path := write_workbook(tmp_path / "a.xlsx", {"S": INCOME}), 4, 99)
    content = read_content(path)
    assert content.members == ()
    assert "zip" in unread_file(content)


@pytest.mark.parametrize("encoding", ["UTF-1.5", "zlib_codec", "undefined", "../x", "punycode", "shift_jis", "utf-16"])
def test_a_part_in_an_encoding_that_is_not_read_is_one_line(tmp_path: Path, encoding: str) -> None:
    part = f'<?xml version="1.0" encoding="{encoding}"?><a>\u00e9</a>'.encode()
    path = write_workbook(tmp_path / "a.xlsx", {"S": INCOME}, parts={"xl/workbook.xml": part})
    with pytest.raises(DatasetError, match=r"a\.xlsx"):
        read(path)


@pytest.mark.parametrize("part", ["xl/workbook.xml", "xl/styles.xml", "xl/worksheets/sheet1.xml"])
@pytest.mark.parametrize("data", [b"", b"<a><b></a>", b"\0\1\2", b"<a/>"])
def test_a_damaged_part_is_read_or_refused(tmp_path: Path, part: str, data: bytes) -> None:
    path = write_workbook(tmp_path / "a.xlsx", {"S": [["rent", 5]]}, parts={part: data})
    with suppress(DatasetError):
        read(path)


def test_a_broken_archive_is_one_line(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "a.xlsx", {"S": [["rent", 5]] * 50})
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(io.BytesIO(data)) as found:
        at = found.getinfo("xl/worksheets/sheet1.xml").header_offset
    data[at + 80 : at + 90] = b"\xff" * 10
    path.write_bytes(data)
    with pytest.raises(DatasetError, match=r"a\.xlsx"):
        read(path)
