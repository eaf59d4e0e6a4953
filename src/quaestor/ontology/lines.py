"""The rows or columns of a table that are properties, and what they are called.

Ontology and graph both ask here, so that a label learned from a table is the label looked up for it.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from quaestor.core.periods import find_periods
from quaestor.core.quantity import Scale
from quaestor.documents.repairs import RepairKind
from quaestor.documents.table import Cell, Header, Table

Axis = Literal["rows", "columns"]

_SPAN = r"(?:years?|quarters?|(?:three|six|nine|twelve) months)"
_DANGLING = re.compile(
    r"^(?:as of|at|for|on|in|ended|ending|through|and|-|:|,|\s)+\b(?=\s|$)|"
    rf"\b(?:as of|at|for|on|in|during|through|and|(?:for )?the (?:fiscal )?{_SPAN} ended|{_SPAN} ended|ended|ending"
    r"|(?:for )?the)?"
    r"[\s,:-]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PropertyLine:
    """A row or a column that names a property.

    Attributes:
        index: Its row or column in the grid.
        label: The label without its period; "" where none is left.
    """

    index: int
    label: str


def property_axis(table: Table) -> Axis:
    """Return which headings name properties: the axis across the one that carries the periods.

    Where neither carries periods, columns name properties if each counts something of its own kind (shares in one,
    prices in the next), as rows do otherwise.
    """
    if table.orientation != "neither":
        return "rows" if table.orientation == "columns" else "columns"
    return "columns" if not table.is_too_large and _kinds_differ(table) else "rows"


def property_lines(table: Table) -> tuple[PropertyLine, ...]:
    """Return the lines of the property axis that have any cell in the body, in order.

    A label that stands twice is told apart by the headings above it.
    """
    axis = property_axis(table)
    headers = table.rows if axis == "rows" else table.columns
    used = sorted({line_of(cell, axis) for cell in body_cells(table)})
    labels = {index: without_period(headers[index]) for index in used}
    often = Counter(labels.values())
    lines = []
    for index in used:
        label = labels[index]
        if often[label] > 1 and label and len(headers[index].levels) > 1:
            label = ": ".join((*headers[index].levels[:-1], label))
        lines.append(PropertyLine(index, label))
    return tuple(lines)


def body_cells(table: Table) -> tuple[Cell, ...]:
    """Return the cells of the body that print anything of their own; none of a table that is too large."""
    if table.is_too_large:
        return ()
    return tuple(cell for cell in table.body() if cell.text.strip() and not _repeats_header(cell))


def _repeats_header(cell: Cell) -> bool:
    return cell.repair is not None and cell.repair.kind is RepairKind.REPEATED_HEADER


def line_of(cell: Cell, axis: Axis) -> int:
    """Return the index of a cell's line on an axis."""
    return cell.ref.row if axis == "rows" else cell.ref.column


def without_period(header: Header) -> str:
    """Return a heading's label without the period that it names ("2015 net revenue" is net revenue)."""
    label = header.label
    if header.period is None or not label:
        return label
    for mention in reversed(find_periods(label)):
        label = f"{label[: mention.start]} {label[mention.end :]}"
    if label == header.label and len(header.levels) < 2:  # the whole label is a period in other words ("31-dec-2012")
        return "" if not re.search(r"[a-z]{4}", label) else label
    return re.sub(r"\s+", " ", _DANGLING.sub("", label.strip())).strip(" ,:-")


def _kinds_differ(table: Table) -> bool:
    """Whether the columns count different things, each column one."""
    counted: dict[int, list[Cell]] = {}
    for cell in table.body():
        if cell.quantities and cell.ref.column > 0:
            counted.setdefault(cell.ref.column, []).append(cell)
    kinds = [_kind(table.columns[column], cells) for column, cells in counted.items()]
    return len(kinds) > 1 and None not in kinds and len(set(kinds)) > 1


def _kind(header: Header, cells: Sequence[Cell]) -> tuple[str, str] | None:
    """Return what all cells of a column count; None if they differ."""
    percent = {cell.quantities[0].scale is Scale.PERCENT for cell in cells}
    if len(percent) > 1 and header.scale is not Scale.PERCENT:
        return None
    if True in percent or header.scale is Scale.PERCENT:
        return "percent", ""
    money = sum(cell.quantities[0].unit == "USD" for cell in cells)  # the first row alone prints it for all others
    return (header.scale or "one"), (header.unit or ("USD" if 2 * money > len(cells) else ""))
