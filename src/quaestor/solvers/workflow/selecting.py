"""Cells of a table by the words for their rows and columns: several at once, each with its label.

Each other query names one line, by the rules of `table_lookup`; what fits none, or several as well, is an error that
names the nearest.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from quaestor.documents.document import Document
from quaestor.documents.table import Table
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.steps import CellGroup
from quaestor.solvers.groups import LabelledNumber, group_of
from quaestor.solvers.workflow.matching import fit
from quaestor.solvers.workflow.names import Axes, Line, axes_of
from quaestor.solvers.workflow.table_lookup import MARGIN, THRESHOLD, LookupFailure, fitting_lines, nearest_names

ALL = "all"
"""What is said for every row or every column."""

MOST_CELLS = 400
MOST_QUERIES = 100
_UNDER = ">"


@dataclass(frozen=True, slots=True)
class SelectedCells:
    """The cells that a selection means.

    Attributes:
        group: They, as a plan has them.
        score: How well the worst of the queries fits, 100 at most.
    """

    group: CellGroup
    score: float

    @property
    def label(self) -> str:
        """What they are, for people: `net sales (2012, 2011, 2010)`."""
        return f"{self.group.text} ({', '.join(self.group.labels)})"


@dataclass(frozen=True, slots=True)
class _Side:
    """The lines of an axis that the queries for it mean."""

    lines: tuple[int, ...]
    score: float


def select_cells(
    document: Document, graph: KnowledgeGraph, rows: Sequence[str], columns: Sequence[str]
) -> SelectedCells:
    """Return the cells with a number in which rows and columns meet, row by row.

    Args:
        rows: Names of rows, `all`, or `HEADING > all` for those under a heading; or those of columns, of a table that
            stands the other way round.
        columns: The same for the other axis.

    Raises:
        LookupFailure: A query fits no line or several, or the lines meet in no number.
    """
    rows, columns = tuple(rows), tuple(columns)
    if max(len(rows), len(columns)) > MOST_QUERIES:
        raise LookupFailure(f"more than {MOST_QUERIES} rows or columns are named; write {ALL!r}, or name fewer")
    found = sorted(_ways(document, rows, columns), key=lambda way: -way[0])
    if not found:
        raise LookupFailure(_why_none(document, rows, columns))
    score, table, row_lines, column_lines = found[0]
    others = [way[1].index + 1 for way in found[1:] if way[1].index != table.index and score - way[0] < MARGIN]
    if others:
        named = ", ".join(f"table {index}" for index in sorted({table.index + 1, *others})[:6])
        raise LookupFailure(f"{_asked(rows, columns)} fit {named}; name the table, such as 'table {others[0]} > {ALL}'")
    printed = {o.source: o for o in graph.observations if o.order == 0}
    places = (table.cells[row][column].ref for row in row_lines for column in column_lines)
    cells = [printed[place] for place in places if place in printed]
    if not cells:
        raise LookupFailure(f"{_asked(rows, columns)} have no cell with a number")
    if len(cells) > MOST_CELLS:
        raise LookupFailure(f"{_asked(rows, columns)} are {len(cells)} cells; take at most {MOST_CELLS}")
    return SelectedCells(group_of([LabelledNumber(cell) for cell in cells]), round(score, 1))


def _ways(
    document: Document, rows: Sequence[str], columns: Sequence[str]
) -> Iterator[tuple[float, Table, tuple[int, ...], tuple[int, ...]]]:
    """Yield the tables in which all queries name lines, as asked or the other way round, with the worst score."""
    for table, axes in zip(document.tables, axes_of(document), strict=True):
        straight = _side(rows, axes.rows), _side(columns, axes.columns)
        turned = _side(columns, axes.rows), _side(rows, axes.columns)
        for row_side, column_side in (straight, turned):
            if row_side is not None and column_side is not None:
                yield min(row_side.score, column_side.score), table, row_side.lines, column_side.lines
                break


def _side(queries: Sequence[str], lines: Mapping[int, Line]) -> _Side | None:
    """Return the lines that all queries mean, each once; None if one of them means none."""
    found: dict[int, None] = {}
    worst = 100.0
    for query in queries:
        meant = _meant(query, lines)
        if not meant:
            return None
        worst = min(worst, *meant.values())
        found.update(dict.fromkeys(meant))
    return _Side(tuple(found), worst) if found else None


def _meant(query: str, lines: Mapping[int, Line]) -> dict[int, float]:
    """Return the lines that a query means, with how well it fits."""
    said = " ".join(query.split())
    if said.casefold() in (ALL, f"{ALL} rows", f"{ALL} columns", "*"):
        return dict.fromkeys(lines, 100.0)
    heading, under, last = said.rpartition(_UNDER)
    if under and last.strip().casefold() in (ALL, "*"):
        return _under(heading.strip(), lines)
    scores = fitting_lines(query, lines)
    best = max(scores.values(), default=0.0)
    close = {index: score for index, score in scores.items() if best - score < MARGIN}
    return close if len(close) == 1 else {}


def _under(heading: str, lines: Mapping[int, Line]) -> dict[int, float]:
    """Return the lines under a heading; of a page with several tables `table 2` is one."""
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


def _asked(rows: Sequence[str], columns: Sequence[str]) -> str:
    def listed(queries: Sequence[str]) -> str:
        more = f" and {len(queries) - 4} more" if len(queries) > 4 else ""
        return ", ".join(repr(query[:60]) for query in queries[:4]) + more

    return f"rows {listed(rows)} and columns {listed(columns)}"


def _why_none(document: Document, rows: Sequence[str], columns: Sequence[str]) -> str:
    """Say which query names no line, or several, in all tables; else that no table has all of them."""
    if not document.tables:
        return "the page has no table"
    axes: tuple[Axes, ...] = axes_of(document)
    for axis, queries, sides in (
        ("row", rows, [side.rows for side in axes]),
        ("column", columns, [side.columns for side in axes]),
    ):
        for query in queries:
            if not any(_meant(query, side) for side in sides):
                near = nearest_names(query, [line for side in sides for line in side.values()])
                if any(fitting_lines(query, side) for side in sides):
                    return f"several {axis}s fit {query[:80]!r}; use one of the names {near}"
                return f"no {axis} is called {query[:80]!r}; the nearest are {near}"
    return f"no table has all of {_asked(rows, columns)}"
