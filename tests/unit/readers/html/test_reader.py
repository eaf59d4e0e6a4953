"""HTML files are read as visible content in visual order."""

from pathlib import Path

import pytest

from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.readers.content import FileContent
from quaestor.readers.html.reader import HtmlReader
from quaestor.readers.registry import find_reader

STATEMENT = """
<div style="text-align:center"><span style="font-weight:700">QUILL STATEMENTS OF OPERATIONS</span></div>
<div style="text-align:center"><span style="font-weight:700">(In millions, except per share amounts)</span></div>
<table>
 <tr><td style="width:1%"></td><td></td><td></td><td></td><td></td><td></td><td></td><td></td></tr>
 <tr><td colspan="1"></td><td colspan="7">Years ended December 31,</td></tr>
 <tr><td></td><td colspan="3">2024</td><td></td><td colspan="3">2023</td></tr>
 <tr><td>Net sales</td><td>$</td><td>1,200</td><td></td><td></td><td>$</td><td>1,100</td><td></td></tr>
 <tr><td>Loss on sale (1)</td><td colspan="2">(5</td><td>)</td><td></td><td colspan="2">&#8212;</td><td></td></tr>
 <tr><td>Margin</td><td colspan="2">12.5</td><td>%</td><td></td><td colspan="2">11</td><td>%</td></tr>
</table>
"""


def read(body: str) -> Document:
    return HtmlReader().read(FileContent(Path("quill.html"), f"<html><body>{body}</body></html>".encode()))


def texts(document: Document) -> list[list[str]]:
    (table,) = document.tables
    return [[cell.text for cell in row] for row in table.cells]


def test_statement_is_read_as_printed() -> None:
    document = read(STATEMENT)
    (table,) = document.tables
    assert texts(document) == [
        ["", "Years ended December 31,", "Years ended December 31,"],
        ["", "2024", "2023"],
        ["Net sales", "$1,200", "$1,100"],
        ["Loss on sale (1)", "(5)", "—"],
        ["Margin", "12.5%", "11%"],
    ]
    assert (table.title, table.header_rows, table.scale) == ("QUILL STATEMENTS OF OPERATIONS", 2, Scale.MILLION)
    assert table.caption == "(In millions, except per share amounts)"
    loss = table.cells[3][1].quantity
    assert loss is not None
    assert loss.value == -5


def test_hidden_elements_are_not_read() -> None:
    document = read(
        "<p>Seen.</p><div style='display:none'>Hidden 5.</div><script>var x = '<p>6</p>';</script><p>Too.</p>"
    )
    assert [sentence.text for sentence in document.sentences] == ["Seen.", "Too."]


HIDDEN = ["<tr {}><td>Sales</td><td>9</td><td>8</td></tr>", "<tr><td {}>99</td><td>Sales</td><td>5</td><td>4</td></tr>"]


@pytest.mark.parametrize("row", HIDDEN)
@pytest.mark.parametrize(
    "by",
    [
        "hidden",
        "style='display:none'",
        "style='DISPLAY : none !important'",
        "class='b old'",
        "id='old'",
        "class='note'",
    ],
)
def test_a_hidden_row_or_cell_is_not_read(row: str, by: str) -> None:
    sheet = "<style>/* .b {display: none} */ .old, #old, td.note, tr.note { display: none } .b {color: red}</style>"
    rows = "<tr><td></td><td>2023</td><td>2022</td></tr><tr><td>Costs</td><td>(7)</td><td>(6)</td></tr>"
    document = read(sheet + f"<table>{rows}{row.format(by)}<tr><td>Net</td><td>1</td><td>2</td></tr></table>")
    assert texts(document)[0] == ["", "2023", "2022"]
    assert not {"99", "9"} & {text for row in texts(document) for text in row}
    assert texts(document)[-1] == ["Net", "1", "2"]


@pytest.mark.parametrize(
    "sheet", ["@media print { .old { display: none } }", ".old { display: none } .old {display:block}"]
)
def test_elements_displayed_by_a_style_sheet_are_read(sheet: str) -> None:
    assert [s.text for s in read(f"<style>{sheet}</style><p class='old'>Seen.</p>").sentences] == ["Seen."]


def test_bullets_are_text() -> None:
    document = read("<table><tr><td>•</td><td>Rent rose 5%.</td></tr><tr><td>•</td><td>Sales fell.</td></tr></table>")
    assert not document.tables
    assert [sentence.text for sentence in document.sentences] == ["• Rent rose 5%.", "• Sales fell."]


