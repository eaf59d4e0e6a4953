"""What the rows and columns of a page's tables are called: one name each, and no two lines of an axis share one.

How other words are matched with them is `matching`'s.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

from quaestor.core.periods import Period
from quaestor.documents.document import Document
from quaestor.documents.table import Header, Table


@dataclass(frozen=True, slots=True)
class Line:
    """A row or a column.

    Attributes:
        index: Its place in the printed grid, from 0.
        name: What it is called; no other line of its axis is called so, nor one of another table.
        shown: The same as a model is shown it: without the table, but of a row that another table has too.
        levels: The headings above it, outermost first, its own label last.
        period: The period that it is about, or None.
    """

    index: int
    name: str
    shown: str
    label: str
    levels: tuple[str, ...]
    period: Period | None


@dataclass(frozen=True, slots=True)
class Axes:
    """The lines of a table in which numbers are.

    Attributes:
        rows: By their index in the grid.
    """

    rows: dict[int, Line]
    columns: dict[int, Line]


@lru_cache(maxsize=16)
def axes_of(document: Document) -> tuple[Axes, ...]:
    """Return the names of a page's tables, table by table."""
    found = tuple(_axes(document.table(table.index), _rows_printed(table)) for table in document.tables)
    if len(found) < 2:
        return found
    rows = Counter(line.name.casefold() for axes in found for line in axes.rows.values())
    return tuple(
        Axes(
            _placed(axes.rows, f"table {table.index + 1}", rows),
            _placed(axes.columns, f"table {table.index + 1}"),
        )
        for table, axes in zip(document.tables, found, strict=True)
    )


def _placed(lines: dict[int, Line], table: str, names: Mapping[str, int] = MappingProxyType({})) -> dict[int, Line]:
    """Return lines with the name of their table, which is shown where another table has a row of the name."""
    return {
        index: replace(
            line,
            name=f"{table} > {line.name}",
            shown=f"{table} > {line.name}" if names.get(line.name.casefold(), 1) > 1 else line.name,
        )
        for index, line in lines.items()
    }


def _rows_printed(table: Table) -> frozenset[int]:
    return frozenset(place for place, row in enumerate(table.cells) if any(cell.text for cell in row))


def _axes(table: Table, shown: Collection[int]) -> Axes:
    """Return the lines of a table, of its rows those that are shown."""
    cells = [cell.ref for cell in table.body()]
    rows, columns = sorted({ref.row for ref in cells}), sorted({ref.column for ref in cells})
    named = _named(rows, table.rows, "row")
    return Axes({row: line for row, line in named.items() if row in shown}, _named(columns, table.columns, "column"))


def _named(indices: list[int], headers: tuple[Header, ...], axis: str) -> dict[int, Line]:
    """Return the lines by index: a label that several lines have gets its headings, and then its number."""
    labels = Counter(headers[index].label.casefold() for index in indices)
    names = {
        index: headers[index].label
        if labels[headers[index].label.casefold()] == 1
        else " > ".join(level for level in headers[index].levels if level) or headers[index].label
        for index in indices
    }
    shared = Counter(name.casefold() for name in names.values())
    seen: Counter[str] = Counter()
    lines: dict[int, Line] = {}
    for index, name in names.items():
        key = name.casefold()
        seen[key] += 1
        marked = f"{name} [{seen[key]}]" if shared[key] > 1 else name
        own = marked if name else f"{axis} {index + 1}"
        header = headers[index]
        lines[index] = Line(index, own, own, header.label, header.levels, header.period)
    return lines
