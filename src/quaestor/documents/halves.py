"""Lists printed side by side to save space: "State | Stores | State | Stores" is one list of states."""

import re
from collections.abc import Sequence

from quaestor.documents.headers import Grid, is_amount

_PARTS = (2, 3)
_LEAST_WIDTH = 2
_LEAST_ROWS = 2
_WORD = re.compile(r"[^\W\d_]{2}")


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
    named = all(_WORD.search(row[0]) and not is_amount(row[0]) for row in printed)
    return named and all(any(map(is_amount, row[1:])) for row in printed)
