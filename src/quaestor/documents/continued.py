"""A table that goes on where another one ended: printed apart, under the headings of the first.

Filings print amounts and the percentages of them as two tables, one right behind the other, and the years once.
"""

from dataclasses import replace

from quaestor.documents.table import Table

_LEAST_COLUMNS = 3
"""Labels and two columns of numbers: a single column behind another one may be of anything."""


def goes_on(table: Table, before: Table) -> bool:
    """Return whether a table has no headings of its own and is under those of the one right before it.

    Args:
        before: The table between which and it nothing is printed.
    """
    width = len(table.columns)
    if width < _LEAST_COLUMNS or width != len(before.columns):
        return False
    # What is printed over the labels alone ("gross margin percentage:") heads no column.
    if any(column.label for column in table.columns[1:]) or not all(column.label for column in before.columns[1:]):
        return False
    return all(_holds_numbers(one, column) for one in (table, before) for column in range(1, width))


def under_headings_of(table: Table, before: Table) -> Table:
    """Return a table with the headings of the one that it goes on from, and what these say of period and scale."""
    columns = (table.columns[0], *before.columns[1:])
    orientation = before.orientation if table.orientation == "neither" else table.orientation
    return replace(table, columns=columns, orientation=orientation)


def _holds_numbers(table: Table, column: int) -> bool:
    return any(row[column].quantities for row in table.cells[table.header_rows :])
