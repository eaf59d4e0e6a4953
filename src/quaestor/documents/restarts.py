"""Finds tables that a grid contains: below a repeated header, and side by side.

A new table begins below header rows that are repeated inside a table. For example, "Quarters Ended June 30, | 2023 |
2022" is followed by rows and then by "Six Months Ended June 30, | 2023 | 2022". Repetitions of the same header do not
start a new table.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from quaestor.core.periods import leads_to_year, parse_period
from quaestor.documents.captions import is_caption, without_caption
from quaestor.documents.headers import Grid, is_amount, repeats_heading
from quaestor.documents.table import Table

_ANY_YEAR = 2000
_ONE_LINE = 2
_NUMBERS_WITHIN = 5
"""Number of rows below a header within which a number must occur."""
_WORD_OR_ZEROS = re.compile(r"[a-z]|000", re.IGNORECASE)
_WORD = re.compile(r"[a-z]{2}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RestartedHeader:
    """Header rows inside a table.

    Attributes:
        top: First row of the new table, including labels without values right above the header.
        head: First header row.
        body: First row after the header.
    """

    top: int
    head: int
    body: int


def find_restarts(grid: Grid, header_rows: int) -> list[RestartedHeader]:
    """Return the headers inside a table that give the periods of the rows below, from top to bottom."""
    if not header_rows:
        return []
    found: list[RestartedHeader] = []
    row = header_rows + 1
    while row < len(grid) - 1:
        if _restarts(grid, row, header_rows):
            head = row
            while head - 1 > header_rows and _heads_groups(grid[head - 1], grid[:header_rows]):
                head -= 1
            body = row + 1
            while body < len(grid) - 1 and (_restarts(grid, body, header_rows) or _prints_units(grid[body])):
                body += 1
            top = head
            while top - 1 > header_rows and _is_label_alone(grid[top - 1]):
                top -= 1
            found.append(RestartedHeader(top, head, body))
            row = body
        row += 1
    return found


def _restarts(grid: Grid, row: int, header_rows: int) -> bool:
    """Whether a row starts a new header: periods, with a label that is empty, a caption or leads to a year."""
    label, texts = grid[row][0].strip(), [text.strip() for text in grid[row][1:] if text.strip()]
    if not texts or any(map(is_amount, texts)):
        return False
    periods = [text for text in texts if parse_period(text, _ANY_YEAR) is not None]
    if len(periods) * 2 < len(texts) or not any(
        any(map(is_amount, line[1:])) for line in grid[row + 1 : row + 1 + _NUMBERS_WITHIN]
    ):
        return False
    named = without_caption(label)
    if repeats_heading(grid[row], grid[:header_rows]):
        # Below the same headings, the rows are about another period only if the label has one.
        return leads_to_year(named) and label != grid[header_rows - 1][0].strip()
    if label and not leads_to_year(named) and not is_caption(label):
        return False
    return len(texts) > 1 or len(grid[row]) == _ONE_LINE


def _heads_groups(row: Sequence[str], header: Grid) -> bool:
    """Whether a row without a label contains headings of groups of columns, as above years."""
    texts = [text.strip() for text in row[1:] if text.strip()]
    if row[0].strip() or not texts or any(map(is_amount, texts)):
        return False
    known = {text.strip() for line in header for text in line}
    return all(text in known or _WORD.search(text) for text in texts)


def _prints_units(row: Sequence[str]) -> bool:
    """Whether a row below headings has only the units of its columns."""
    texts = [text for text in row[1:] if text.strip()]
    headed = not row[0].strip() or is_caption(row[0])
    return bool(texts) and headed and all(is_caption(text) and _WORD_OR_ZEROS.search(text) for text in texts)


def _is_label_alone(row: Sequence[str]) -> bool:
    return bool(row[0].strip()) and not any(text.strip() for text in row[1:])


def headings_of(grid: Grid, header_rows: int, restart: RestartedHeader, *, spread: bool) -> list[list[str]]:
    """Return the header of the table below a restart, with each heading in all columns it spans.

    Header rows of the whole table that are not repeated still apply, unless they contain dates.

    Args:
        spread: Whether a heading over several columns is printed only in the first of them.
    """
    again = grid[restart.head : restart.body]
    over = [_spread(row) if spread else list(row) for row in grid[:header_rows]]
    above_dates = [row for row in over[: max(0, header_rows - len(again))] if not any(map(_is_dated, row[1:]))]
    known = {tuple(_without_repeats(row)): row for row in over}
    above = []
    for row in again[:-1]:
        same = known.get(tuple(_without_repeats(row)))
        above.append(_spread(row) if same is None else [row[0], *same[1:]])
    return [*above_dates, *above, list(again[-1])]


def _is_dated(text: str) -> bool:
    return leads_to_year(text) or parse_period(text) is not None


def _without_repeats(row: Sequence[str]) -> list[str]:
    texts = [text.strip() for text in row[1:] if text.strip()]
    return [text for place, text in enumerate(texts) if not place or text != texts[place - 1]]


def _spread(row: Sequence[str]) -> list[str]:
    found = list(row)
    for column in range(2, len(found)):
        found[column] = found[column] if found[column].strip() else found[column - 1]
    return found


# Tables that continue the previous one under its headings.
#
# Filings print amounts and their percentages as two consecutive tables, with years only above the first.

_LEAST_COLUMNS = 3
"""Labels and two columns of numbers; a table with a single column may be unrelated."""


def continues_table(table: Table, before: Table) -> bool:
    """Return whether a table has no headings and continues the one right before it.

    Args:
        before: The previous table, with nothing in between.
    """
    width = len(table.columns)
    if width < _LEAST_COLUMNS or width != len(before.columns):
        return False
    # A heading above the labels only ("gross margin percentage:") is not a column heading.
    if any(column.label for column in table.columns[1:]) or not all(column.label for column in before.columns[1:]):
        return False
    return all(_contains_numbers(one, column) for one in (table, before) for column in range(1, width))


def under_headings_of(table: Table, before: Table) -> Table:
    """Return a table with the headings of the one that it continues, including their periods and scales."""
    columns = (table.columns[0], *before.columns[1:])
    orientation = before.orientation if table.orientation == "neither" else table.orientation
    return replace(table, columns=columns, orientation=orientation)


def _contains_numbers(table: Table, column: int) -> bool:
    return any(row[column].quantities for row in table.cells[table.header_rows :])


# Lists printed side by side to save space: "State | Stores | State | Stores" is one list of states.

_PARTS = (2, 3)
_LEAST_WIDTH = 2
_LEAST_ROWS = 2
_NAME = re.compile(r"[^\W\d_]{2}")


def width_of_parts(grid: Grid, header_rows: int) -> int | None:
    """Return the number of columns of each part of a list printed side by side; None for other tables.

    All parts have the same headings, names in the first column, and amounts in the others.

    >>> rows = [["Alabama", "13", "Texas", "88"], ["Alaska", "1", "Utah", "9"]]
    >>> width_of_parts([["State", "Stores"] * 2, *rows], 1)
    2
    """
    columns = len(grid[0])
    body = grid[header_rows:]
    if not header_rows or len(body) < _LEAST_ROWS:
        return None
    for parts in _PARTS:
        width, rest = divmod(columns, parts)
        if rest or width < _LEAST_WIDTH:
            continue
        starts = range(0, columns, width)
        if _have_same_headings(grid[:header_rows], starts, width) and all(
            _is_list([row[start : start + width] for row in body]) for start in starts
        ):
            return width
    return None


def _have_same_headings(header: Grid, starts: Sequence[int], width: int) -> bool:
    stacks = [[[row[n].strip().casefold() for row in header] for n in range(start, start + width)] for start in starts]
    # A heading over the names may be left out; those over the amounts tell the parts of a list from other tables.
    return any(map(any, stacks[0][1:])) and all(stack[1:] == stacks[0][1:] for stack in stacks)


def _is_list(rows: Grid) -> bool:
    """Whether rows have names and beside each of them amounts; the last ones may be empty."""
    printed = [row for row in rows if any(text.strip() for text in row)]
    if 2 * len(printed) < len(rows) or len(printed) < _LEAST_ROWS:
        return False
    named = all(_NAME.search(row[0]) and not is_amount(row[0]) for row in printed)
    return named and all(any(map(is_amount, row[1:])) for row in printed)
