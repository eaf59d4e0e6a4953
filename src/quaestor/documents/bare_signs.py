"""Bare signs in a document that counts in another country's currency: `$` of Canadian dollars, `¥` of yuan.

What prints its country (`US$`) is as printed.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from quaestor.core.currencies import sign_of
from quaestor.core.quantity import Quantity
from quaestor.documents.document import Sentence
from quaestor.documents.table import Header, Table

_READ_AS = {"$": "USD", "¥": "JPY"}
_NAMED = re.compile(
    r"\bU\.?\s?S\.?\s?(?:\$|dollars?\b)|\bUSD?\b|\bunited states dollars?\b|\byen\b|\bJPY?\b", re.IGNORECASE
)


def bare_sign_of(currency: str | None) -> str | None:
    """Return the sign that a document prints for its own currency and others read as another; None if it has none.

    >>> [bare_sign_of(code) for code in ("CAD", "CNY", "USD", "EUR")]
    ['$', '¥', None, None]
    """
    if currency is None or currency in _READ_AS.values():
        return None
    if currency == "CNY":
        return "¥"
    return "$" if (sign_of(currency) or "").endswith("$") else None


def with_own_currency(table: Table, currency: str, sign: str) -> Table:
    """Return a table with the currency of its bare signs.

    Args:
        currency: The code of the document's own.
    """

    def own_header(header: Header) -> Header:
        text = " ".join((*header.levels, header.label))
        return replace(header, unit=currency) if header.unit == _READ_AS[sign] and not _NAMED.search(text) else header

    cells = tuple(
        tuple(
            replace(cell, quantities=_own(cell.quantities, currency, sign)) if cell.quantities else cell for cell in row
        )
        for row in table.cells
    )
    bare = table.unit == _READ_AS[sign] and not _NAMED.search(table.caption)
    return replace(
        table,
        cells=cells,
        rows=tuple(map(own_header, table.rows)),
        columns=tuple(map(own_header, table.columns)),
        unit=currency if bare else table.unit,
    )


def sentences_with_own_currency(sentences: Sequence[Sentence], currency: str, sign: str) -> tuple[Sentence, ...]:
    """Return sentences with the currency of their bare signs."""
    return tuple(
        replace(
            sentence,
            mentions=tuple(
                replace(mention, quantity=_own((mention.quantity,), currency, sign)[0]) for mention in sentence.mentions
            ),
        )
        for sentence in sentences
    )


def _own(quantities: Sequence[Quantity], currency: str, sign: str) -> tuple[Quantity, ...]:
    return tuple(
        replace(q, unit=currency) if q.unit == _READ_AS[sign] and sign in q.text and not _NAMED.search(q.text) else q
        for q in quantities
    )
