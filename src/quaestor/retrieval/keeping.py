"""The index of a document, held and kept by the document's digest, so that it is built once."""

import hashlib
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from quaestor.core.caching import BoundedCache
from quaestor.documents.document import Document
from quaestor.errors import StoreError
from quaestor.readers.cache import ByteCache, cache_key
from quaestor.retrieval.index import PlaceIndex
from quaestor.retrieval.lexical import WordIndex

_BUILT_WITH = ("core", "ontology", "questions", "retrieval")


_HELD = 8
"""Indexes that a process holds: conversations about one filing share its index."""

_WORDS: BoundedCache[str, WordIndex] = BoundedCache(_HELD)


def kept_index(document: Document, cache: ByteCache | None) -> PlaceIndex:
    """Return the index of a document: the one that is held or kept, else a new one, which is kept then.

    Args:
        document: What places are to be found in.
        cache: Where indexes are kept beyond this process; None to build it and keep nothing.
    """
    whole = document.whole or document
    return PlaceIndex(whole, _WORDS.get(whole.digest, lambda: _loaded(whole, cache).words))


def _loaded(whole: Document, cache: ByteCache | None) -> PlaceIndex:
    if cache is None:
        return PlaceIndex.of(whole)
    key = cache_key("index", whole.digest, _code())
    if (data := cache.get(key)) is not None:
        with suppress(StoreError):  # then it is built and kept anew
            return PlaceIndex.load(data, whole)
    index = PlaceIndex.of(whole)
    cache.put(key, index.to_bytes())
    return index


@lru_cache(maxsize=1)
def _code() -> str:
    """The digest of the code that indexes are built with: nobody has to count versions."""
    root = Path(__file__).parents[1]
    whole = hashlib.sha256()
    for package in _BUILT_WITH:
        for path in sorted(path for path in (root / package).rglob("*") if path.suffix in (".py", ".ttl")):
            whole.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()
