"""The line of a table that a question spells whole, and the cells of it that are asked for.

Which of the line's cells are of the time that is asked for, periods say.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from quaestor.core.caching import BoundedCache
from quaestor.core.periods import find_periods
from quaestor.core.provenance import CellRef
from quaestor.core.stop_words import FUNCTION_WORDS, STOP_WORDS
from quaestor.core.words import search_words, singular
from quaestor.documents.document import Document
from quaestor.documents.table import Cell, Table
from quaestor.questions.question import Question
from quaestor.questions.stems import without_owner
from quaestor.questions.times import AskedTime, without_time_words
from quaestor.retrieval.everyday import in_words_of_reports, spelled_out
from quaestor.solvers.embedded.decode.cell_times import is_of_other_time, printed_time

_RATE = re.compile(r"(?<!\d)\d++(?:\.\d++)?\s*+%")
_ASIDE = re.compile(r"\([^()]*+\)")
_CALCULATES = frozenset("calculated percent percentage rate % absolute reported value figure amount company".split())
"""Words that name no other thing beside a line, besides those that say nothing anywhere."""
_MOST = 2
"""So many labels are told apart in a question."""
_KEPT = BoundedCache[str, "dict[Words, list[NamedLine]]"](16)

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NamedLine:
    """A row or a column of a table.

    Attributes:
        is_row: Which of the two it is.
    """

    table: int
    place: int
    is_row: bool


@dataclass(frozen=True, slots=True)
class NamedCells:
    """The cells of a line that a question names, or the one if a row and a column that it names cross.

    Attributes:
        exact: Whether the question names nothing else.
    """

    name: str
    cells: tuple[Cell, ...]
    words: frozenset[str]
    exact: bool

    def at(self, time: AskedTime, document: Document) -> tuple[Cell, ...]:
        """Return the cells that are of a time."""
        return tuple(cell for cell in self.cells if _is_at(cell, time, document))


def named_cells(question: Question, document: Document) -> tuple[NamedCells, ...]:
    """Return the cells that a question names by whole labels; none where other words may mean another cell.

    Args:
        document: An excerpt will do: all of it is looked at.
    """
    whole = document.whole or document
    labels = _KEPT.get(whole.digest, lambda: _labels(whole))
    said = _words(without_owner(in_words_of_reports(without_time_words(question.lowered))))
    found = tuple(_spelled(said, labels))
    # "Growth" is a line of its own if nothing else is named.
    found = tuple(words for words in found if set(words) - FUNCTION_WORDS) or found
    left = set(said) - {word for words in found for word in words} - FUNCTION_WORDS - _CALCULATES
    if not 0 < len(found) <= _MOST or any(word in label for word in left for label in labels):
        return ()
    lines = [labels[words] for words in found]
    if len(found) == _MOST and (crossed := tuple(_crossed(lines[0], lines[1], whole))):
        words = frozenset(word for label in found for word in label)
        return (NamedCells(_name(crossed[0], whole), crossed, words, not left),)
    return tuple(
        NamedCells(_label(own[0], whole), tuple(_cells_of(own, whole)), frozenset(words), not left)
        for words, own in zip(found, lines, strict=True)
    )


def cells_beside(cell: CellRef, document: Document) -> NamedCells:
    """Return the cells of the line that contains a cell: its row, or its column where years head the rows."""
    whole = document.whole or document
    is_row = whole.table(cell.table).orientation != "rows"
    line = NamedLine(cell.table, cell.row if is_row else cell.column, is_row)
    label = _label(line, whole)
    return NamedCells(label, tuple(_cells_of([line], whole)), frozenset(_words(label)), exact=True)


def _crossed(first: Sequence[NamedLine], second: Sequence[NamedLine], document: Document) -> Iterator[Cell]:
    for one in first:
        for other in second:
            if one.table == other.table and one.is_row is not other.is_row:
                row, column = (one, other) if one.is_row else (other, one)
                yield document.table(row.table).cells[row.place][column.place]


def _cells_of(lines: Iterable[NamedLine], document: Document) -> Iterator[Cell]:
    for line in lines:
        yield from _cells(document.table(line.table), line)


def _label(line: NamedLine, document: Document) -> str:
    table = document.table(line.table)
    return (table.rows if line.is_row else table.columns)[line.place].label


def _name(cell: Cell, document: Document) -> str:
    table = document.table(cell.ref.table)
    return f"{table.rows[cell.ref.row].label}, {table.columns[cell.ref.column].label}"


def _spelled(said: Words, labels: "dict[Words, list[NamedLine]]") -> Iterator[Words]:
    """Yield the labels that are in some words, the longest first, none of them in another."""
    taken: set[int] = set()
    for size in range(min(len(said), max(map(len, labels), default=0)), 0, -1):
        for start in range(len(said) - size + 1):
            span = range(start, start + size)
            if taken.isdisjoint(span) and said[start : start + size] in labels:
                taken.update(span)
                yield said[start : start + size]


def _labels(document: Document) -> "dict[Words, list[NamedLine]]":
    """The rows and columns of a document that have values, by the words of their labels."""
    found: dict[Words, list[NamedLine]] = {}
    for table in document.tables:
        for line in _lines(table):
            head = table.rows[line.place] if line.is_row else table.columns[line.place]
            plain = _RATE.sub(" ", head.label.lower())
            forms = {head.label, plain, _ASIDE.sub(" ", plain), spelled_out(plain), without_time_words(plain)}
            for words in {_words(form) for form in forms}:
                if set(words) - STOP_WORDS and not all(word.isdigit() for word in words):
                    found.setdefault(words, []).append(line)
    return found


def _lines(table: Table) -> Iterator[NamedLine]:
    for place in range(table.header_rows, len(table.rows)):
        # What prints nothing is a heading of the lines below it.
        if table.rows[place].period is None and any(cell.text.strip() for cell in table.cells[place][1:]):
            yield NamedLine(table.index, place, is_row=True)
    for place in range(1, len(table.columns)):
        if table.columns[place].label and not find_periods(table.columns[place].label):
            yield NamedLine(table.index, place, is_row=False)


def _cells(table: Table, line: NamedLine) -> Sequence[Cell]:
    if line.is_row:
        return table.cells[line.place][1:]
    return [row[line.place] for row in table.cells[table.header_rows :]]


def _words(label: str) -> Words:
    return tuple(singular(word) for word in search_words(label.lower()))


def _is_at(cell: Cell, time: AskedTime, document: Document) -> bool:
    whole = document.whole or document
    if time.is_fine and is_of_other_time(time, cell.ref, whole):
        return False
    printed = printed_time(whole.table(cell.ref.table), cell.ref)
    if time.year is None or printed.year is None:
        return time.year is None or time.year in printed.named
    return time.year in {printed.year, *printed.named} or time.is_fine
