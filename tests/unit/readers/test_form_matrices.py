"""All forms of numbers, units and periods, read from every format."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from every_format import FORMATS, Rows, Section, read_sections
from printed_forms import NUMBERS, PERIODS, UNIT_PHRASES

from quaestor.core.number_conventions import NumberConvention
from quaestor.core.periods import Period, shifted
from quaestor.documents.table import Table

YEARS = ("2023", "2022")
_SYLLABLES = [first + last for first in "bdfgklmnprst" for last in ("al", "en", "ir", "ol", "un")]


def _read(kind: str, sections: Sequence[Section], folder: Path) -> list[Table]:
    """Return the tables of some sections, written in a format and read again."""
    parts = [[section] for section in sections] if kind == "csv" else [sections]
    return [table for part in parts for table in read_sections(kind, part, folder).tables]


def _name(number: int) -> str:
    """Return an invented name by which a table or row is found."""
    return (_SYLLABLES[number // len(_SYLLABLES)] + _SYLLABLES[number % len(_SYLLABLES)]).capitalize()


def _row(tables: Iterable[Table], name: str) -> tuple[Table, int]:
    """Return the table and the index of the row with a name."""
    return next((table, row) for table in tables for row, head in enumerate(table.rows) if name in head.label)


def _printed_with(place: int) -> tuple[NumberConvention, bool]:
    """Return the number convention of a form, and whether it uses a white triangle."""
    convention, text, *_ = NUMBERS[place]
    return convention, "\u25bd" in text


def _body(name: str) -> Rows:
    return [[f"Revenue of {name}", "64,210", "60,100"], ["Cost", "41,480", "40,050"], ["Profit", "22,730", "20,050"]]


def _plain(period: Period | None) -> Period | None:
    """Return a period without the day on which it ends."""
    return period and replace(period, ends=None)


def _year_before(heading: str) -> str:
    """Return a heading with each year replaced by the previous one, in the same form."""
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
        own = Period("year", period.last) if period.last else period  # "2022-23" beside "2021-22"
        before = shifted(own, -1) if _year_before(text) != text else own
        found[place, text] = [_plain(table.period_at(row, column)) for column in (1, 2)]
        expected[place, text] = [_plain(own), _plain(before)]
    assert found == expected
