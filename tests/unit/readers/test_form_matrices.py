"""Every form of a number, a unit and a period, through the reader of every format."""

import html
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from pdf_files import PdfPage, pdf_of
from printed_forms import NUMBERS, PERIODS, UNIT_PHRASES
from workbooks import Written, write_workbook

from quaestor.core.number_conventions import NumberConvention
from quaestor.core.periods import Period, shifted
from quaestor.documents.table import Table
from quaestor.readers.content import FileContent
from quaestor.readers.registry import find_reader

Rows = Sequence[Sequence[str]]
Section = tuple[Sequence[str], Rows]
"""The lines over a table, and its rows."""

FORMATS = ("html", "pdf", "xlsx", "csv", "md", "txt")
YEARS = ("2023", "2022")
_SYLLABLES = [first + last for first in "bdfgklmnprst" for last in ("al", "en", "ir", "ol", "un")]


def _html(sections: Iterable[Section], path: Path) -> None:
    parts = []
    for lines, rows in sections:
        title, *others = map(html.escape, lines)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        parts.append(f"<h2>{title}</h2>{''.join(f'<p>{line}</p>' for line in others)}<table>{body}</table>")
    path.write_text(f"<html><meta charset='utf-8'><body>{''.join(parts)}</body></html>", encoding="utf-8")


def _markdown(sections: Iterable[Section], path: Path) -> None:
    parts = []
    for (title, *others), (head, *body) in sections:
        rows = [head, ["---"] * len(head), *body]
        parts += [f"# {title}", *others, "\n".join(f"| {' | '.join(row)} |" for row in rows)]
    path.write_text("\n\n".join(parts), encoding="utf-8")


def _csv(sections: Iterable[Section], path: Path) -> None:
    lines = [[*([line] for line in over), *rows] for over, rows in sections]
    text = "\n\n".join("\n".join(",".join(f'"{cell}"' for cell in row) for row in section) for section in lines)
    path.write_text(text, encoding="utf-8")


def _text(sections: Iterable[Section], path: Path) -> None:
    parts = []
    for over, rows in sections:
        table = (row[0].ljust(40) + "".join(f"  {cell:>34}" for cell in row[1:]) for row in rows)
        parts.append("\n".join([*(f"              {line}" for line in over), "", *table, ""]))
    path.write_text("\n".join(parts), encoding="utf-8")


def _pdf(sections: Iterable[Section], path: Path) -> None:
    pages = []
    for over, rows in sections:
        page = PdfPage(width=842)
        for number, line in enumerate(over):
            page.center(421, 60 + 14 * number, line, bold=not number)
        for number, row in enumerate(rows):
            page.text(40, 130 + 12 * number, row[0])
            for place, cell in enumerate(row[1:]):
                page.right(420 + 260 * place, 130 + 12 * number, cell)
        pages.append(page)
    path.write_bytes(pdf_of(pages))


def _workbook(sections: Iterable[Section], path: Path) -> None:
    sheets: dict[str, list[list[Written]]] = {}
    for number, (over, rows) in enumerate(sections):
        sheets[f"Sheet {number}"] = [[_number(cell) for cell in row] for row in (*([line] for line in over), *rows)]
    write_workbook(path, sheets)


def _number(cell: str) -> Written:
    """Return a cell of a workbook: a number for what is certainly one."""
    return int(cell.replace(",", "")) if re.fullmatch("[0-9]{2},[0-9]{3}|20[0-9]{2}", cell) else cell


WRITERS: dict[str, Callable[[Iterable[Section], Path], None]] = {
    "html": _html, "pdf": _pdf, "xlsx": _workbook, "csv": _csv, "md": _markdown, "txt": _text,
}  # fmt: skip


def _read(kind: str, sections: Sequence[Section], folder: Path) -> list[Table]:
    """Return the tables of a file of some sections; a file of comma-separated values has one section."""
    tables: list[Table] = []
    for number, part in enumerate([[section] for section in sections] if kind == "csv" else [sections]):
        path = folder / f"{number}.{kind}"
        WRITERS[kind](part, path)
        content = FileContent(path, path.read_bytes())
        reader = find_reader(content)
        assert reader is not None
        tables += reader.read(content).tables
    return tables


