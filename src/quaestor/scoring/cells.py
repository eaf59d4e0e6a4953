"""How one place of a page differs from another: another line, another period, another table or text."""

from collections.abc import Sequence

from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.documents.alignment import LOOKED_BACK, aligned_periods
from quaestor.documents.document import Document, Sentence
from quaestor.questions.stems import stems
from quaestor.scoring.cause import Cause

_ALIKE = 0.5
"""Sentences that share so much of their words say the same of another thing or another time."""


def place_fault(meant: Source, read: Source, document: Document) -> Cause:
    """Return how the place that was read differs from the one that was meant.

    A line is a row of a table whose columns are periods, a column of one whose rows are, either where neither is. A
    place of the same line and another period is a wrong period; of another line a wrong one, whatever its period. In
    running text a line is a sentence, or one that is much like it.
    """
    periods = period_of(meant, document), period_of(read, document)
    other_period = None not in periods and periods[0] != periods[1]
    match meant, read:
        case CellRef(), CellRef() if meant.table == read.table:
            table = document.table(meant.table)
            same = {
                "columns": meant.row == read.row,
                "rows": meant.column == read.column,
                "neither": meant.row == read.row or meant.column == read.column,
            }[table.orientation]
            # A total over periods stands for all of them.
            total = periods[0] is not None and periods[1] is None and "total" in stems(words_of(read, document))
            return Cause.PERIOD if same and (other_period or total) else Cause.LINE
        case SentenceRef(), SentenceRef():
            if (meant.section, meant.sentence) == (read.section, read.sentence):
                return Cause.PERIOD if other_period else Cause.LINE
            if other_period and _alike(document.sentence(meant), document.sentence(read)):
                return Cause.PERIOD
    return Cause.PLACE


def likeliest_place(places: Sequence[Source], read: Source | None, asked: Sequence[str], document: Document) -> Source:
    """Return the place that a number of the reference most likely came from.

    One of the table, or of the text, that the solver read; of these the one whose words are most like the question's;
    of these one in the solver's own row or column.

    Args:
        places: Every place that prints it; at least one.
        read: Where the solver read instead, or None.
    """
    latest, before = set(stems(asked[-1])), set(stems(" ".join(asked[-3:])))

    def likeness(place: Source) -> tuple[bool, int, int, bool]:
        near = adjacent = False
        if isinstance(place, CellRef) and isinstance(read, CellRef):
            near = place.table == read.table
            adjacent = near and (place.row == read.row or place.column == read.column)
        elif isinstance(place, SentenceRef) and isinstance(read, SentenceRef):
            near, adjacent = True, place.sentence == read.sentence and place.section == read.section
        words = stems(words_of(place, document))
        period = period_of(place, document)
        named = period is not None and str(period.year) in asked[-1]
        return near, len(latest & set(words)) + 2 * named, len(before & set(words)), adjacent

    return max(places, key=likeness)


def words_of(place: Source, document: Document) -> str:
    """Return the words that say what a place is about: the headings of a cell, the sentence of a span."""
    if isinstance(place, SentenceRef):
        return document.sentence(place).text
    table = document.table(place.table)
    row, column = table.rows[place.row], table.columns[place.column]
    return " ".join((*(row.levels or (row.label,)), *(column.levels or (column.label,))))


def period_of(place: Source, document: Document) -> Period | None:
    """Return the period that the number at a place is of; None if the page names none."""
    if isinstance(place, CellRef):
        return document.table(place.table).period_at(place.row, place.column)
    sentence = document.sentence(place)
    section = [s for s in document.sentences if s.section == sentence.section]
    earlier = section[max(0, sentence.index - LOOKED_BACK) : sentence.index]
    periods = aligned_periods(sentence, earlier)
    found = [n for n, mention in enumerate(sentence.mentions) if mention.ref == place]
    return periods[found[0]] if found else None


def _alike(one: Sentence, other: Sentence) -> bool:
    left, right = set(stems(one.text)), set(stems(other.text))
    return len(left & right) >= _ALIKE * len(left | right)
