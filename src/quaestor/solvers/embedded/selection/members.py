"""The lines that are parts of something: those under a heading, or above the total of that name.

Numbers play no part: a line may have a dash in every column.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quaestor.core.provenance import CellRef
from quaestor.documents.document import Document
from quaestor.documents.table import Table
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.selection.cells import parts_of_sum, total_rows, without_times

_DEDUCTED = re.compile(r"(?:less\b|accumulated\b|(?:valuation )?allowance\b)", re.IGNORECASE)
"""How a line begins that takes away from those above it, or sums them up."""

_FOOTNOTE = re.compile(r"(?<=[a-z]{4})[1-9]$")

_SHORT = 2
"""What names columns is said in so many words at most; more describe what is in them."""
_SAYS_NOTHING = frozenset({"total"})
"""A stem that the name of a whole may have or not."""

_LIKE = 0.6
"""A heading is meant that shares so much of its words with the question's."""


@dataclass(frozen=True, slots=True)
class Members:
    """Lines or columns that are parts of something.

    Attributes:
        heading: What they are parts of, as the page prints it; "" where they are all lines of a table.
        fit: How well the heading meets the question's words, 0 to 1.
    """

    heading: str
    labels: tuple[str, ...]
    sources: tuple[CellRef, ...]
    fit: float

    @property
    def rows(self) -> frozenset[tuple[int, int]]:
        """The table and the row of each."""
        return frozenset((source.table, source.row) for source in self.sources)


def members_of(document: Document, whole: str, least: float = _LIKE) -> Members | None:
    """Return the lines that are parts of a whole; None if no heading or total is called so.

    Args:
        least: The share of words that a heading must have in common with it.
    """
    wanted = frozenset(stems(whole)) - _SAYS_NOTHING
    if not wanted:
        return None
    found = [*_candidates(document, wanted)]
    best = max(found, key=lambda members: members.fit, default=None)
    return best if best is not None and best.fit >= least else None


def parts_of_totals(document: Document) -> tuple[Members, ...]:
    """Return the lines that each total has in it, total by total."""
    found = []
    for table in document.tables:
        totals = total_rows(table)
        for row in sorted(totals):
            if parts := _parts(table, row, totals):
                found.append(_members(document, table, table.rows[row].label, parts, 0.0))
    return tuple(found)


def members_called(noun: str, document: Document) -> Members | None:
    """Return the lines of the total that is called by a noun, or whose lines are; None if none is.

    Args:
        noun: In the singular: "region".
    """
    named = set(stems(noun))
    found = [members for members in parts_of_totals(document) if times_called(members, named)]
    return max(found, key=lambda members: times_called(members, named), default=None)


def columns_called(whole: str, document: Document) -> Members | None:
    """Return the columns that are called by the word for a whole: "operating leases" and "finance leases" of leases."""
    wanted = frozenset(stems(whole)) - _SAYS_NOTHING
    if len(wanted) > _SHORT:
        return None
    for table in document.tables:
        top = max(table.header_rows - 1, 0)
        labels = {column: header.label for column, header in enumerate(table.columns) if column}
        called = [
            column for column, label in labels.items() if without_times(label) and wanted & frozenset(stems(label))
        ]
        if len(called) > 1 and len({labels[column] for column in called}) == len(called):
            sources = tuple(CellRef(document.id, table.index, top, column) for column in called)
            return Members(whole, tuple(labels[column] for column in called), sources, 1.0)
    return None


def times_called(members: Members, named: set[str]) -> int:
    """Return how many of some lines, and their total, have one of some stems in their label."""
    return sum(bool(named & set(stems(label))) for label in (members.heading, *members.labels))


def lines_of_tables(document: Document) -> tuple[Members, ...]:
    """Return the lines of each table of a page without its totals."""
    found = []
    for table in document.tables:
        totals = total_rows(table)
        rows = [row for row in _body(table) if row not in totals]
        if rows:
            found.append(_members(document, table, "", rows, 0.0))
    return tuple(found)


def _candidates(document: Document, wanted: frozenset[str]) -> Iterator[Members]:
    for table in document.tables:
        totals = total_rows(table)
        body = _body(table)
        for heading, rows in _sections(table, totals).items():
            if len(rows) > 1:
                yield _members(document, table, heading, rows, _likeness(heading, wanted) + 0.01)
        for row in body:
            heading = table.rows[row].label
            fit = _likeness(heading, wanted)
            if fit >= _LIKE and (parts := _parts(table, row, totals)):
                yield _members(document, table, heading, parts, fit)


def _sections(table: Table, totals: frozenset[int]) -> dict[str, list[int]]:
    """The rows under each heading, up to the first total that follows them."""
    sections: dict[str, list[int]] = {}
    closed: set[str] = set()
    for row in range(table.header_rows, len(table.rows)):
        levels = table.rows[row].levels
        heading = levels[-2] if len(levels) > 1 else ""
        if row in totals:
            # A total without a label is in no section of its own.
            closed |= {heading or (levels[-1] if levels else "")}
        elif heading and heading not in closed and _has_numbers(table, row) and not _DEDUCTED.match(levels[-1]):
            sections.setdefault(heading, []).append(row)
    return sections


def _parts(table: Table, row: int, totals: frozenset[int]) -> tuple[int, ...]:
    """The rows that a row sums up: by their numbers, else those above a row that says so, up to the last total."""
    if parts := parts_of_sum(table, row, totals):
        return parts
    if "total" not in table.rows[row].label.lower():
        return ()
    above: list[int] = []
    for other in range(row - 1, table.header_rows - 1, -1):
        if other in totals or table.rows[other].levels[:-1] != table.rows[row].levels[:-1]:
            break
        if _has_numbers(table, other):
            above.append(other)
    return tuple(reversed(above)) if len(above) > 1 else ()


def _body(table: Table) -> list[int]:
    return [
        row
        for row in range(table.header_rows, len(table.rows))
        if without_times(table.rows[row].label) and _has_numbers(table, row)
    ]


def _has_numbers(table: Table, row: int) -> bool:
    """Whether a row has values, be they dashes: one without any is a heading."""
    return any(cell.text.strip() for cell in table.cells[row][1:])


def _likeness(heading: str, wanted: frozenset[str]) -> float:
    """The share of words that a heading and the question's words have in common, of all words of both."""
    own = frozenset(stems(heading)) - _SAYS_NOTHING
    return len(own & wanted) / len(own | wanted) if own else 0.0


def _members(document: Document, table: Table, heading: str, rows: Sequence[int], fit: float) -> Members:
    named = {_FOOTNOTE.sub("", table.rows[row].label): row for row in reversed(rows)}
    ordered = sorted(named.items(), key=lambda item: item[1])
    return Members(
        heading,
        tuple(label for label, _ in ordered),
        tuple(CellRef(document.id, table.index, row, 0) for _, row in ordered),
        fit,
    )
