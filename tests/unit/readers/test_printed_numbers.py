"""Each format is read in its document's convention, with every sign of a loss."""

from decimal import Decimal
from pathlib import Path

import pytest

from quaestor.datasets.formats import read_document
from quaestor.documents.document import Document

ROWS: dict[str, list[tuple[str, str | None]]] = {
    "comma": [("1.401,40", "1401.40"), ("-600,00", "-600"), ("12,5 %", "12.5"), ("(7,25)", "-7.25")],
    "spaces": [("12\u00a0345,6", "12345.6"), ("-1\u202f020,5", "-1020.5"), ("(3\u2009400,0)", "-3400"), ("8,5", "8.5")],
    "apostrophes": [
        ("20'410'880.50", "20410880.50"),
        ("7\u2019150\u2019000.00", "7150000"),
        ("-987'650.00", "-987650"),
    ],
    "hundreds": [("1,28,205.40", "128205.40"), ("2,310.05", "2310.05"), ("(4,512.30)", "-4512.30")],
    "signs": [("312.5-", "-312.5"), ("\u25b33,410", "-3410"), ("\uff0d1,234", "-1234"), ("12.4M", "12.4")],
    "unread": [("1,234.5", "1234.5"), ("12,5", None), ("1.2.3", None), ("987.5", "987.5")],
}


def _html(cells: list[str]) -> str:
    rows = "".join(f"<tr><td>Line {n}</td><td>{a}</td><td>{a}</td></tr>" for n, a in enumerate(cells))
    return f"<html><body><table><tr><th></th><th>2023</th><th>2022</th></tr>{rows}</table></body></html>"


def _markdown(cells: list[str]) -> str:
    return "| | 2023 | 2022 |\n|---|---|---|\n" + "".join(f"| Line {n} | {a} | {a} |\n" for n, a in enumerate(cells))


def _csv(cells: list[str]) -> str:
    return "\n".join(["\t2023\t2022", *(f"Line {n}\t{a}\t{a}" for n, a in enumerate(cells))])


def _text(cells: list[str]) -> str:
    lines = [f"{'Total of line ' + str(n):30}{a:>16}{a:>16}" for n, a in enumerate(cells)]
    return "\n".join([f"{'':30}{'2023':>16}{'2022':>16}", *lines]) + "\n"


WRITERS = {".html": _html, ".md": _markdown, ".tsv": _csv, ".txt": _text}


def _read(folder: Path, suffix: str, cells: list[str]) -> Document:
    path = folder / f"report{suffix}"
    path.write_text(WRITERS[suffix](cells), encoding="utf-8")
    return read_document(path)


@pytest.mark.parametrize(
    ("kind", "suffix"),
    # A line of text without a number is not a row.
    [(kind, suffix) for kind in ROWS for suffix in WRITERS if (kind, suffix) != ("unread", ".txt")],
)
def test_every_format_is_read_in_its_convention(tmp_path: Path, kind: str, suffix: str) -> None:
    cells = [text for text, _ in ROWS[kind]]
    (table,) = _read(tmp_path, suffix, cells).tables
    found = [[cell.quantity and cell.quantity.value for cell in row[1:]] for row in table.cells[1:]]
    assert found == [[None if value is None else Decimal(value)] * 2 for _, value in ROWS[kind]]


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
