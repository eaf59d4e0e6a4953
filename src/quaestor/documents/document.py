"""A page of a report: tables and the sentences around them.

Owns the page as read, with every repair named in `warnings`. Holds no question and no answer.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import Quantity, Scale

Orientation = Literal["columns", "rows", "neither"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the printed grid.

    Attributes:
        text: As printed.
        ref: Where it stands.
        quantities: The numbers in it, left to right; empty for labels, dashes and empty cells.
        repair: What was mended in reading it ("dash printed as the year 2014"), or None.
    """

    text: str
    ref: CellRef
    quantities: tuple[Quantity, ...] = ()
    repair: str | None = None

    @property
    def quantity(self) -> Quantity | None:
        """The first number of the cell, or None."""
        return self.quantities[0] if self.quantities else None


@dataclass(frozen=True, slots=True)
class Header:
    """What a whole row or a whole column is about.

    Attributes:
        label: Its own label, cleaned of debris, footnote marks and doubled percentages; "" where none is printed.
        levels: The headings above it, outermost first, its own label last ("cash flow hedges" over "net gain").
        period: The period that the label names, or None.
        scale: The scale that the label names ("in millions", "%"), or None.
        unit: The unit that the label names ("USD", "shares"), or None.
    """

    label: str
    levels: tuple[str, ...] = ()
    period: Period | None = None
    scale: Scale | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table as printed, and what its rows and columns are about.

    Shape: `cells` is R x C, never ragged; `rows` has R headers, `columns` has C, both indexed like `cells`.
        The rows before `header_rows` head the columns (0 of them where the table has no header); column 0 heads
        the rows. The body is what is below and to the right.

    Attributes:
        index: Its place in the document, from 0.
        cells: The grid; a cell's `ref` gives its row and column in it.
        rows: What each row is about; label "" where a row prints a number in its label's place.
        columns: What each column is about; `columns[0]` is the label column's own heading.
        header_rows: How many rows head the columns.
        orientation: Where the periods stand: heading the columns, heading the rows, or neither.
        caption: The corner's text ("in millions , except per share data"), or "".
        scale: The scale that the caption names for the whole table, or None.
        unit: The unit that the caption names for the whole table, or None.
    """

    index: int
    cells: tuple[tuple[Cell, ...], ...]
    rows: tuple[Header, ...]
    columns: tuple[Header, ...]
    header_rows: int
    orientation: Orientation
    caption: str = ""
    scale: Scale | None = None
    unit: str | None = None

    def body(self) -> tuple[Cell, ...]:
        """Every cell right of the labels and below the header, row by row.

        A row that prints a number where its label should be gives that cell too.
        """
        return tuple(
            cell
            for header, row in zip(self.rows[self.header_rows :], self.cells[self.header_rows :], strict=True)
            for cell in row[0 if row[0].quantities and not header.label else 1 :]
        )

    def scale_at(self, row: int, column: int) -> Scale | None:
        """The scale that labels give a cell: its row's before its column's before the table's; None if none does."""
        return self.rows[row].scale or self.columns[column].scale or self.scale

    def unit_at(self, row: int, column: int) -> str | None:
        """The unit that labels give a cell: its row's before its column's before the table's; None if none does."""
        return self.rows[row].unit or self.columns[column].unit or self.unit

    def period_at(self, row: int, column: int) -> Period | None:
        """The period of a cell, read from the axis that carries the periods first; None if neither names one."""
        row_period, column_period = self.rows[row].period, self.columns[column].period
        return row_period or column_period if self.orientation == "rows" else column_period or row_period


@dataclass(frozen=True, slots=True)
class Mention:
    """A number in running text."""

    quantity: Quantity
    ref: SentenceRef


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence around the tables.

    Attributes:
        section: `pre_text` or `post_text`.
        index: Its place in the section, from 0.
        text: As printed; the spans of `mentions` index into it.
        mentions: The numbers in it, left to right.
        periods: The periods that it names, with their spans, left to right.
    """

    section: str
    index: int
    text: str
    mentions: tuple[Mention, ...] = ()
    periods: tuple[tuple[Period, int, int], ...] = ()


@dataclass(frozen=True)
class Document:
    """A page: tables, sentences, and what was repaired in reading them.

    Attributes:
        id: Company, year and page (`MRO/2007/page_134.pdf`), nothing that tells about the questions.
        tables: In the order of the page.
        sentences: `pre_text` then `post_text`.
        warnings: What was repaired or lost in reading, one line each.
    """

    id: str
    tables: tuple[Table, ...]
    sentences: tuple[Sentence, ...]
    warnings: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the printed cells and sentences: two documents with one digest say the same."""
        printed = {
            "tables": [[[cell.text for cell in row] for row in table.cells] for table in self.tables],
            "sentences": [[s.section, s.text] for s in self.sentences],
        }
        return hashlib.sha256(json.dumps(printed).encode()).hexdigest()

    def cell(self, ref: CellRef) -> Cell:
        """Returns the cell that `ref` names; IndexError where the document has none."""
        return self.tables[ref.table].cells[ref.row][ref.column]

    def sentence(self, ref: SentenceRef) -> Sentence:
        """Returns the sentence that `ref` names; LookupError where the document has none."""
        for sentence in self.sentences:
            if sentence.section == ref.section and sentence.index == ref.sentence:
                return sentence
        raise LookupError(f"{self.id} has no sentence {ref.sentence} in {ref.section}")
