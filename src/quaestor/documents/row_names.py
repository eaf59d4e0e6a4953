"""Finds the names of rows: in the first column, in several label columns, or in the columns of a long table.

A label printed once for several rows ("Pumps" beside "Europe", then "" beside "Asia") applies to all of them. Cells are
not changed.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from quaestor.core.periods import Period, first_day, parse_period, period_of_months

Grid = Sequence[Sequence[str]]
IsAmount = Callable[[str], bool]

_WORD = re.compile(r"[^\W\d_]{2,}|[^\W\d_]\d")
_LONGEST_NAME = 200
_VALUE = re.compile(r"(?:[a-z]{1,20} )?(?:values?|amounts?|figures?|val)(?: ?\(.{0,60}\))?")
_NUMBERING = re.compile(r"(?:s|sr|sl|serial|line)\.?\s?(?:no|number)s?\.?|sr\.?|#", re.IGNORECASE)
_UNIT = re.compile(r"(?:[a-z]{1,20} )?(?:units?|uom|currency|currencies|scale|multiplier)(?: of measure(?:ment)?)?")
_ITEM = re.compile(
    r"(?:[a-z]{1,20} )?(?:concepts?|metrics?|items?|measures?|lines?|accounts?|indicators?|tags?|kpis?|variables?"
    r"|series)(?: (?:names?|items?))?"
)
_ITEM_IN_WORDS = re.compile(r"(?:[a-z]{1,20} )?(?:labels?|descriptions?|captions?)")
_END = re.compile(
    r"(?:(?:fiscal |reporting )?(?:period|year|quarter|month) ?)?(?:end(?:ed|ing)?|end date|date|as of|as at|instant)"
)
_START = re.compile(r"(?:(?:fiscal |reporting )?(?:period|year) ?)?(?:start(?:ed|ing)?|begin(?:ning)?|from)(?: date)?")
_PERIOD = re.compile(
    r"(?:fiscal |reporting |financial |calendar )?(?:periods?|years?|quarters?|qtr|months?|time)|f[yp]"
)
_OF_A_RECORD = re.compile(
    r"(?:[a-z]{1,20} )?(?:id|accn|accession(?: (?:no|number))?|form|filed|filing date|frame|source|url|link|decimals"
    r"|level|abstract|updated(?: at)?|created(?: at)?)"
)
"""Columns about the origin of a fact rather than its content."""

_IN_CODE = re.compile(r"(?:[A-Za-z][\w-]{0,20}[:_])?([A-Za-z][A-Za-z0-9]{1,200})")
_ANY_YEAR = 2000
_DAYS_OF_A_MONTH = 365.25 / 12
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class RowNames:
    """Names of the rows of a table.

    Shape: `labels` and `periods` have one entry for each row of the grid.

    Attributes:
        columns: The columns that contain the names; their cells are not numbers of the table.
        labels: The names of each row, outermost first, without empty ones.
        periods: The period of each row if one of several name columns contains it, else None.
    """

    columns: tuple[int, ...]
    labels: tuple[tuple[str, ...], ...]
    periods: tuple[Period | None, ...]


def name_rows(grid: Grid, header_rows: int, is_amount: IsAmount) -> RowNames:
    """Return the names of the rows, which most tables have in the first column.

    Args:
        grid: R x C printed cells, never ragged.
    """
    if has_numbering(grid, header_rows) and _contains_names(grid, header_rows, 1, is_amount):
        names = name_rows([row[1:] for row in grid], header_rows, is_amount)
        return replace(names, columns=(0, *(column + 1 for column in names.columns)))
    found = _names_of_facts(grid, header_rows, is_amount) or _names_side_by_side(grid, header_rows, is_amount)
    if found is not None:
        return found
    return RowNames((0,), tuple((row[0],) if row[0].strip() else () for row in grid), (None,) * len(grid))


def has_numbering(grid: Grid, header_rows: int) -> bool:
    """Return whether the first column has the numbers of lines ("Sr. No."), beside a column of labels."""
    return len(grid[0]) > 2 and any(_NUMBERING.fullmatch(row[0].strip()) for row in grid[:header_rows])


def _names_side_by_side(grid: Grid, header_rows: int, is_amount: IsAmount) -> RowNames | None:
    """Return names in several columns on the left; None if the first column suffices.

    A further column is included if it distinguishes rows of a section that the columns before it do not.
    """
    leading: list[int] = []
    for column in range(len(grid[0]) - 1):
        if _contains_names(grid, header_rows, column, is_amount):
            leading.append(column)
        elif any(row[column].strip() for row in grid[header_rows:]):
            break
    if len(leading) < 2:  # two columns
        return None
    names, sections = _names_of_rows(grid, header_rows, leading)
    rows = [n for n in range(header_rows, len(grid)) if any(map(is_amount, grid[n][leading[-1] + 1 :]))]
    distinct = [len({(sections[n], names[n][:count]) for n in rows}) for count in range(1, len(leading) + 1)]
    blank = any(names[n][1] and not grid[n][leading[0]].strip() for n in rows)
    count = 1
    while count < len(leading) and (distinct[count] > distinct[count - 1] or (blank and count == 1)):
        count += 1
    if count == 1 or 2 * sum(bool(names[n][1]) for n in rows) < len(rows):
        return None
    dated = [n for n in range(count) if _contains_periods(grid, header_rows, leading[n])]
    labels = [tuple(text for n, text in enumerate(row[:count]) if text and n not in dated) for row in names]
    if not any(labels[header_rows:]):
        labels = [tuple(filter(None, row[:count])) for row in names]
    periods = [_period_of_cells([row[n] for n in dated]) for row in names[header_rows:]]
    return RowNames(tuple(leading[:count]), tuple(labels), (*[None] * header_rows, *periods))


def _contains_names(grid: Grid, header_rows: int, column: int, is_amount: IsAmount) -> bool:
    """Whether a column has words or periods below its header and no amounts; the header must not be a period."""
    if any(parse_period(grid[row][column]) for row in range(header_rows)):
        return False
    texts = [text for row in grid[header_rows:] if (text := row[column].strip())]
    if not texts or any(len(text) > _LONGEST_NAME or is_amount(text) for text in texts):
        return False
    return 2 * sum(_WORD.search(text) is not None or parse_period(text) is not None for text in texts) > len(texts)


def _names_of_rows(grid: Grid, header_rows: int, columns: Sequence[int]) -> tuple[list[tuple[str, ...]], list[int]]:
    """Return the names of each row, with blanks filled from above, and the section of each row.

    Only blanks to the left of a row's first name are filled, because a name that spans several rows is printed once.
    """
    names: list[tuple[str, ...]] = []
    sections: list[int] = []
    above, section = [""] * len(columns), 0
    for number, row in enumerate(grid):
        own = [row[column].strip() for column in columns]
        first = next((place for place, text in enumerate(own) if text), None)
        if number >= header_rows and first is not None:
            own[:first] = above[:first]
            heads = not any(text.strip() for text in row[columns[0] + 1 :])
            section += heads
            # A row without numbers is the heading of a section, and a total has no parts.
            above = [""] * len(columns) if heads or own[0].casefold().startswith("total") else own
        names.append(tuple(own))
        sections.append(section)
    return names, sections


def _names_of_facts(grid: Grid, header_rows: int, is_amount: IsAmount) -> RowNames | None:
    """Return the names in a long table, which has one fact per row; None for other tables.

    One of its columns is called value; others contain the company, item and period.
    """
    if not header_rows or len(grid) <= header_rows:
        return None
    heads = [" ".join(text.replace("_", " ").casefold().split()) for text in grid[header_rows - 1]]
    values = [column for column, head in enumerate(heads) if _VALUE.fullmatch(head)]
    if len(values) != 1 or not any(is_amount(row[values[0]]) for row in grid[header_rows:]):
        return None
    columns = [n for n in range(len(heads)) if n != values[0] and _contains_names(grid, header_rows, n, is_amount)]

    def called(pattern: re.Pattern[str]) -> list[int]:
        return [n for n in columns if pattern.fullmatch(heads[n])]

    items, starts, periods = called(_ITEM) + called(_ITEM_IN_WORDS), called(_START)[:1], called(_END) or called(_PERIOD)
    others = {*items, *starts, *called(_END), *called(_PERIOD), *called(_UNIT), *called(_OF_A_RECORD)}
    owners = [n for n in columns if n not in others and _repeats(grid, header_rows, n)]
    if not (owners or items) or not (periods or (items and _repeats(grid, header_rows, items[0]))):
        return None
    labels = [
        tuple(filter(None, (*(row[n].strip() for n in owners), *(_spell_code(row[n].strip()) for n in items))))
        for row in grid
    ]
    dates = [_period_of_cells([row[n] for n in periods], *(row[n] for n in starts)) for row in grid[header_rows:]]
    records = [n for n, head in enumerate(heads) if n != values[0] and _OF_A_RECORD.fullmatch(head)]
    silent = {*others - {values[0]}, *owners, *records}
    return RowNames(tuple(sorted(silent)), tuple(labels), (*[None] * header_rows, *dates))


def _repeats(grid: Grid, header_rows: int, column: int) -> bool:
    """Whether texts of a column repeat, as names of companies and segments do, unlike remarks."""
    texts = [row[column].strip().casefold() for row in grid[header_rows:]]
    return len(set(texts)) < len(texts) and not {"true", "false"} & set(texts)


def _contains_periods(grid: Grid, header_rows: int, column: int) -> bool:
    """Whether a column contains only periods, including some that lack the year ("Q1")."""
    return all(parse_period(text, _ANY_YEAR) for row in grid[header_rows:] if (text := row[column].strip()))


def _period_of_cells(texts: Sequence[str], start: str = "") -> Period | None:
    """Combine the periods in the cells of a row ("2024" and "Q1"; from "2024-01-01" to "2024-03-31")."""
    found: Period | None = None
    for text in sorted(texts, key=lambda text: parse_period(text) is None):
        found = parse_period(text, found.year if found else None) or found
    begin = parse_period(start)
    if found is None or begin is None or found.kind != "date" or begin.kind != "date":
        return found
    months = round((first_day(found) - first_day(begin)).days / _DAYS_OF_A_MONTH)
    return period_of_months(months, found.year, found.month or 1) if months > 1 else found


@lru_cache(maxsize=4096)
def _spell_code(name: str) -> str:
    """Return the code of an item as words ("us-gaap:NetIncomeLoss")."""
    code = _IN_CODE.fullmatch(name)
    return _HUMP.sub(" ", code[1]) if code else name
