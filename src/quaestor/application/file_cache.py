"""The cache beside the run store: documents, their facts and indexes, and the ontologies learned from them.

Missing entries are computed again.
"""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from quaestor.retrieval.place import Place

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
    """Return the graphs of documents, by the settings' ontology and policy; an ontology of filings is cached."""
    policy = policy_of(settings)
    if is_set(settings):
        return GraphProvider(await find_ontology(str(settings.ontology), settings.store), policy)
    if cache is None or all(document.is_page for document in corpus):
        return await compute(GraphProvider.of, corpus, policy)
    key = await compute(
        lambda: cache_key("ontology", *(document.digest for document in corpus), digest_of_code(*_BUILT_WITH))
    )
    if (data := await asyncio.to_thread(cache.get, key)) is not None:
        with suppress(OntologyError, ValueError, TypeError):  # a damaged entry is computed again
            return GraphProvider(await compute(_read, data), policy)
    found = await compute(GraphProvider.of, corpus, policy)
    written = json.dumps(found.ontology.triples, ensure_ascii=False).encode("utf-8", "surrogatepass")
    await asyncio.to_thread(cache.put, key, written)
    return found


def search_document(
    document: Document, questions: Sequence[str], most: int, cache: ByteCache | None
) -> "tuple[Place, ...]":
    """Return the places where the last question may be answered, best first; the others are earlier questions."""
    # The search index is loaded by the first question that needs it.
    from quaestor.questions.question import read_question
    from quaestor.retrieval.finding import find_places
    from quaestor.retrieval.index import load_index
    from quaestor.retrieval.retrieval_query import FindingContext

    *earlier, question = map(read_question, questions)
    index = load_index(document, None if document.is_page else cache)
    return find_places(index, question, FindingContext(tuple(earlier)), most)


def _read(data: bytes) -> Ontology:
    triples = json.loads(data.decode("utf-8", "surrogatepass"))
    return ontology_from_triples([Triple(*triple) for triple in triples], "the cached ontology")
