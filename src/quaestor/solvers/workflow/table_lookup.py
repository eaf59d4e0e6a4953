"""Look up numbers in tables by words for rows and columns: one cell, or several, each with its label.

Rows and columns may be swapped. If no line fits, or several do, the error names the nearest.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from quaestor.core.quantity import Quantity
from quaestor.documents.document import Document
from quaestor.documents.table import Cell, Table
from quaestor.errors import SolverError
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.steps import CellGroup
from quaestor.solvers.groups import group_of
from quaestor.solvers.workflow.lines import Axes, Line, axes_of, fit, is_named

THRESHOLD = 70.0
"""Minimum score of a row or a column."""

MARGIN = 4.0
"""Minimum lead of the best cell over the next one."""

_TURNED = 3.0
"""Penalty for a cell if rows and columns are swapped."""

_NUMBER = re.compile(r"(?<![,\s])[,\s]*+\(\s*number\s+([1-9])\s*+\)\s*+$", re.IGNORECASE)
_NEAREST = 3
ALL = "all"
"""The word for every row or every column."""

MOST_CELLS = 400
MOST_QUERIES = 100
_UNDER = ">"


class LookupFailure(SolverError):
    """Error for a number that is missing or ambiguous; the message names similar ones."""


@dataclass(frozen=True, slots=True)
class TableMatch:
    """A number found in a table.

    Attributes:
        score: The fit of row and column, up to 100.
        runner_up: The next best cell for the same words, or None.
    """

    cell: Cell
    quantity: Quantity
    label: str
    score: float
    runner_up: str | None = None
    runner_up_score: float = 0.0


@dataclass(frozen=True, slots=True)
class _Candidate:
    score: float
    cell: Cell
    row: Line
    column: Line

    @property
    def name(self) -> str:
        return f"{self.row.name!r} | {self.column.name!r}"


def look_up(document: Document, row_query: str, col_query: str) -> TableMatch:
    """Look up the number at a row and a column.

    Args:
        row_query: Words for the row, or for the column if rows and columns are swapped.
        col_query: Words for the other axis. A suffix "(number 2)" selects the second number of the cell.
    """
    column_number = _NUMBER.search(col_query)
    place = int(column_number[1]) if column_number else None
    queries = (row_query, _NUMBER.sub("", col_query))
    candidates = list(_candidates(document, *queries)) or list(_candidates(document, *queries, dashes=True))
    found = sorted(candidates, key=lambda candidate: -candidate.score)
    found = [one for one in found if is_named(row_query, one.row) or is_named(row_query, one.column)] or found
    if not found:
        raise LookupFailure(_explain_nothing(document, *queries))
    best, others = found[0], [other for other in found[1:] if other.cell.ref != found[0].cell.ref]
    if others and best.score - others[0].score < MARGIN:
        close = [c.name for c in (best, *others) if best.score - c.score < MARGIN]
        raise LookupFailure(f"{_query(*queries)} fits {len(close)} cells, {_list_names(close)}; use one of these names")
    runner_up = others[0] if others else None
    return TableMatch(
        cell=best.cell,
        quantity=_number_of(best.cell, place),
        label=", ".join(label for label in (best.row.label, best.column.label) if label) or best.name,
        score=round(best.score, 1),
        runner_up=runner_up.name if runner_up else None,
        runner_up_score=round(runner_up.score, 1) if runner_up else 0.0,
    )


def _candidates(document: Document, row_query: str, col_query: str, *, dashes: bool = False) -> Iterator[_Candidate]:
    """Yield the cells with matching row and column, in both orientations; with `dashes`, those with a dash for zero."""
    for table, axes in zip(document.tables, axes_of(document), strict=True):
        if dashes and not all(number.value for cell in table.body() for number in cell.quantities):
            continue  # a table that prints zeros uses dashes for gaps
        for first, second, loss in ((row_query, col_query, 0.0), (col_query, row_query, _TURNED)):
            rows, columns = fitting_lines(first, axes.rows), fitting_lines(second, axes.columns)
            for row, row_score in rows.items():
                for column, column_score in columns.items():
                    cell = table.cells[row][column]
                    if (cell.is_dash if dashes else cell.quantities) and not cell.repair:
                        score = row_score + column_score - 100 - loss
                        yield _Candidate(score, cell, axes.rows[row], axes.columns[column])


def fitting_lines(query: str, lines: Mapping[int, Line]) -> dict[int, float]:
    """Return the lines that fit a query, with scores; only the line itself if the query is its exact name."""
    for index, line in lines.items():
        if is_named(query, line):
            return {index: 100.0}
    scores = {index: fit(query, line) for index, line in lines.items()}
    return {index: score for index, score in scores.items() if score >= THRESHOLD}


def _number_of(cell: Cell, place: int | None) -> Quantity:
    numbers = cell.quantities
    if cell.is_dash:
        return Quantity(Decimal(0), text=cell.text.strip())
    if place is None and len(numbers) == 1:
        return numbers[0]
    if place is not None and place <= len(numbers):
        return numbers[place - 1]
    listed = " and ".join(f"(number {i}) = {number.text}" for i, number in enumerate(numbers, 1))
    raise LookupFailure(
        f"the cell {cell.text!r} holds {len(numbers)} number{'s' * (len(numbers) != 1)}; add to col_query {listed}"
    )


def _explain_nothing(document: Document, row_query: str, col_query: str) -> str:
    """Explain why no cell fits: unknown row, unknown column, or no number where they meet."""
    if not document.tables:
        return "the page has no table; take the number from the text"
    axes = axes_of(document)
    ways = [(row_query, col_query), (col_query, row_query)]
    faults: list[list[str]] = sorted((_explain_misses(axes, *way) for way in ways), key=len)
    if not faults[0]:
        return f"{_query(row_query, col_query)} have no cell with a number"
    return "; ".join(faults[0])


def _explain_misses(axes: tuple[Axes, ...], row_query: str, col_query: str) -> list[str]:
    found = []
    for axis, query, sides in (
        ("row", row_query, [side.rows for side in axes]),
        ("column", col_query, [side.columns for side in axes]),
    ):
        if not any(fitting_lines(query, side) for side in sides):
            lines = [line for side in sides for line in side.values()]
            found.append(f"no {axis} is called {query[:80]!r}; the nearest are {nearest_names(query, lines)}")
    return found


def nearest_names(query: str, lines: Sequence[Line]) -> str:
    """Return the names of the lines most similar to a query, for messages."""
    near = sorted(lines, key=lambda line: -fit(query, line))[:_NEAREST]
    return _list_names([repr(line.name) for line in near])


def _query(row_query: str, col_query: str) -> str:
    return f"{row_query[:80]!r} | {col_query[:80]!r}"


def _list_names(names: list[str]) -> str:
    shown = names[:6]
    return ", ".join(shown) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


@dataclass(frozen=True, slots=True)
class SelectedCells:
    """The cells of a selection."""

    group: CellGroup
    score: float

    @property
    def label(self) -> str:
        """The cells for people: `net sales (2012, 2011, 2010)`."""
        return f"{self.group.text} ({', '.join(self.group.labels)})"


def select_cells(
    document: Document, graph: KnowledgeGraph, rows: Sequence[str], columns: Sequence[str]
) -> SelectedCells:
    """Select the cells with numbers where rows and columns meet, row by row.

    Args:
        rows: Names of rows, `all`, or `HEADING > all` for those under a heading; or names of columns, if rows and
            columns are swapped.
    """
    rows, columns = tuple(rows), tuple(columns)
    if max(len(rows), len(columns)) > MOST_QUERIES:
        raise LookupFailure(f"more than {MOST_QUERIES} rows or columns are named; write {ALL!r}, or name fewer")
    found = sorted(_find_matching_tables(document, rows, columns), key=lambda way: -way[0])
    if not found:
        raise LookupFailure(_why_nothing_selected(document, rows, columns))
    score, table, row_lines, column_lines = found[0]
    others = [way[1].index + 1 for way in found[1:] if way[1].index != table.index and score - way[0] < MARGIN]
    if others:
        named = ", ".join(f"table {index}" for index in sorted({table.index + 1, *others})[:6])
        raise LookupFailure(
            f"{_selection(rows, columns)} fit {named}; name the table, such as 'table {others[0]} > {ALL}'"
        )
    printed = {o.source: o for o in graph.observations if o.order == 0}
    places = (table.cells[row][column].ref for row in row_lines for column in column_lines)
    cells = [printed[place] for place in places if place in printed]
    if not cells:
        raise LookupFailure(f"{_selection(rows, columns)} have no cell with a number")
    if len(cells) > MOST_CELLS:
        raise LookupFailure(f"{_selection(rows, columns)} are {len(cells)} cells; take at most {MOST_CELLS}")
    return SelectedCells(group_of(cells), round(score, 1))


def _find_matching_tables(
    document: Document, rows: Sequence[str], columns: Sequence[str]
) -> Iterator[tuple[float, Table, tuple[int, ...], tuple[int, ...]]]:
    """Yield the tables in which all queries fit, in either orientation, with the lowest score."""
    for table, axes in zip(document.tables, axes_of(document), strict=True):
        straight = _match_queries(rows, axes.rows), _match_queries(columns, axes.columns)
        turned = _match_queries(columns, axes.rows), _match_queries(rows, axes.columns)
        for row_scores, column_scores in (straight, turned):
            if row_scores and column_scores:
                worst = min(*row_scores.values(), *column_scores.values())
                yield worst, table, tuple(row_scores), tuple(column_scores)
                break


def _match_queries(queries: Sequence[str], lines: Mapping[int, Line]) -> dict[int, float]:
    """Return the lines of all queries, each with its lowest score; empty if a query fits no line."""
    found: dict[int, float] = {}
    for query in queries:
        matching = _match_lines(query, lines)
        if not matching:
            return {}
        found.update({index: min(score, found.get(index, score)) for index, score in matching.items()})
    return found


def _match_lines(query: str, lines: Mapping[int, Line]) -> dict[int, float]:
    """Return the lines selected by a query, with scores."""
    text = " ".join(query.split())
    if text.casefold() in (ALL, f"{ALL} rows", f"{ALL} columns", "*"):
        return dict.fromkeys(lines, 100.0)
    heading, under, last = text.rpartition(_UNDER)
    if under and last.strip().casefold() in (ALL, "*"):
        return _find_lines_under(heading.strip(), lines)
    scores = fitting_lines(query, lines)
    best = max(scores.values(), default=0.0)
    close = {index: score for index, score in scores.items() if best - score < MARGIN}
    return close if len(close) == 1 else {}


def _find_lines_under(heading: str, lines: Mapping[int, Line]) -> dict[int, float]:
    """Return the lines under a heading; on a page with several tables, `table 2` counts as a heading."""
    wanted = " ".join(heading.casefold().split())
    by_name = {i: 100.0 for i, line in lines.items() if line.name.casefold().startswith(f"{wanted} {_UNDER}")}
    if by_name:
        return by_name
    scores = {
        index: max(fit(heading, Line(index, level, level, level, (level,), None)) for level in line.levels[:-1])
        for index, line in lines.items()
        if len(line.levels) > 1
    }
    best = max(scores.values(), default=0.0)
    return {index: score for index, score in scores.items() if score >= THRESHOLD and score == best}


def _selection(rows: Sequence[str], columns: Sequence[str]) -> str:
    def listed(queries: Sequence[str]) -> str:
        more = f" and {len(queries) - 4} more" if len(queries) > 4 else ""
        return ", ".join(repr(query[:60]) for query in queries[:4]) + more

    return f"rows {listed(rows)} and columns {listed(columns)}"


def _why_nothing_selected(document: Document, rows: Sequence[str], columns: Sequence[str]) -> str:
    """Explain which query fits no line, or several, in every table; otherwise no table has all of them."""
    if not document.tables:
        return "the page has no table"
    axes: tuple[Axes, ...] = axes_of(document)
    for axis, queries, sides in (
        ("row", rows, [side.rows for side in axes]),
        ("column", columns, [side.columns for side in axes]),
    ):
        for query in queries:
            if not any(_match_lines(query, side) for side in sides):
                near = nearest_names(query, [line for side in sides for line in side.values()])
                if any(fitting_lines(query, side) for side in sides):
                    return f"several {axis}s fit {query[:80]!r}; use one of the names {near}"
                return f"no {axis} is called {query[:80]!r}; the nearest are {near}"
    return f"no table has all of {_selection(rows, columns)}"
