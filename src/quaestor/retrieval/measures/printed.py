"""Measures that a document prints under their own names: the rows, and the one number that they have for a time.

If several tables print different numbers under it, none is the company's for certain.
"""

import re
from collections.abc import Iterator, Sequence

from quaestor.core.caching import BoundedCache
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.documents.table import Cell, Table
from quaestor.ontology.core import question_words
from quaestor.ontology.lexicon import Measure
from quaestor.retrieval.measures.moments import Moment

_LONGEST = 60
_ASIDE = re.compile(r"\([\w .&-]*\)|\bnon-gaap\b|^\s*(?:total|consolidated|company)\b", re.IGNORECASE)

_LINES = BoundedCache[tuple[str, str], tuple[tuple[int, int], ...]](256)


def printed_rows(document: Document, measure: Measure) -> Sequence[tuple[int, int]]:
    """Return the table and the row of each line that is called like a measure."""
    return _LINES.get((document.digest, measure.name), lambda: tuple(_rows(document, measure)))


def _rows(document: Document, measure: Measure) -> Iterator[tuple[int, int]]:
    for table in document.tables:
        for place in range(table.header_rows, len(table.rows)):
            label = table.rows[place].label
            short = 0 < len(label) <= _LONGEST and any(cell.quantity is not None for cell in table.cells[place][1:])
            if short and measure.matcher.fullmatch(question_words(_ASIDE.sub(" ", label))) is not None:
                yield table.index, place


def prints_amount(document: Document, rows: Sequence[tuple[int, int]]) -> bool:
    """Return whether any of some rows prints an amount: a gross margin may be one."""
    tables = ((document.table(table), row) for table, row in rows)
    return any(not is_percentage(table, c) for table, row in tables for c in table.cells[row][1:] if c.quantity)


def is_percentage(table: Table, cell: Cell) -> bool:
    """Return whether a cell holds a percentage, as its print or its labels say."""
    if cell.quantity is not None and cell.quantity.scale is Scale.PERCENT:
        return True
    return table.scale_at(cell.ref.row, cell.ref.column) is Scale.PERCENT


def is_spoken_of(document: Document, measure: Measure) -> bool:
    """Return whether a label, or a sentence with a number, speaks of a measure."""
    labels = {head.label for table in document.tables for head in (*table.rows, *table.columns)}
    return any(measure.matcher.search(question_words(label)) for label in labels) or is_in_sentences(document, measure)


def is_in_sentences(document: Document, measure: Measure) -> bool:
    """Return whether a sentence with a number speaks of a measure."""
    sentences = (sentence for sentence in document.sentences if sentence.mentions)
    return any(measure.matcher.search(question_words(sentence.text)) for sentence in sentences)


def printed_cell(
    document: Document, measure: Measure, wording: str, moment: Moment, rows: Sequence[tuple[int, int]]
) -> CellRef | None:
    """Return the cell that has a measure for a time, where all that are called so have the same number; else None.

    Args:
        wording: The words that ask for it: of a measure that is only printed, and never computed, the label's own.
        rows: The lines that are called like it, of which those of `printed_rows` are meant.
    """
    found: dict[object, CellRef] = {}
    for index, row in rows:
        table = document.table(index)
        if measure.lacks and question_words(wording) not in question_words(table.rows[row].label):
            continue
        for cell in table.cells[row][1:]:
            if cell.quantity is None or not _fits(table, cell, measure):
                continue
            if table.period_at(row, cell.ref.column) in (moment.flow, moment.balance):
                found.setdefault(cell.quantity.value, cell.ref)
    return next(iter(found.values())) if len(found) == 1 else None


def _fits(table: Table, cell: Cell, measure: Measure) -> bool:
    return measure.metric_type == "ratio" or is_percentage(table, cell) is (measure.metric_type == "percentage")
