"""Serialization of documents, and of what is derived from them, for the cache.

The format is compressed JSON, so an entry cannot contain code. Loading a filing takes a fraction of the time of reading
it.
"""

import zlib
from typing import Any

from quaestor.core.serial import adapter
from quaestor.documents.document import Document

_LARGEST = 512 << 20
"""Limit in bytes for the JSON of a value, so that bytes from another process cannot exhaust the memory."""


def document_bytes(document: Document) -> bytes:
    """Serialize a whole document, so that `document_of` restores an equal one.

    Raises:
        ValueError: The document is an excerpt, or has text that is not valid Unicode.
    """
    if document.whole is not None:
        raise ValueError(f"{document.id}: an excerpt cannot be written; write the whole document")
    return to_bytes(Document, document)


def document_of(data: bytes) -> Document:
    """Return the document that `document_bytes` serialized.

    Raises:
        ValueError: The bytes were not written by `document_bytes`.
    """
    document: Document = from_bytes(Document, data)
    return document


def to_bytes(kind: Any, value: object) -> bytes:
    """Serialize a value of a type, so that `from_bytes` restores an equal one.

    Raises:
        ValueError: The value has text that is not valid Unicode.
    """
    return zlib.compress(adapter(kind).dump_json(value), 1)


def from_bytes(kind: Any, data: bytes) -> Any:
    """Return the value of a type that `to_bytes` serialized.

    Raises:
        ValueError: The bytes were not written by `to_bytes`.
    """
    try:
        return adapter(kind).validate_json(zlib.decompressobj().decompress(data, _LARGEST))
    except zlib.error as error:
        raise ValueError(f"these bytes were not written as {kind}: {error}") from error
