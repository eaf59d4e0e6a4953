"""Serialization of the facts of a document, used by the cache.

The format is JSON, so an entry cannot contain code. Equal values are stored once, as a filing repeats its labels, times
and terms.
"""

import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import fields
from datetime import date
from decimal import Decimal
from typing import Any

from quaestor.core.periods import FiscalCalendar
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.documents.table import TableRole
from quaestor.facts.lines import FactCell, FactLine, Moment
from quaestor.facts.sentences import SentenceWords

_RECORDS = (CellRef, SentenceRef, Moment, Quantity, FiscalCalendar, FactCell, FactLine, SentenceWords)
_FIELDS = {kind: tuple(one.name for one in fields(kind) if not one.kw_only) for kind in _RECORDS}
_TEXTS: dict[type, Callable[[Any], str]] = {
    Decimal: str,
    date: date.isoformat,
    Scale: lambda scale: scale.value,
    TableRole: lambda role: role.value,
}
_KINDS: tuple[type, ...] = (tuple, frozenset, *_TEXTS, *_RECORDS)
_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}

Facts = tuple[FiscalCalendar, tuple[FactLine, ...], tuple[FactLine, ...], SentenceWords]


def facts_bytes(facts: Facts) -> bytes:
    """Serialize facts, so that `facts_of` restores equal ones."""
    places: dict[tuple[type, object], int] = {}
    written: list[object] = []

    def add(value: Any) -> int:
        kind = type(value)
        node: Any = value
        if kind in _FIELDS:
            node = (_NUMBERS[kind], *[add(getattr(value, name)) for name in _FIELDS[kind]])
        elif kind in _TEXTS:
            node = (_NUMBERS[kind], _TEXTS[kind](value))
        elif kind in _NUMBERS:
            node = (_NUMBERS[kind], *map(add, value))
        place = places.setdefault((kind, node), len(written))
        if place == len(written):
            written.append(node)
        return place

    add(facts)
    text = json.dumps(written, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


def facts_of(data: bytes) -> Facts:
    """Return the facts that `facts_bytes` serialized.

    Raises:
        ValueError: The bytes were not written by `facts_bytes`.
    """
    found: list[Any] = []
    try:
        for node in json.loads(zlib.decompress(data).decode("utf-8", "surrogatepass")):
            found.append(_restore(node, found) if isinstance(node, list) else node)
        calendar, lines, sentence_lines, words = found[-1]
    except (zlib.error, ValueError, TypeError, LookupError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"these bytes are not facts: {type(error).__name__}") from error
    return calendar, lines, sentence_lines, words


def _restore(node: Sequence[Any], found: Sequence[Any]) -> object:
    kind = _KINDS[node[0]]
    if kind is date:
        return date.fromisoformat(node[1])
    if kind in _TEXTS:
        return kind(node[1])
    parts = [found[place] for place in node[1:]]
    return kind(parts) if kind in (tuple, frozenset) else kind(*parts)