def test_sections_have_paths() -> None:
    document = read(
        "<p><b>PART II</b></p><p><b>Item 7. Discussion</b></p><p>Text one.</p><p><i>Liquidity</i></p><p>Text two.</p>"
        "<p><b>Item 8. Statements</b></p><p>Text three.</p>"
    )
    paths = [section.path for section in document.sections]
    assert ("PART II", "Item 7. Discussion", "Liquidity") in paths
    assert paths[-1] == ("PART II", "Item 8. Statements")


def test_page_furniture_is_dropped_and_pages_are_counted() -> None:
    page = (
        "<p>Table of Contents</p><p>Text of page {0} is here.</p><p>Quill | {0}</p><hr style='page-break-after:always'>"
    )
    document = read("".join(page.format(number) for number in range(1, 6)))
    assert [sentence.text for sentence in document.sentences] == [f"Text of page {n} is here." for n in range(1, 6)]
    assert [block.page for block in document.blocks] == [1, 2, 3, 4, 5]


def test_html_is_recognised_by_its_content() -> None:
    reader = find_reader(FileContent(Path("data.bin"), b"<!-- made by hand -->\n<HTML><BODY>x</BODY></HTML>"))
    assert reader is not None
    assert reader.name == "html"
    assert find_reader(FileContent(Path("x.html"), b"%PDF-1.4 <p>")) is not reader


def test_too_deep_tree_is_read_up_to_the_limit() -> None:
    document = read("<p>Before 7 it rose.</p>" + "<div>" * 100_000 + "deep")
    assert document.sentences[0].text == "Before 7 it rose."
    assert len(document.warnings) == 1


def test_a_paragraph_that_the_end_of_a_page_cuts_is_one() -> None:
    rule = '<p>7</p><hr style="page-break-after:always">'
    first = "<p>Deferred revenue rose by $208 million from $1,521 million at the end of last year to $1,728</p>"
    document = read(f"{first}{rule}<p>million in June. It fell again.</p>{rule}<p>The rest is new.</p>")
    assert [s.text[-22:] for s in document.sentences] == [
        "1,728 million in June.",
        "It fell again.",
        "The rest is new.",
    ]


def html_table(*rows: str) -> str:
    """Return an HTML table from rows whose cells are separated by `|`."""
    return f"<table>{''.join('<tr><td>' + row.replace('|', '</td><td>') + '</td></tr>' for row in rows)}</table>"


@pytest.mark.parametrize(
    ("rows", "last"),
    [
        (("|2023|2022|2021", "Sales|640|600|560", "Net income|38|(12)|25"), ["Net income", "38", "(12)", "25"]),
        (("|2023|2022", "Net income|38|(12)", "Tax|(9)|(3)"), ["Tax", "(9)", "(3)"]),
        (("|2023|2022|Growth, %", "North|91.7|255.6|(64)", "South|80.1|85.0|(6)"), ["South", "80.1", "85.0", "(6)"]),
        (("Sales|640|600", "Net income|38|(12)"), ["Net income", "38", "(12)"]),
        (("|Q1|Q2|Q3|Q4", "Sales|5|6|7|8", "Result|(1)|(2)|3|(4)"), ["Result", "(1)", "(2)", "3", "(4)"]),
        (("|$|2023|$|2022", "Sales|$|640|$|600", "Result|$|38|$|(12)"), ["Result", "$38", "$(12)"]),
    ],
)
def test_a_number_in_brackets_in_a_column_of_its_own_is_negative(rows: tuple[str, ...], last: list[str]) -> None:
    assert texts(read(html_table(*rows)))[-1] == last


@pytest.mark.parametrize(
    ("rows", "last"),
    [
        (("|2023||2022|", "Sales|640||600|", "Result|38|(1)|12|(2)"), ["Result", "38 (1)", "12 (2)"]),
        (("|2023||2022|", "Margin|12|%|11|%", "Result|(38|)|12|(2)"), ["Result", "(38)", "12 (2)"]),
        (("|2023||2022|", "Sales|640|*|600|", "Result|38|(a)|12|(12)"), ["Result", "38 (a)", "12 (12)"]),
    ],
)
def test_a_number_in_brackets_in_a_column_of_signs_is_a_footnote_mark(rows: tuple[str, ...], last: list[str]) -> None:
    assert texts(read(html_table(*rows)))[-1] == last


