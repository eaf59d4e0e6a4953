"""Columns and rows of percentages in which only some numbers have the sign."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile

from quaestor.core.quantity import Quantity, Scale
from quaestor.documents.kinds import mentions_percent
from quaestor.documents.table import Header, Table

_RATIO = re.compile(r"\b(?:ratio|rate|margin|yield|return on [a-z ]{1,30})s?\b", re.IGNORECASE)
_HUNDRED = 100


def with_percentages(table: Table, about: Sequence[str]) -> Table:
    """Return a table with percent as the scale of columns and rows in which only some numbers have the sign.

    Args:
        about: The texts above the table.
    """
    columns = tuple(_mark_percent_column(table, place, header, about) for place, header in enumerate(table.columns))
    percentages = _rows_of_percentages(table, columns) | _rows_between_percentages(table)
    rows = tuple(
        replace(header, scale=Scale.PERCENT)
        if place in percentages and header.scale in (None, Scale.ONE) and header.unit is None
        else header
        for place, header in enumerate(table.rows)
    )
    return replace(table, rows=rows, columns=columns)


def _mark_percent_column(table: Table, place: int, header: Header, about: Sequence[str]) -> Header:
    """Return a column header with percent as scale if `%` is printed only with some of the numbers.

    The first number must have `%`. In addition, the last number has it too, or all numbers have equally many decimals
    and there are decimals or a text mentions percentages.
    """
    if place == 0 or header.scale not in (None, Scale.ONE):
        return header
    numbers = [row[place].quantity for row in table.cells[table.header_rows :]]
    found = [number for number in numbers if number is not None]
    if len(found) < 2 or any(number.unit for number in found) or found[0].scale is not Scale.PERCENT:
        return header
    exponent = found[0].value.as_tuple().exponent
    alike = all(
        n.scale is Scale.PERCENT or (n.scale is Scale.ONE and n.value.as_tuple().exponent == exponent) for n in found
    )
    mentioned = any(mentions_percent(text) for text in (*about, *header.levels))
    if found[-1].scale is Scale.PERCENT or (alike and (mentioned or exponent != 0)):
        return replace(header, scale=Scale.PERCENT)
    return header


def _rows_of_percentages(table: Table, columns: Sequence[Header]) -> set[int]:
    """Return the rows of a part of a table whose columns begin at 100% and print the sign again where the part ends."""
    body = range(table.header_rows, len(table.rows))
    parts = []
    for place, header in enumerate(columns):
        if place == 0 or header.scale is Scale.PERCENT:
            continue
        found = [(row, number) for row in body if (number := table.cells[row][place].quantity) is not None]
        if not found:
            continue
        start, first = found[0]
        if first.scale is not Scale.PERCENT or first.value != _HUNDRED:
            return set()
        alike = takewhile(partial(_is_printed_like, first), (number for _, number in found))
        closing = [row for (row, _), number in zip(found, alike, strict=False) if number.scale is Scale.PERCENT]
        parts.append((start, closing[-1]))
    if not parts:
        return set()
    start, end = max(start for start, _ in parts), min(end for _, end in parts)
    return set(range(start, end + 1)) if start < end else set()


def _rows_between_percentages(table: Table) -> set[int]:
    """Return the rows of ratios whose neighbours above and below print `%`: it is left out between the two."""
    numbers = {
        place: [cell.quantity for cell in table.cells[place][1:]] for place in range(table.header_rows, len(table.rows))
    }
    body = [place for place, row in numbers.items() if any(row)]
    found = set()
    for before, place, after in zip(body, body[1:], body[2:], strict=False):
        alike = all(
            above and below and above.scale is below.scale is Scale.PERCENT and _is_printed_like(above, number)
            for above, number, below in zip(numbers[before], numbers[place], numbers[after], strict=True)
            if number is not None
        )
        if alike and _RATIO.search(table.rows[place].label):
            found.add(place)
    return found


def _is_printed_like(percentage: Quantity, number: Quantity) -> bool:
    """Whether a number is a percentage, or has no sign and as many decimals as one."""
    if number.scale is Scale.PERCENT:
        return True
    plain = number.unit is None and number.scale is Scale.ONE and abs(number.value) <= _HUNDRED
    return plain and number.value.as_tuple().exponent == percentage.value.as_tuple().exponent
