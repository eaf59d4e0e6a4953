"""Bare signs ("$", "¥") read as the currency of their document or table."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from quaestor.core.currencies import currency_called, sign_of
from quaestor.core.quantity import Quantity
from quaestor.documents.document import Sentence
from quaestor.documents.table import Header, Table
from quaestor.documents.unit_phrases import currency_alone, find_unit_phrase, is_unit_line

_READ_AS = {"$": "USD", "¥": "JPY"}
_NAMED = re.compile(
    r"\bU\.?\s?S\.?\s?(?:\$|dollars?\b)|\bUSD?\b|\bunited states dollars?\b|\byen\b|\bJPY?\b", re.IGNORECASE
)


def bare_sign_of(currency: str | None) -> str | None:
    """Return the sign that means the document's currency but is read as another one by default; else None.

    >>> [bare_sign_of(code) for code in ("CAD", "CNY", "USD", "EUR")]
    ['$', '¥', None, None]
    """
    if currency is None or currency in _READ_AS.values():
        return None
    if currency == "CNY":
        return "¥"
    return "$" if (sign_of(currency) or "").endswith("$") else None


def is_bare_dollar(currency: str | None, text: str) -> bool:
    """Return whether a currency is USD only because a text has "$" or "dollars" without naming those of the US."""
    return currency == "USD" and not _NAMED.search(text)


_COUNTRIES = (
    ("AUD", re.compile(r"\bA\.?[BC]\.?N\.?:?\s[0-9]{2}|\bASX\b|\b(?:un)?franked\b|\bAppendix 4[CDE]\b")),
    ("NZD", re.compile(r"\bNZX\b")),
)
"""What only reports of a country print whose dollar is not that of the US."""
_US = re.compile(
    r"\bU\.?\s?S\.?\s?(?:\$|dollars?\b)|\bUSD\b|\bunited states dollars?\b|\bsecurities and exchange commission\b",
    re.IGNORECASE,
)
_STATED = re.compile(r"\b[Dd]ollars?\b[^.]{0,20}\bare\s(?:in\s)?((?:[A-Z][a-z]+\s){1,2}dollars)\b")
_MAY_NAME = re.compile(r"[A-Z]\$|\b[A-Z]{2}D\b")
_CURRENCY_OF = re.compile(r"\b(?:reporting |presentation )?currency\b", re.IGNORECASE)


def own_dollar_of(texts: Iterable[str]) -> str | None:
    """Return the dollar of a report that never names those of the US: of its country, or the only one of its captions.

    >>> own_dollar_of(["A fully franked dividend of $0.12"]), own_dollar_of(["Currency NZD", "$m"])
    ('AUD', 'NZD')
    """
    countries, named = set[str | None](), set[str | None]()
    for text in texts:
        if _US.search(text):
            return None
        countries.update(code for code, pattern in _COUNTRIES if pattern.search(text))
        if stated := _STATED.search(text):
            return currency_called(stated[1])
        if _MAY_NAME.search(text):
            phrase = find_unit_phrase(text) if is_unit_line(text) else None
            named.add(phrase.currency if phrase else currency_alone(_CURRENCY_OF.sub("", text).strip(" :,-|()")))
    found = countries or {code for code in named if bare_sign_of(code) == "$"}
    return found.pop() if len(found) == 1 else None


def with_own_currency(table: Table, currency: str, sign: str) -> Table:
    """Return a table with bare signs read as a given currency."""

    def own_header(header: Header, printed: str) -> Header:
        text = " ".join((*header.levels, header.label, printed))
        return replace(header, unit=currency) if header.unit == _READ_AS[sign] and not _NAMED.search(text) else header

    cells = tuple(
        tuple(
            replace(cell, quantities=_replace_currency(cell.quantities, currency, sign)) if cell.quantities else cell
            for cell in row
        )
        for row in table.cells
    )
    bare = table.unit == _READ_AS[sign] and not _NAMED.search(table.caption)
    return replace(
        table,
        cells=cells,
        rows=tuple(own_header(header, row[0].text) for header, row in zip(table.rows, table.cells, strict=True)),
        columns=tuple(map(own_header, table.columns, table.heading_texts)),
        unit=currency if bare else table.unit,
    )


def sentences_with_own_currency(sentences: Sequence[Sentence], currency: str, sign: str) -> tuple[Sentence, ...]:
    """Return sentences with bare signs read as a given currency."""
    return tuple(
        replace(
            sentence,
            mentions=tuple(
                replace(mention, quantity=_replace_currency((mention.quantity,), currency, sign)[0])
                for mention in sentence.mentions
            ),
        )
        for sentence in sentences
    )


def _replace_currency(quantities: Sequence[Quantity], currency: str, sign: str) -> tuple[Quantity, ...]:
    return tuple(
        replace(q, unit=currency) if q.unit == _READ_AS[sign] and sign in q.text and not _NAMED.search(q.text) else q
        for q in quantities
    )
