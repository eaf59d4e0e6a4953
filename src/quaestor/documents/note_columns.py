"""Columns of a table that refer to notes."""

import re
from collections.abc import Sequence
from itertools import pairwise

_HEADING = re.compile(r"(?:foot)?notes?(?: (?:nos?\.?|refs?\.?|references?))?|refs?\.?|references?", re.IGNORECASE)
_REFERENCE = re.compile(
    r"(?:[a-z]?[0-9]{1,2}(?:\.[0-9]{1,2})?(?:\s?\([a-z]{1,3}\)){0,4}[\s,;&/-]{0,3}){0,8}", re.IGNORECASE
)
"""References to notes: "5, 12", "4(a)"; also an empty cell."""
_LEAST_COLUMNS = 2


def is_note_heading(text: str) -> bool:
    """Return whether a heading is of a column of notes.

    >>> is_note_heading("Note"), is_note_heading("Notes payable")
    (True, False)
    """
    return _HEADING.fullmatch(text.strip()) is not None


def find_note_columns(grid: Sequence[Sequence[str]], header_rows: int) -> set[int]:
    """Return the columns beside amounts that refer to notes: "Note", "Ref", or ascending numbers without a heading."""
    return {
        column
        for column in range(1, len(grid[0]) if len(grid[0]) > _LEAST_COLUMNS else 0)
        if (
            any(is_note_heading(row[column]) for row in grid[:header_rows])
            or (column == 1 and header_rows and _has_ascending_numbers(grid, header_rows))
        )
        and all(_REFERENCE.fullmatch(row[column].strip()) for row in grid[header_rows:])
    }


def _has_ascending_numbers(grid: Sequence[Sequence[str]], header_rows: int) -> bool:
    """Whether the only column without a heading, beside the labels, has numbers that ascend as those of notes do."""
    headed = [any(row[column].strip() for row in grid[:header_rows]) for column in range(1, len(grid[0]))]
    if headed[0] or len(headed) < _LEAST_COLUMNS or not all(headed[1:]):
        return False
    numbers = [int(found[0]) for row in grid[header_rows:] if (found := re.match("[0-9]{1,2}", row[1].strip()))]
    rises = sum(one <= other for one, other in pairwise(numbers))
    return len(set(numbers)) > 2 and 4 * rises >= 3 * (len(numbers) - 1)
