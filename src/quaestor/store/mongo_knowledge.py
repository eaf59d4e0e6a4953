"""What runs are about, kept on a MongoDB server: ontologies, and the graphs of pages and of conversations.

An ontology is triples, for inspection with mongosh, and counts by its document of `ontologies`, written last; a graph
is among the contents.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import astuple

from pymongo.asynchronous.collection import AsyncCollection
from pymongo.errors import BulkWriteError, DuplicateKeyError

from quaestor.core.computing import compute
from quaestor.core.triples import Triple
from quaestor.errors import StoreError
from quaestor.store import errors as refusals
from quaestor.store.contents import WrittenGraph, text_to_triples
from quaestor.store.mongo_connection import Database, Document
from quaestor.store.mongo_documents import conversation_key, from_key, to_key
from quaestor.store.mongo_retrying import retried
from quaestor.store.mongo_upkeep import MongoUpkeep
from quaestor.store.records import GraphKey, OntologyRecord, now

_DUPLICATE_KEY = 11000


class MongoKnowledge(MongoUpkeep):
    """The operations of a RunStore that keep ontologies and graphs."""

    @retried
    async def save_ontology(self, digest: str, triples: Iterable[tuple[str, str, str]]) -> None:
        """Keep a frozen ontology under the digest of its content; one that is there already stays."""
        async with self._using("write to") as db:
            if await db.ontologies.find_one({"digest": digest}) is None:
                await _write_triples(db.ontology, db.ontologies, {"digest": digest}, "ontology", triples)

    @retried
    async def load_ontology(self, digest: str) -> tuple[Triple, ...]:
        """Return an ontology's triples, sorted."""
        async with self._using("read") as db:
            kept = await db.ontologies.find_one({"digest": digest})
            if kept is None:
                latest = db.ontologies.find().sort([("createdAt", -1), ("_id", -1)]).limit(3)
                raise refusals.no_ontology(self._name, digest, [document["digest"] async for document in latest])
            found = await _read_triples(db.ontology, {"type": "ontology", "digest": digest})
            return self._whole(found, kept, f"ontology {digest!r}")

    @retried
    async def ontologies(self) -> tuple[OntologyRecord, ...]:
        """Return what ontologies are kept, the latest first."""
        async with self._using("read") as db:
            found = db.ontologies.find().sort([("createdAt", -1), ("_id", -1)])
            return tuple([OntologyRecord(kept["digest"], kept["createdAt"], kept["triples"]) async for kept in found])

    @retried
    async def freeze_graph(self, key: GraphKey, triples: Iterable[tuple[str, str, str]]) -> None:
        """Keep the graph of a page for all runs, instead of one that may be there."""
        async with self._using("write to") as db:
            await self._put_graph(db, "frozen_graphs", to_key(key), triples)

    @retried
    async def frozen_graph(self, key: GraphKey) -> tuple[Triple, ...]:
        """Return a frozen graph's triples, sorted."""
        async with self._using("read") as db:
            kept = await db.frozen_graphs.find_one(to_key(key), ["content"])
            if kept is None:
                raise refusals.no_frozen_graph(self._name, key)
            return await self._graph(db, kept)

    @retried
    async def frozen_graphs(self, ontology: str | None = None) -> tuple[GraphKey, ...]:
        """Return what graphs are frozen: all, or those that were built with one ontology, by document."""
        async with self._using("read") as db:
            found = db.frozen_graphs.find({} if ontology is None else {"ontology": ontology})
            keys = [from_key(kept) async for kept in found]
        return tuple(sorted(keys, key=astuple))

    @retried
    async def save_graph(self, run: str, conversation: str, triples: Iterable[tuple[str, str, str]]) -> None:
        """Keep the graph of a conversation's document, instead of one that may be there."""
        async with self._using("write to") as db:
            await self._require(db, run)
            await self._put_graph(db, "graphs", conversation_key(run, conversation), triples)

    @retried
    async def load_graph(self, run: str, conversation: str) -> tuple[Triple, ...]:
        """Return a graph's triples, sorted."""
        async with self._using("read") as db:
            await self._require(db, run)
            kept = await db.graphs.find_one(conversation_key(run, conversation), ["content"])
            if kept is None:
                raise refusals.no_graph(self._name, run, conversation)
            return await self._graph(db, kept)

    async def _put_graph(
        self, db: Database, name: str, place: Mapping[str, str], triples: Iterable[tuple[str, str, str]]
    ) -> None:
        written = await compute(WrittenGraph.of, triples)
        (digest,) = await self._contents.put(db, written.text)
        change = {"$set": {"content": digest, "triples": written.size, "createdAt": now()}}
        try:
            await db[name].update_one(place, change, upsert=True)
        except DuplicateKeyError:  # another process has made it meanwhile
            await db[name].update_one(place, change)

    async def _graph(self, db: Database, kept: Document) -> tuple[Triple, ...]:
        digest = kept["content"]
        return await compute(text_to_triples, (await self._contents.texts(db, [digest]))[digest])

    def _whole(self, found: tuple[Triple, ...], kept: Document, what: str) -> tuple[Triple, ...]:
        if len(found) != kept["triples"]:
            raise StoreError(
                f"{self._name} has {len(found)} of the {kept['triples']} triples of {what}; another process may be "
                "writing it at the same time; save it again"
            )
        return found


async def _write_triples(
    triples: AsyncCollection[Document],
    sets: AsyncCollection[Document],
    key: Mapping[str, str],
    kind: str,
    content: Iterable[tuple[str, str, str]],
) -> None:
    """Write a set of triples, then the document of `sets` by which it counts.

    Two processes that write one set at once both succeed: a triple that the other has written already is there.
    """
    created = now()
    documents = [{"s": s, "p": p, "o": o, "type": kind, **key, "createdAt": created} for s, p, o in set(content)]
    try:
        if documents:
            await triples.insert_many(documents, ordered=False)
    except BulkWriteError as error:
        if any(failure["code"] != _DUPLICATE_KEY for failure in error.details["writeErrors"]):
            raise
    with suppress(DuplicateKeyError):
        await sets.update_one(key, {"$set": {"triples": len(documents), "createdAt": created}}, upsert=True)


async def _read_triples(triples: AsyncCollection[Document], where: Mapping[str, str]) -> tuple[Triple, ...]:
    found = triples.find(where, ["s", "p", "o"])
    return tuple(sorted([Triple(document["s"], document["p"], document["o"]) async for document in found]))
