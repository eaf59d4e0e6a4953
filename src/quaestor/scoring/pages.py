"""Rows of a page that `table_*` steps read, and the numbers of a page with their places."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from quaestor.core.provenance import Source
from quaestor.core.quantity import Quantity
from quaestor.documents.document import Document
from quaestor.plan.expressions import TableRows, benchmark_rows

_DIGITS = re.compile(r"(?:\d[\d,]*)?\.?\d+", re.ASCII)


@dataclass(frozen=True, slots=True)
class PageNumbers:
    """Numbers of a page without signs; headers and labels belong to the table."""

    table: frozenset[Decimal]
    text: frozenset[Decimal]


def benchmark_rows_of(document: Document) -> tuple[TableRows, ...]:
    """Return the rows of each table that `table_*` steps can read, by their exact label."""
    return tuple(
        benchmark_rows([(cell.text, cell.ref) for cell in row] for row in table.cells) for table in document.tables
    )


def page_numbers(document: Document) -> PageNumbers:
    """Return the printed numbers of a page without signs."""
    cells = [cell for table in document.tables for row in table.cells for cell in row]
    in_cells = {abs(quantity.value) for cell in cells for quantity in cell.quantities}
    in_text = {abs(m.quantity.value) for sentence in document.sentences for m in sentence.mentions}
    return PageNumbers(
        frozenset(in_cells | _digits(cell.text for cell in cells)),
        frozenset(in_text | _digits(sentence.text for sentence in document.sentences)),
    )


def number_places(document: Document) -> Mapping[Decimal, tuple[Source, ...]]:
    """Return the places of each number, without its sign: cells first, then text, in document order.

    A number with a scale is listed as printed and in ones: 5.2 and 5200000.
    """
    found: dict[Decimal, dict[Source, None]] = {}

    def add(quantity: Quantity, source: Source) -> None:
        for value in (quantity.value, quantity.number):
            found.setdefault(abs(value), {})[source] = None

    for table in document.tables:
        for row in table.cells:
            for cell in row:
                for quantity in cell.quantities:
                    add(quantity, cell.ref)
    for sentence in document.sentences:
        for mention in sentence.mentions:
            add(mention.quantity, mention.ref)
    return {value: tuple(sources) for value, sources in found.items()}


def _digits(texts: Iterable[str]) -> set[Decimal]:
    found = (number for text in texts for number in _DIGITS.findall(text))
    return {Decimal(number.replace(",", "")) for number in found}