@pytest.mark.parametrize("style", ["vertical-align:super", "position:relative;top:-3.5pt;vertical-align:baseline"])
def test_superscript_in_a_separate_cell_belongs_to_the_cell_before(style: str) -> None:
    def mark(text: str) -> str:
        return f'<td><span style="font-size:6pt;{style}">{text}</span></td>'

    document = read(
        "<table><tr><td></td><td colspan=4>2024</td></tr>"
        f"<tr><td></td><td>Level 1</td><td></td><td>Netting</td>{mark('4')}</tr>"
        f"<tr><td>Swaps</td><td>1,200</td>{mark('1')}<td>&#8212;</td>{mark('(2)')}</tr>"
        "<tr><td>Bonds</td><td>900</td><td></td><td>300</td><td></td></tr></table>"
    )
    (table,) = document.tables
    assert [column.levels for column in table.columns[1:]] == [("2024", "Level 1"), ("2024", "Netting")]
    assert texts(document)[2:] == [["Swaps", "1,200 (1)", "— (2)"], ["Bonds", "900", "300"]]
    assert [str(q.value) for q in table.cells[2][1].quantities] == ["1200"]
    assert table.cells[2][2].is_dash


def test_caption_below_two_headings_applies_to_all_of_the_first() -> None:
    document = read(
        "<h1>Discussion of results</h1><h2>Quill Corporation</h2><p>(Dollars in millions, except per share data)</p>"
        "<h2>Overview</h2><p>Sales were $7,107 and earnings $3.73 a share.</p>"
        "<h1>Exhibits</h1><p>Quill paid $12 for copies.</p>"
    )
    scales = [mention.quantity.scale for sentence in document.sentences for mention in sentence.mentions]
    assert scales == [Scale.MILLION, Scale.ONE, Scale.ONE]


def test_line_in_a_larger_font_than_the_text_is_a_heading() -> None:
    document = read(
        "<p><b>Critical audit matters</b></p><p>The audit took ninety days of work by three people.</p>"
        '<div style="font-size:22pt">CONSOLIDATED STATEMENTS OF INCOME</div>'
        "<table><tr><td></td><td>2025</td></tr><tr><td>Revenues</td><td>46,309</td></tr></table>"
        '<div style="font-size:11pt">Sales fell</div><p>They fell in every region.</p>'
    )
    (table,) = document.tables
    assert document.section_of(table).title == "CONSOLIDATED STATEMENTS OF INCOME"
    assert "Sales fell" in [sentence.text for sentence in document.sentences]


@pytest.mark.parametrize("unit", ["£000", "NZ$000", "£\u2019000"])
def test_row_of_units_is_a_heading(unit: str) -> None:
    (table,) = read(
        html_table("|Note|2025|2024", f"||{unit}|{unit}", "Revenue|3|412,330|367,168", "Tax|4|(1,906)|(1,380)")
    ).tables
    assert (table.header_rows, table.scale_at(2, 2)) == (2, Scale.THOUSAND)


@pytest.mark.parametrize("year", ["2025<br/>£m", "2025", "31.12.2025"])
def test_sign_beside_a_year_heads_a_column(year: str) -> None:
    (table,) = read(html_table(f"|{year}|%|2024", "UK|1,201.2|4.4|1,150.1", "France|740.9|5.8|700.6")).tables
    assert [column.label for column in table.columns[2:]] == ["%", "2024"]
    assert (table.columns[1].scale is Scale.PERCENT, table.columns[2].scale) == (False, Scale.PERCENT)


def test_sign_beside_a_unit_heads_a_column() -> None:
    (table,) = read(html_table("|2025|2024|Change", "|£000|£000|%", "Revenue|412,330|367,168|12.3")).tables
    assert [table.scale_at(2, column) for column in (1, 2, 3)] == [Scale.THOUSAND, Scale.THOUSAND, Scale.PERCENT]


def test_sign_in_a_column_of_units_is_not_part_of_the_next_number() -> None:
    document = read(html_table("|Unit|2023|2022", "Orders|EUR m|4,512|4,211", "EPS|€|2.34|2.10", "Staff|FTE|234|210"))
    assert texts(document)[2] == ["EPS", "€", "2.34", "2.10"]


@pytest.mark.parametrize(("row", "header"), [("Rate|3.9% - 4.5%|3.4% - 4.8%", 1), ("|0% - 5%|5.1% - 9%", 2)])
def test_row_of_ranges_with_a_label_is_not_a_heading(row: str, header: int) -> None:
    (table,) = read(html_table("|2024|2023", row, "Term in years|5.1|5.0")).tables
    assert table.header_rows == header
