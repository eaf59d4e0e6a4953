"""The collection of contents in MongoDB: texts under their digests, each once, taken away when nothing refers to them.

There are no transactions: a content is written before what refers to it, and marked as used then (`usedAt`, by the
server's clock); only what nothing refers to and nobody has used for GRACE is ever taken away.
"""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from pymongo import UpdateOne
from pymongo.asynchronous.database import AsyncDatabase

from quaestor.core.computing import compute
from quaestor.errors import StoreError
from quaestor.store.contents import MAX_DEPTH, content_digest, pack_content, unpack_content

Database: TypeAlias = AsyncDatabase[dict[str, Any]]

GRACE = timedelta(hours=1)
"""How long a content that nothing refers to is kept after it was last used: a writer may be about to refer to it."""

_PART = 12 << 20
"""Bytes of a content in one document, which may have 16 MB."""
_SOME = 500

REFERENCES = (
    ("prompt_logs", "prompt"),
    ("prompt_logs", "response"),
    ("graphs", "content"),
    ("frozen_graphs", "content"),
    ("contents", "base"),
)
"""The fields that refer to contents; each has an index."""


class MongoContents:
    """The contents of a database."""

    async def put(self, db: Database, *texts: str) -> list[bytes]:
        """Keep texts, and return their digests; one that is there already stays.

        Raises:
            UnicodeEncodeError: One holds half a surrogate pair.
        """
        writes, digests = list[UpdateOne](), list[bytes]()
        for text in texts:
            raw = text.encode()
            digest = content_digest(raw)
            digests.append(digest)
            data = await compute(pack_content, raw)
            document: dict[str, Any] = {"size": len(raw), "depth": 0, "data": data}
            if len(data) > _PART:
                document |= {"data": b"", "parts": await _write_parts(db, digest, data)}
            writes.append(
                UpdateOne({"_id": digest}, {"$setOnInsert": document, "$currentDate": {"usedAt": True}}, upsert=True)
            )
        await db.contents.bulk_write(writes, ordered=False)
        return digests

    async def texts(self, db: Database, digests: Iterable[bytes]) -> dict[bytes, str]:
        """Return texts by their digests.

        Raises:
            StoreError: One is missing or damaged.
        """
        wanted = set(digests)
        packed: dict[bytes, Mapping[str, Any]] = {}
        waiting = wanted
        while waiting:
            for some in _batches(waiting):
                async for document in db.contents.find({"_id": {"$in": some}}, {"usedAt": 0}):
                    packed[document["_id"]] = document
            if missing := waiting - packed.keys():
                raise StoreError(f"content {next(iter(missing)).hex()[:12]} is missing")
            waiting = {document["base"] for document in packed.values() if "base" in document} - packed.keys()
        raw: dict[bytes, bytes] = {}
        for digest in wanted:
            await self._unpack(db, digest, packed, raw)
        return {digest: raw[digest].decode() for digest in wanted}

    async def _unpack(
        self,
        db: Database,
        digest: bytes,
        packed: Mapping[bytes, Mapping[str, Any]],
        raw: dict[bytes, bytes],
        depth: int = 0,
    ) -> bytes:
        if digest not in raw:
            if depth > MAX_DEPTH:
                raise StoreError(f"content {digest.hex()[:12]} is based on itself")
            document, base = packed[digest], None
            data = await _read_parts(db, document) if "parts" in document else document["data"]
            if "base" in document:
                base = await self._unpack(db, document["base"], packed, raw, depth + 1)
            raw[digest] = await compute(unpack_content, data, document["size"], base)
        return raw[digest]

    async def free(self, db: Database, digests: Iterable[bytes]) -> int:
        """Take away those of some contents that nothing refers to, then their bases; returns how many went.

        What was used within GRACE stays, and is left to `sweep`.
        """
        before, deleted, waiting = await clock(db) - GRACE, 0, set(digests)
        while waiting:
            bases: set[bytes] = set()
            for some in _batches(waiting):
                unused = set(some) - await self.find_used(db, some)
                old = {"_id": {"$in": [*unused]}, "usedAt": {"$lt": before}}
                async for document in db.contents.find(old, ["base"]):
                    # Asked again with the deletion: a writer may have used it since.
                    went = (await db.contents.delete_one({**old, "_id": document["_id"]})).deleted_count
                    if went:
                        await db.content_parts.delete_many({"content": document["_id"]})
                        bases |= {document["base"]} if "base" in document else set()
                    deleted += went
            waiting = bases
        return deleted

    async def find_used(self, db: Database, digests: Sequence[bytes]) -> set[bytes]:
        """Return those of some contents that something refers to."""
        found: set[bytes] = set()
        for collection, field in REFERENCES:
            stages: list[dict[str, Any]] = [
                {"$match": {field: {"$in": [*digests]}}},
                {"$group": {"_id": f"${field}"}},
            ]
            found |= {group["_id"] async for group in await db[collection].aggregate(stages)}
        return found

    async def sweep(self, db: Database) -> int:
        """Take away all contents that nothing refers to nor used of late; returns how many went."""
        before, deleted = await clock(db) - GRACE, 0
        async for some in _some(db, "contents", "_id", {"usedAt": {"$lt": before}}):
            deleted += await self.free(db, some)
        async for some in _some(db, "content_parts", "content", {"createdAt": {"$lt": before}}):
            whole = {document["_id"] async for document in db.contents.find({"_id": {"$in": some}}, ["_id"])}
            await db.content_parts.delete_many({"content": {"$in": [*(set(some) - whole)]}})
        return deleted


async def clock(db: Database) -> datetime:
    """Return the time by the server's clock, which all who share the store go by."""
    local: datetime = (await db.command("hello"))["localTime"]
    return local


async def _write_parts(db: Database, digest: bytes, data: bytes) -> int:
    starts = range(0, len(data), _PART)
    for number, start in enumerate(starts):
        part = {"$set": {"data": data[start : start + _PART]}, "$currentDate": {"createdAt": True}}
        await db.content_parts.update_one({"content": digest, "part": number}, part, upsert=True)
    return len(starts)


async def _read_parts(db: Database, document: Mapping[str, Any]) -> bytes:
    found = db.content_parts.find({"content": document["_id"]}).sort("part")
    return b"".join([part["data"] async for part in found])


async def _some(db: Database, collection: str, field: str, where: Mapping[str, Any]) -> AsyncIterator[list[bytes]]:
    """Yield what documents have in a field, some at a time."""
    some: list[bytes] = []
    async for document in db[collection].find(where, [field]):
        some.append(document[field])
        if len(some) == _SOME:
            yield some
            some = []
    if some:
        yield some


def _batches(digests: Collection[bytes]) -> Iterable[list[bytes]]:
    ordered = sorted(digests)
    return (ordered[at : at + _SOME] for at in range(0, len(ordered), _SOME))
