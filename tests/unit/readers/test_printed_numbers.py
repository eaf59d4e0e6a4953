"""Numbers in each format follow the document's convention, and every notation of a loss is negative."""

from decimal import Decimal
from pathlib import Path

import pytest
from every_format import read_sections

from quaestor.datasets.formats import read_document

CELLS = {"1,234.5": Decimal("1234.5"), "12,5": None, "1.2.3": None, "987.5": Decimal("987.5")}


@pytest.mark.parametrize("kind", ["html", "md", "csv"])  # not plain text, in which a line without a number is not a row
def test_numbers_in_another_convention_are_not_parsed(tmp_path: Path, kind: str) -> None:
    rows = [("", "2023", "2022"), *((f"Line {number}", cell, cell) for number, cell in enumerate(CELLS))]
    (table,) = read_sections(kind, [(["Report"], rows)], tmp_path).tables
    found = [[cell.quantity and cell.quantity.value for cell in row[1:]] for row in table.cells[1:]]
    assert found == [[value] * 2 for value in CELLS.values()]


def test_a_bracket_may_close_in_the_next_cell(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    path.write_text("| | 2023 | |\n|---|---|---|\n| Profit | 38 | |\n| Loss | (12 | ) |\n")
    (table,) = read_document(path).tables
    assert [row[1].quantity and row[1].quantity.value for row in table.cells[1:]] == [38, -12]


def test_tags_determine_the_decimal_mark(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(
        """<html xmlns:ix="http://www.xbrl.org/2013/inlineXBRL" xmlns:xbrli="http://www.xbrl.org/2003/instance"><body>
        <ix:header><ix:resources><xbrli:context id="c"><xbrli:entity><xbrli:identifier scheme="s">1</xbrli:identifier>
        </xbrli:entity><xbrli:period><xbrli:startDate>2023-01-01</xbrli:startDate><xbrli:endDate>2023-12-31
        </xbrli:endDate></xbrli:period></xbrli:context><xbrli:unit id="u"><xbrli:measure>iso4217:EUR</xbrli:measure>
        </xbrli:unit></ix:resources></ix:header><table><tr><th></th><th>2023</th></tr><tr><td>Revenue</td><td>
        <ix:nonFraction name="ifrs-full:Revenue" contextRef="c" unitRef="u" decimals="0" scale="0"
        format="ixt:num-comma-decimal">91.402</ix:nonFraction></td></tr></table></body></html>"""
    )
    (table,) = read_document(path).tables
    assert table.cells[1][1].quantity is not None
    assert table.cells[1][1].quantity.value == 91402
