"""Finds numbers of a document by their labels of row and column, in either order.

Never guesses: if several cells match, the error lists them.
"""

from collections.abc import Iterator, Sequence

from quaestor.core.parsing import parse_cell
from quaestor.core.provenance import CellRef, Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.documents.document import Document
from quaestor.documents.table import Header, Table
from quaestor.errors import InputError

_SHOWN = 3
_LONGEST_NUMBER = 60


def find_cell(
    document: Document, row: str, column: str, near: Sequence[Source] = (), table: int | None = None, first: int = 1
) -> CellRef:
    """Return the cell with the given labels; among several, one that the answer or its tables use."""
    named = f"{row} | {column}" if column else row
    if table is not None and not first <= table < first + len(document.tables):
        raise InputError(
            f"{document.id} has {len(document.tables)} tables, counted from {first}, but not table {table}"
        )
    tables = document.tables if table is None else document.tables[table - first : table - first + 1]
    found = [pair for one in tables for pair in _cells(one, row, column)]
    least = min((rank for rank, _ in found), default=0)
    best = [ref for rank, ref in found if rank == least]
    used = {source.table for source in near if isinstance(source, CellRef)}
    for narrowed in ([ref for ref in best if ref in near], [ref for ref in best if ref.table in used], best):
        if len(narrowed) == 1:
            return narrowed[0]
    if not best:
        raise InputError(f"{document.id} has no cell {named[:80]!r}: give its row and column labels")
    places = "; ".join(f"table {ref.table + first}: {_label_path(document, ref)}" for ref in best[:_SHOWN])
    more = f" and {len(best) - _SHOWN} more" if len(best) > _SHOWN else ""
    raise InputError(f"{len(best)} cells match {named[:80]!r}: give row and column, or the table ({places}{more})")


def read_corrected(text: str, was: Quantity | None) -> Quantity:
    """Parse a number that a person typed; a scale or unit that it lacks is taken from the earlier reading."""
    typed = " ".join(text.split())
    found = parse_cell(typed) if len(typed) <= _LONGEST_NUMBER else ()
    if len(found) != 1:
        raise InputError(f"{typed[:_LONGEST_NUMBER]!r} is not a number as printed in tables, such as 5,400 or (435)")
    scale = was.scale if was is not None and found[0].scale is Scale.ONE else found[0].scale
    return Quantity(found[0].value, scale, found[0].unit or (was.unit if was is not None else None), typed)


def _cells(table: Table, row: str, column: str) -> Iterator[tuple[int, CellRef]]:
    """Yield cells that match the labels, with their rank: 0 for an exact match."""
    for cell in table.body():
        heads = table.rows[cell.ref.row], table.columns[cell.ref.column]
        for first, second in (heads, heads[::-1]):
            ranks = _rank(first, row), _rank(second, column) if column else 0
            if None not in ranks and (cell.quantity is not None or column):
                yield sum(rank or 0 for rank in ranks), cell.ref
                break


def _rank(header: Header, words: str) -> int | None:
    """Return 0 if a heading equals the words, 1 if it contains them, else None."""
    wanted = _plain(words)
    names = [_plain(name) for name in (header.label, *header.levels, " > ".join(header.levels)) if name]
    if wanted in names or (header.period is not None and wanted == str(header.period.year)):
        return 0
    return 1 if wanted and any(wanted in name for name in names) else None


def _plain(words: str) -> str:
    return " ".join(words.casefold().split()).strip(" :.\"'")


def _label_path(document: Document, ref: CellRef) -> str:
    table = document.table(ref.table)
    return " | ".join(filter(None, (table.rows[ref.row].label, table.columns[ref.column].label)))
