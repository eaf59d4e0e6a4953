"""The index of a document, held and kept by the document's digest, so that it is built once."""

from contextlib import suppress

from quaestor.core.caching import BoundedCache
from quaestor.documents.document import Document
from quaestor.errors import StoreError
from quaestor.readers.cache import ByteCache, cache_key
from quaestor.readers.registry import digest_of_code
from quaestor.retrieval.index import PlaceIndex
from quaestor.retrieval.lexical import WordIndex

_BUILT_WITH = ("core", "ontology", "questions", "retrieval")


_MOST_INDEXES = 8
"""Indexes that a process holds: conversations about one filing share its index."""

_WORDS: BoundedCache[str, WordIndex] = BoundedCache(_MOST_INDEXES)


def load_index(document: Document, cache: ByteCache | None) -> PlaceIndex:
    """Return the index of a document: the one that is held or kept, else a new one, which is kept then.

    Args:
        document: What places are to be found in.
        cache: Where indexes are kept beyond this process; None to build it and keep nothing.
    """
    whole = document.whole or document
    return PlaceIndex(whole, _WORDS.get(whole.digest, lambda: _load(whole, cache).words))


def _load(whole: Document, cache: ByteCache | None) -> PlaceIndex:
    if cache is None:
        return PlaceIndex.of(whole)
    key = cache_key("index", whole.digest, digest_of_code(*_BUILT_WITH))
    if (data := cache.get(key)) is not None:
        with suppress(StoreError):  # then it is built and kept anew
            return PlaceIndex.load(data, whole)
    index = PlaceIndex.of(whole)
    cache.put(key, index.to_bytes())
    return index
