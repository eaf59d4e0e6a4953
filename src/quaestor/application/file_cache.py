"""The cache beside the run store: documents, their facts and indexes, and the ontologies learned from them.

Missing entries are computed again.
"""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress

from quaestor.application.ontologies import find_ontology, is_set, policy_of
from quaestor.application.resolve import store_file
from quaestor.core.computing import compute
from quaestor.core.serial import Triple
from quaestor.documents.document import Document
from quaestor.errors import OntologyError
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.ontology.ontology import Ontology
from quaestor.ontology.turtle import ontology_from_triples
from quaestor.readers.cache import ByteCache, FolderCache, cache_key
from quaestor.readers.limited import ReadingLimits
from quaestor.readers.registry import digest_of_code
from quaestor.settings import Settings

FOLDER = "files"
"""The name of the cache folder."""

_BUILT_WITH = ("core", "documents", "ontology")


def file_cache(settings: Settings) -> FolderCache | None:
    """Return the cache, a folder beside the store; None if caching is off or the store is not a file."""
    if not settings.cache:
        return None
    file = store_file(settings.store)
    return FolderCache(file.absolute().parent / FOLDER) if file is not None else None


def reading_limits(settings: Settings) -> ReadingLimits:
    """Return the limits of time and memory for reading a file."""
    return ReadingLimits(memory=settings.read_memory_mb << 20, seconds=settings.read_seconds)


async def load_graphs(corpus: Sequence[Document], settings: Settings, cache: ByteCache | None = None) -> GraphProvider:
    """Return the graphs of documents, with the ontology and the policy in the settings.

    The ontology of a filing is cached.
    """
    policy = policy_of(settings)
    if is_set(settings):
        return GraphProvider(await find_ontology(str(settings.ontology), settings.store), policy)
    if cache is None or all(document.is_page for document in corpus):
        return await compute(GraphProvider.of, corpus, policy)
    key = await compute(_key, corpus)
    if (data := await asyncio.to_thread(cache.get, key)) is not None:
        with suppress(OntologyError, ValueError, TypeError):  # a damaged entry is computed again
            return GraphProvider(await compute(_read, data), policy)
    found = await compute(GraphProvider.of, corpus, policy)
    await asyncio.to_thread(lambda: cache.put(key, _write(found.ontology)))
    return found


def _write(ontology: Ontology) -> bytes:
    return json.dumps(ontology.triples, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _key(corpus: Sequence[Document]) -> str:
    return cache_key("ontology", *(document.digest for document in corpus), digest_of_code(*_BUILT_WITH))


def _read(data: bytes) -> Ontology:
    triples = json.loads(data.decode("utf-8", "surrogatepass"))
    return ontology_from_triples([Triple(*triple) for triple in triples], "the cached ontology")