def _name(number: int) -> str:
    """Return a made-up name, by which a table is found."""
    return (_SYLLABLES[number // len(_SYLLABLES)] + _SYLLABLES[number % len(_SYLLABLES)]).capitalize()


def _row(tables: Iterable[Table], name: str) -> tuple[Table, int]:
    """Return where the row with a name stands."""
    return next((table, row) for table in tables for row, head in enumerate(table.rows) if name in head.label)


def _printed_with(place: int) -> tuple[NumberConvention, bool]:
    """Return what the numbers of one document have in common: the convention, and which triangles are losses."""
    convention, text, *_ = NUMBERS[place]
    return convention, "\u25bd" in text


def _body(name: str) -> Rows:
    return [[f"Revenue of {name}", "64,210", "60,100"], ["Cost", "41,480", "40,050"], ["Profit", "22,730", "20,050"]]


def _plain(period: Period | None) -> Period | None:
    """Return a period without the day on which it ends, if it is not that of the calendar."""
    return period and replace(period, ends=None)


def _year_before(heading: str) -> str:
    """Return a heading for the year before, printed in the same form."""
    return re.sub("(?<![0-9])((?:20)?)(2[2-4])(?![0-9])", lambda found: f"{found[1]}{int(found[2]) - 1}", heading)


@pytest.mark.parametrize("kind", FORMATS)
def test_numbers(kind: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    found, expected = {}, {}
    for shared in dict.fromkeys(map(_printed_with, range(len(NUMBERS)))):
        places = [place for place in range(len(NUMBERS)) if _printed_with(place) == shared]
        rows = [[f"Result of {_name(place)}", NUMBERS[place][1], NUMBERS[place][1]] for place in places]
        sections = [(["Results"], [["", *YEARS], ["Products", "12", "15"], *rows])]
        tables = _read(kind, sections, tmp_path_factory.mktemp("numbers"))
        for place in places:
            _, text, value, scale = NUMBERS[place]
            table, row = _row(tables, _name(place))
            cells = table.cells[row][1:]
            found[place, text] = [cell.quantity and (cell.quantity.value, cell.quantity.scale) for cell in cells]
            expected[place, text] = [(Decimal(value), scale)] * 2
    assert found == expected


@pytest.mark.parametrize("kind", FORMATS)
def test_phrases_about_units(kind: str, tmp_path: Path) -> None:
    sections = [
        ([f"Statement of income of {_name(place)}", text], [["", *YEARS], *_body(_name(place))])
        for place, (text, *_) in enumerate(UNIT_PHRASES)
    ]
    tables = _read(kind, sections, tmp_path)
    found, expected = {}, {}
    for place, (text, scale, currency) in enumerate(UNIT_PHRASES):
        table, row = _row(tables, _name(place))
        units = [currency and table.unit_at(row, column) for column in (1, 2)]
        found[place, text] = [table.scale_at(row, column) for column in (1, 2)], units
        expected[place, text] = [scale] * 2, [currency] * 2
    assert found == expected


@pytest.mark.parametrize("kind", FORMATS)
def test_headings_of_periods(kind: str, tmp_path: Path) -> None:
    headings = [(text, period) for period, texts in PERIODS for text in texts]
    sections = [
        ([f"Statement of income of {_name(place)}"], [["", text, _year_before(text)], *_body(_name(place))])
        for place, (text, _) in enumerate(headings)
    ]
    tables = _read(kind, sections, tmp_path)
    found, expected = {}, {}
    for place, (text, period) in enumerate(headings):
        table, row = _row(tables, _name(place))
        before = shifted(period, -1) if _year_before(text) != text else period
        found[place, text] = [_plain(table.period_at(row, column)) for column in (1, 2)]
        expected[place, text] = [_plain(period), _plain(before)]
    assert found == expected
