"""A column called "Unit" that says what each row counts in: `EUR m`, `%`, `MWh`.

Goes before captions and titles, which speak of the other rows.
"""

import re
from dataclasses import replace

from quaestor.core.quantity import LARGE_SCALES, Scale
from quaestor.documents.captions import NOTHING, Caption, read_caption
from quaestor.documents.table import Header, Table
from quaestor.documents.unit_phrases import SCALE_WORD, currency_alone, is_unit_line

_HEAD = re.compile(
    r"(?:[a-z]{1,20} )?(?:units?(?: of measure(?:ment)?)?|uom|currency|currencies|scale|multiplier|measure|einheit"
    r"|unit\u00e9|unidad|unit\u00e0|eenheid|enhet|\u5358\u4f4d|\u5355\u4f4d)",
    re.IGNORECASE,
)
_LONGEST = 40
_IN_CODE = re.compile(r"(?:iso4217|xbrli):", re.IGNORECASE)
_FOR_ONE = re.compile(r"\s?(?:/|per)\s?", re.IGNORECASE)
_FIXED = (
    (re.compile(r"%|(?:in )?per ?cent(?:age)?s?|pct|percentage points|pp", re.IGNORECASE), Caption(Scale.PERCENT)),
    (re.compile(r"bps?|basis points?", re.IGNORECASE), Caption(Scale.ONE, "basis points")),
    (re.compile(r"#|no\.?|nr\.?|number|count|pure|units?|pcs|each", re.IGNORECASE), Caption(Scale.ONE)),
    (re.compile(r"\W*"), NOTHING),
)
_SCALED = re.compile(
    rf"(?:in\s)?(?P<scale>{SCALE_WORD}|['\u2019]?000s?)\s(?:of\s)?(?P<unit>[^0-9]{{1,30}})", re.IGNORECASE
)


def with_unit_columns(table: Table) -> Table:
    """Return a table whose rows have the scales and units that its columns called "unit" name."""
    places = [place for place, header in enumerate(table.columns) if place and _is_unit_column(table, place, header)]
    if not places:
        return table
    rows = list(table.rows)
    for row in range(table.header_rows, len(rows)):
        said = [read_unit_cell(text) for place in places if (text := table.cells[row][place].text.strip())]
        scales = [caption.scale for caption in said if caption.scale]
        # "EUR" beside "thousand": the one that says more.
        scale = next((scale for scale in scales if scale is not Scale.ONE), scales[0] if scales else None)
        unit = next((caption.unit for caption in said if caption.unit), None)
        if said:
            rows[row] = replace(rows[row], scale=scale, unit=unit)
    return replace(table, rows=tuple(rows))


def _is_unit_column(table: Table, place: int, header: Header) -> bool:
    if not _HEAD.fullmatch(header.label.strip()):
        return False
    cells = [row[place] for row in table.cells[table.header_rows :] if row[place].text.strip()]
    return bool(cells) and all(
        len(cell.text) <= _LONGEST and (not cell.quantities or is_unit_line(cell.text)) for cell in cells
    )


def read_unit_cell(text: str) -> Caption:
    """Return the unit in a cell of a column called "unit"; if it is not money, the unit as printed.

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
        return Caption(read_caption(f"({scaled['scale']})").scale, scaled["unit"])
    if caption.unit or caption.scale in LARGE_SCALES:
        return replace(caption, scale=caption.scale or Scale.ONE)
    return Caption(Scale.ONE, plain)
