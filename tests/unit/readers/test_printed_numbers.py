"""Each format is read in its document's convention, with every sign of a loss."""

from decimal import Decimal
from pathlib import Path

import pytest

from quaestor.datasets.formats import read_document
from quaestor.documents.document import Document

CELLS = {"1,234.5": Decimal("1234.5"), "12,5": None, "1.2.3": None, "987.5": Decimal("987.5")}


def _html(cells: list[str]) -> str:
    rows = "".join(f"<tr><td>Line {n}</td><td>{a}</td><td>{a}</td></tr>" for n, a in enumerate(cells))
    return f"<html><body><table><tr><th></th><th>2023</th><th>2022</th></tr>{rows}</table></body></html>"


def _markdown(cells: list[str]) -> str:
    return "| | 2023 | 2022 |\n|---|---|---|\n" + "".join(f"| Line {n} | {a} | {a} |\n" for n, a in enumerate(cells))


def _csv(cells: list[str]) -> str:
    return "\n".join(["\t2023\t2022", *(f"Line {n}\t{a}\t{a}" for n, a in enumerate(cells))])


WRITERS = {".html": _html, ".md": _markdown, ".tsv": _csv}


def _read(folder: Path, suffix: str, cells: list[str]) -> Document:
    path = folder / f"report{suffix}"
    path.write_text(WRITERS[suffix](cells), encoding="utf-8")
    return read_document(path)


@pytest.mark.parametrize("suffix", [".html", ".md", ".tsv"])  # a line of text without a number is not a row
def test_what_is_in_another_convention_is_not_read(tmp_path: Path, suffix: str) -> None:
    (table,) = _read(tmp_path, suffix, list(CELLS)).tables
    found = [[cell.quantity and cell.quantity.value for cell in row[1:]] for row in table.cells[1:]]
    assert found == [[value] * 2 for value in CELLS.values()]


def test_a_bracket_may_close_in_the_next_cell(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    path.write_text("| | 2023 | |\n|---|---|---|\n| Profit | 38 | |\n| Loss | (12 | ) |\n")
    (table,) = read_document(path).tables
    assert [row[1].quantity and row[1].quantity.value for row in table.cells[1:]] == [38, -12]


def test_tags_say_the_mark_before_decimals(tmp_path: Path) -> None:
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
