"""Serialization of documents, used by the cache.

The format is compressed JSON, so an entry cannot contain code. Loading a filing takes a fraction of the time of reading
it.
"""

import zlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter

from quaestor.documents.document import Document
from quaestor.documents.facts import PrintedFact

_LARGEST = 512 << 20
"""Limit in bytes for the JSON of a document, so that bytes from another process cannot exhaust the memory."""


def document_bytes(document: Document) -> bytes:
    """Serialize a whole document, so that `document_of` restores an equal one.

    Raises:
        ValueError: The document is an excerpt, or has text that is not valid Unicode.
    """
    if document.whole is not None:
        raise ValueError(f"{document.id}: an excerpt cannot be written; write the whole document")
    return _write(Document, document)


def document_of(data: bytes) -> Document:
    """Return the document that `document_bytes` serialized.

    Raises:
        ValueError: The bytes were not written by `document_bytes`.
    """
    document: Document = _read(Document, data)
    return document


def printed_bytes(printed: Iterable[PrintedFact]) -> bytes:
    """Serialize printed facts, so that `printed_of` restores equal ones."""
    return _write(tuple[PrintedFact, ...], tuple(printed))


def printed_of(data: bytes) -> tuple[PrintedFact, ...]:
    """Return the printed facts that `printed_bytes` serialized.

    Raises:
        ValueError: The bytes were not written by `printed_bytes`.
    """
    printed: tuple[PrintedFact, ...] = _read(tuple[PrintedFact, ...], data)
    return printed


@lru_cache(maxsize=2)
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _write(kind: Any, value: object) -> bytes:
    return zlib.compress(_adapter(kind).dump_json(value), 1)


def _read(kind: Any, data: bytes) -> Any:
    try:
        return _adapter(kind).validate_json(zlib.decompressobj().decompress(data, _LARGEST))
    except zlib.error as error:
        raise ValueError(f"these bytes were not written as {kind}: {error}") from error
