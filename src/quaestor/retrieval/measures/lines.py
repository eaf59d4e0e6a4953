"""The lines of a document's primary statements, by the figures of measures that they print."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.caching import BoundedCache
from quaestor.documents.document import Document
from quaestor.documents.table import TableRole
from quaestor.ontology.lexicon import Figure, read_measures
from quaestor.ontology.line_matching import caption_key, core_line_index, readings

_STATEMENTS = (TableRole.INCOME_STATEMENT, TableRole.BALANCE_SHEET, TableRole.CASH_FLOWS)
_SHARE = re.compile(
    r"(?P<own>.+?)(?<![\s,])[\s,]++(?:attributable|applicable|available) to (?P<owner>.+)", re.IGNORECASE | re.DOTALL
)
_SHARE_OF = re.compile(r"\w+(?: \w+)? share of (?P<own>.+)", re.IGNORECASE)
_OTHERS = re.compile(r"noncontrolling|non-controlling|minority|preferred|participating|redeemable", re.IGNORECASE)
_COMMON = re.compile(r"common|ordinary|per share", re.IGNORECASE)
_TOTAL = re.compile(r"total\b", re.IGNORECASE)
_OF_OTHERS = 3
FEW_TABLES = 3
"""A document of no more tables, of which none is a statement by its title, is taken whole for one."""
_NAMED = frozenset({"statement line", "shorter caption"})


@dataclass(frozen=True, slots=True)
class StatementRow:
    """A line of a primary statement.

    Attributes:
        statement: Which one; "" of a table of which nothing says it.
        keys: The keys of its caption, read shorter and shorter.
        share: 0 if it is of the whole, 1 of the owners, 2 of the owners of common shares, 3 of others.
        total: Whether it says that it is a total.
    """

    statement: str
    table: int
    row: int
    label: str
    line: str
    keys: tuple[str, ...]
    share: int
    total: bool


_STATEMENT_ROWS = BoundedCache[str, tuple[StatementRow, ...]](16)
"""By the digest of a document: reading all statements takes some hundredths of a second."""


def statement_rows(document: Document) -> tuple[StatementRow, ...]:
    """Return the lines with numbers of a document's primary statements; of an excerpt those of the whole.

    Of a document of a few tables, none of which is a statement by its title, they are those of all tables.
    """
    whole = document.whole or document
    return _STATEMENT_ROWS.get(whole.digest, lambda: tuple(_rows(whole)))


def _rows(document: Document) -> Iterator[StatementRow]:
    statements = {table.index: str(table.role) for table in document.tables if table.role in _STATEMENTS}
    if not statements and len(document.tables) <= FEW_TABLES:
        statements = {table.index: "" for table in document.tables}
    for index, statement in statements.items():
        table = document.table(index)
        for place in range(table.header_rows, len(table.rows)):
            label = " ".join(table.rows[place].label.split())
            if label and any(cell.quantity is not None for cell in table.cells[place][1:]):
                own, share = _own_name(label)
                keys = tuple(dict.fromkeys(map(caption_key, readings(own))))
                total = _TOTAL.match(label) is not None
                yield StatementRow(statement, table.index, place, label, statement_line(own), keys, share, total)


def statement_line(label: str) -> str:
    """Return the statement line that a label names, or ""."""
    found = core_line_index().find_named(label)
    return found.property if found is not None and found.rule in _NAMED else ""


def _own_name(label: str) -> tuple[str, int]:
    """What a line is called but for whose share it is, and whose it is, as `StatementRow.share` has it."""
    if (of := _SHARE_OF.fullmatch(label)) is not None:
        return of["own"], 1
    if (share := _SHARE.fullmatch(label)) is not None:
        owner = share["owner"]
        return share["own"], _OF_OTHERS if _OTHERS.search(owner) else 2 if _COMMON.search(owner) else 1
    tokens = label.split()
    if any(word.islower() for word in tokens[1:]):
        # "Total Nord Inc shareholders' equity": a name within small letters is whose it is.
        own = [word for place, word in enumerate(tokens) if not place or not word[0].isupper()]
        name = " ".join(own)
        if (
            1 < len(own) < len(tokens)
            and not statement_line(label)
            and (statement_line(name) or caption_key(name) in _captions())
        ):
            return name, 1
    return label, 0


@lru_cache(maxsize=1)
def _captions() -> frozenset[str]:
    """The keys of all captions that figures have of their own."""
    return frozenset(key for figure in read_measures().figures.values() for key in figure.captions)


def figure_rows(figure: Figure, rows: Sequence[StatementRow]) -> Sequence[StatementRow]:
    """Return the lines that print a figure, the one that is meant first; of a figure of several lines all of them.

    Args:
        rows: Of the statements, in their order.
    """
    on = [row for row in rows if not figure.statement or row.statement in ("", figure.statement)]
    named = [row for row in on if row.line in figure.lines or not figure.captions.isdisjoint(row.keys)]
    if figure.several:
        first = named[0].table if named else -1
        return [row for row in named if row.table == first and not row.total and row.share == 0]
    # Where others have a share, what is left is the common owners'; else it may be less preferred dividends alone.
    split = any(row.share == _OF_OTHERS for row in on)
    shares = {1: 0, 2: 1, 0: 2} if figure.of_owners and split else {1: 0, 0: 1} if figure.of_owners else {0: 0, 1: 1}
    named = [row for row in named if row.share in shares]
    return sorted(named, key=lambda row: (_order(figure, row), shares[row.share], not row.total))


def _order(figure: Figure, row: StatementRow) -> int:
    """Return the place of a line among those that a figure may be; those of owners are distinguished by their owner."""
    if figure.of_owners:
        return 0
    return figure.lines.index(row.line) if row.line in figure.lines else 0
