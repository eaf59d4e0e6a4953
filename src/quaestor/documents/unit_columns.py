"""Columns called "Unit" with the unit of each row: `EUR m`, `%`, `MWh`.

They take precedence over captions and titles, which are about the other rows.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from quaestor.core.quantity import LARGE_SCALES, Scale, scale_called
from quaestor.documents.captions import HUNDREDTHS, NOTHING, Caption, read_caption
from quaestor.documents.table import Cell, Header, Table
from quaestor.documents.unit_phrases import SCALE_WORD, currency_alone, is_unit_line

_HEAD = re.compile(
    r"(?:(?!reporting |functional )"
    r"[a-z]{1,20} )?(?:units?(?: of measure(?:ment)?)?|uom|currency|currencies|scale|multiplier|measure|einheit"
    r"|unit\u00e9|unidad|unit\u00e0|eenheid|enhet|\u5358\u4f4d|\u5355\u4f4d)|in",
    re.IGNORECASE,
)
_LONGEST = 40
_LONGEST_UNIT = 12
"""Most characters of a unit other than money in a column without heading."""
_IN_CODE = re.compile(r"(?:iso4217|xbrli):", re.IGNORECASE)
_FOR_ONE = re.compile(r"\s?(?:/|per)\s?", re.IGNORECASE)
_FIXED = (
    (re.compile(r"%|(?:in )?per ?cent(?:age)?s?|pct|percentage points|pp", re.IGNORECASE), Caption(Scale.PERCENT)),
    (re.compile(r"bpt?s?|basis points?", re.IGNORECASE), Caption(Scale.ONE, "basis points")),
    (re.compile(r"#|no\.?|nr\.?|number|count|pure|units?|pcs|each", re.IGNORECASE), Caption(Scale.ONE)),
    (re.compile(r"\W*"), NOTHING),
)
_SCALED = re.compile(
    rf"(?:in\s)?(?P<scale>{SCALE_WORD}|['\u2018\u2019]?000s?|1[,.\s]000)\s(?:of\s)?(?P<unit>[^0-9]{{1,30}})",
    re.IGNORECASE,
)


def with_unit_columns(table: Table) -> Table:
    """Return a table whose rows have the scales and units of its columns called "unit"."""
    places = [place for place, header in enumerate(table.columns) if place and _is_unit_column(table, place, header)]
    if not places:
        return table
    rows = list(table.rows)
    for row in range(table.header_rows, len(rows)):
        captions = [read_unit_cell(text) for place in places if (text := table.cells[row][place].text.strip())]
        scales = [caption.scale for caption in captions if caption.scale]
        # "EUR" beside "thousand": use the scale that is not one.
        scale = next((scale for scale in scales if scale is not Scale.ONE), scales[0] if scales else None)
        unit = next((caption.unit for caption in captions if caption.unit), None)
        if captions:
            rows[row] = replace(rows[row], scale=scale, unit=unit)
    return replace(table, rows=tuple(rows))


def _is_unit_column(table: Table, place: int, header: Header) -> bool:
    cells = [row[place] for row in table.cells[table.header_rows :] if row[place].text.strip()]
    if not header.label and not _are_units(cells):
        return False
    if header.label and not _HEAD.fullmatch(header.label.strip()):
        return False
    return bool(cells) and all(
        len(cell.text) <= _LONGEST
        and (not cell.quantities or is_unit_line(cell.text) or _SCALED.fullmatch(cell.text.strip()) is not None)
        for cell in cells
    )


def read_unit_cell(text: str) -> Caption:
    """Parse a cell of a column called "unit"; a unit that is not money is returned as printed.

    >>> read_unit_cell("EUR m"), read_unit_cell("MWh").unit
    (Caption(scale=<Scale.MILLION: 'million'>, unit='EUR'), 'MWh')
    """
    plain = _IN_CODE.sub("", " ".join(text.split()))
    money, *one = _FOR_ONE.split(plain, maxsplit=1)
    if code := currency_alone(money):
        return Caption(Scale.ONE if one else None, code)
    fixed = next((caption for pattern, caption in _FIXED if pattern.fullmatch(plain)), None)
    if fixed is not None:
        return fixed
    caption, scaled = read_caption(f"({plain})"), _SCALED.fullmatch(plain)
    if scaled and not caption.unit:
        return Caption(scale_called(re.sub(r"^1[.\s]000", "1,000", scaled["scale"])), scaled["unit"])
    if caption.unit or caption.scale in LARGE_SCALES:
        return replace(caption, scale=caption.scale or Scale.ONE)
    return Caption(Scale.ONE, plain)


def _are_units(cells: Sequence[Cell]) -> bool:
    """Whether the cells of a column without heading are units, of amounts of money and others: "R'm", "cents", "%"."""
    words = [cell for cell in cells if len(cell.text) > _LONGEST_UNIT and find_price_unit(cell.text) is None]
    if any(cell.quantities or not is_unit_line(cell.text) for cell in words):
        return False
    return len(cells) > 1 and any(read_caption(cell.text).scale in LARGE_SCALES for cell in cells)


def find_price_unit(text: str) -> str | None:
    """Return the unit of prices that a cell consists of, or None."""
    unit = read_caption(text).unit if len(text) <= _LONGEST and not any(map(str.isdigit, text)) else None
    return unit if unit in HUNDREDTHS else None
