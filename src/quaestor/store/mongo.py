"""A store on a MongoDB server, for several machines and for inspection with mongosh.

Needs no transactions, which only replica sets have: what belongs together is written first, and
one write of a single document makes it count. What a crash leaves behind is never read.
"""

import re
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, TypeVar

from pymongo.errors import BulkWriteError, DuplicateKeyError

from quaestor.core.computing import compute
from quaestor.core.serial import Triple
from quaestor.errors import StoreError
from quaestor.store.base import RunStore
from quaestor.store.contents import content_digest
from quaestor.store.listing import ListPart
from quaestor.store.mongo_connection import Database, MongoConnection
from quaestor.store.mongo_contents import REFERENCES, MongoContents, clock
from quaestor.store.mongo_documents import (
    COLLECTIONS,
    INDEXES,
    field_of,
    from_document,
    older_value,
    to_document,
    to_value,
)
from quaestor.store.mongo_retrying import done_before, retry
from quaestor.store.records import now
from quaestor.store.tables import (
    JUDGED_TURNS,
    KEYS,
    LATEST_TURNS,
    OF_RUNS,
    Among,
    Between,
    Containing,
    KeyTakenError,
    Other,
    Row,
    Verb,
    Where,
)
from quaestor.store.upkeep import Checked, VacuumResult

R = TypeVar("R")
_DUPLICATE_KEY = 11000
_VERDICTS = ("score", "correct", "program_correct", "cause")
_SOME, _FEW = 200, 20
"""How many contents are read at a time; how many problems of one kind are named."""


class MongoTables:
    """The tables in one database of a server. Belongs to the event loop that first uses it."""

    transactional = False

    def __init__(self, uri: str, *, create: bool) -> None:
        """Read the URI, as `MongoConnection` does; the server is first asked by the first operation.

        Raises:
            StoreError: The URI is malformed.
        """
        self._connection, self._contents = MongoConnection(uri, create=create), MongoContents()
        self.name, self._db = self._connection.name, self._connection.database

    @property
    def done_before(self) -> bool:
        """Whether the operation is being done again: what it finds may be its own."""
        return done_before()

    async def perform(self, work: Callable[[], Coroutine[Any, Any, R]], verb: Verb, *, short: bool) -> R:
        """Return the result of an operation; it is done again while the server is away."""

        async def once() -> R:
            async with self._connection.using(verb):
                return await work()

        return await retry(once, lambda: self._connection.has_answered)

    async def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Add rows."""
        waiting = iter(rows)
        while some := [to_document(table, row) for row in islice(waiting, _SOME)]:
            try:
                await self._collection(table).insert_many(some)
            except BulkWriteError as error:
                if _is_duplicate(error):
                    raise KeyTakenError from error
                raise

    async def replace(self, table: str, rows: Sequence[Row]) -> None:
        """Write rows."""
        for row in rows:
            key, document = {field_of(table, name): row[name] for name in KEYS[table]}, to_document(table, row)
            try:
                await self._collection(table).replace_one(key, document, upsert=True)
            except DuplicateKeyError:  # another process has made it meanwhile
                await self._collection(table).replace_one(key, document, upsert=True)

    async def swap(self, table: str, row: Row, seen: Row | None) -> bool:
        """Write a row if that with its key still has what was seen of it."""
        key, document = {field_of(table, name): row[name] for name in KEYS[table]}, to_document(table, row)
        try:
            if seen is None:
                await self._collection(table).insert_one(document)
                return True
            found = await self._collection(table).find_one(key)
            if found is None or from_document(table, tuple(seen), found) != seen:
                return False
            same = {"_id": found["_id"]}
            for column in ("attempt", "status", "claim_until"):
                path = field_of(table, column)
                outer, _, inner = path.partition(".")
                value = found.get(outer)
                same[path] = value.get(inner) if inner and value else value
            return bool((await self._collection(table).replace_one(same, document)).matched_count)
        except DuplicateKeyError:
            return False

    async def change(self, table: str, where: Where, values: Row) -> int:
        """Set columns of rows."""
        fields = {field_of(table, name): to_value(name, value) for name, value in values.items()}
        changed = await self._collection(table).update_many(_query(table, where), {"$set": fields})
        return int(changed.matched_count)

    async def delete(self, table: str, where: Where) -> None:
        """Take rows away. What is left in between is read as not there."""
        await self._collection(table).delete_many(_query(table, where))

    async def find(
        self, table: str, columns: Sequence[str], where: Where, order: Sequence[str] = (), part: ListPart | None = None
    ) -> list[Row]:
        """Return columns of rows."""
        paths = {field_of(table, name) for name in columns} | ({"understanding"} if "events" in columns else set())
        ordered = [(field_of(table, name.lstrip("-")), -1 if name.startswith("-") else 1) for name in order]
        if table in (LATEST_TURNS, JUDGED_TURNS):
            counting: dict[str, Any] = {}
            if part is None:  # what counts is decided by the examples; a part is told by what turns say of it
                of_run = _query("examples", {name: where.get(name) for name in ("run", "conversation")})
                examples = self._db.examples.find(of_run, ["conversationId", "attempt"])
                counting = {one["conversationId"]: one["attempt"] async for one in examples}
                paths |= {"conversationId", "attempt"}
            stages = [*_turn_stages(table, where if part is None else _latest(where)), *_sort_stages(ordered)]
            stages += _verdict_stages(table, where, part, needed=bool(paths & {field_of(table, n) for n in _VERDICTS}))
            found = await self._db.turns.aggregate([*stages, {"$project": {"_id": 0, **dict.fromkeys(paths, 1)}}])
            return [
                from_document(table, columns, document)
                async for document in found
                if part is not None or counting.get(document["conversationId"]) == document.get("attempt")
            ]
        some = self._collection(table).find(_query(table, where), [*paths])
        some = some.sort(ordered) if ordered else some
        some = some.skip(part.offset).limit(part.limit) if part else some
        return [from_document(table, columns, document) async for document in some]

    async def count(self, table: str, by: Sequence[str], where: Where) -> list[tuple[Any, ...]]:
        """Return the values that rows have together, each with their number."""
        if table in (LATEST_TURNS, JUDGED_TURNS):
            needed = any(name in _VERDICTS for name in by)
            stages = [*_turn_stages(table, _latest(where)), *_verdict_stages(table, where, None, needed=needed)]
        else:
            stages = [{"$match": _query(table, where)}]
        values: dict[str, Any] = {}
        for place, name in enumerate(by):
            path = f"${field_of(table, name.rstrip('?'))}"
            older = older_value(table, name)
            values[str(place)] = {"$gt": [path, None]} if name.endswith("?") else path
            if older:
                values[str(place)] = {"$ifNull": [path, older]}
        grouped = {"$group": {"_id": values or None, "count": {"$sum": 1}}}
        found = await self._collection(table).aggregate([*stages, grouped])
        return [
            (*((row["_id"] or {}).get(str(place)) for place in range(len(by))), row["count"]) async for row in found
        ]

    async def supersede(self, run: str, conversation: str, attempt: int) -> None:
        """Mark the turns of all other attempts, for whoever queries the turns of a run without its examples."""
        where = {"runId": run, "conversationId": conversation, "attempt": {"$ne": attempt}}
        await self._db.turns.update_many(where, {"$set": {"superseded": True}})

    async def put_texts(self, texts: Sequence[str]) -> list[Any]:
        """Keep texts; they are referred to by their digests."""
        return [*await self._contents.put(self._db, *texts)]

    async def texts(self, references: Iterable[Any]) -> dict[Any, str]:
        """Return texts by their digests; one that an older version has not packed yet is its own."""
        given = set(references)
        packed = await self._contents.texts(self._db, (one for one in given if isinstance(one, bytes)))
        return {one: one for one in given if isinstance(one, str)} | packed

    async def free_texts(self, references: Iterable[Any]) -> None:
        """Take away those of some texts that nothing refers to, nor has used of late."""
        if some := {one for one in references if isinstance(one, bytes)}:
            await self._contents.free(self._db, some)

    async def put_ontology(self, digest: str, triples: Iterable[tuple[str, str, str]]) -> None:
        """Keep a set of triples, for inspection with mongosh, then the document by which it counts.

        Two processes that write one set at once both succeed: a triple that the other has written already is there.
        """
        common = {"type": "ontology", "digest": digest, "createdAt": now()}
        documents = [{"s": s, "p": p, "o": o, **common} for s, p, o in set(triples)]
        try:
            if documents:
                await self._db.ontology.insert_many(documents, ordered=False)
        except BulkWriteError as error:
            if not _is_duplicate(error):
                raise
        change = {"$set": {"triples": len(documents), "createdAt": common["createdAt"]}}
        with suppress(DuplicateKeyError):
            await self._db.ontologies.update_one({"digest": digest}, change, upsert=True)

    async def ontology(self, digest: str) -> tuple[Triple, ...]:
        """Return a set of triples."""
        count = (await self.find("ontologies", ("triples",), {"digest": digest}))[0]["triples"]
        found = self._db.ontology.find({"type": "ontology", "digest": digest}, ["s", "p", "o"])
        triples = sorted([Triple(one["s"], one["p"], one["o"]) async for one in found])
        if len(triples) != count:
            raise StoreError(
                f"{self.name} has {len(triples)} of the {count} triples of ontology {digest!r}; another process may be "
                "writing it at the same time; save it again"
            )
        return tuple(triples)

    async def clock(self) -> float:
        """Return the time by the server's clock."""
        return (await clock(self._db)).timestamp()

    async def compute(self, work: Callable[..., R], *given: Any) -> R:
        """Return what takes a while to compute, made elsewhere than in the event loop."""
        return await compute(work, *given)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._connection.close()

    def _collection(self, table: str) -> Any:
        return self._db[COLLECTIONS.get(table, table)]

    async def check(self) -> Checked:
        """Read all that can be broken, and return what is."""
        return await self.perform(self._check, "read", short=False)

    async def _check(self) -> Checked:
        db = self._db
        problems = [problem async for problem in _without_runs(db)]
        problems += [problem async for problem in _without_indexes(db)]
        problems += [problem async for problem in _short(db)]
        count, unused = 0, 0
        known: set[bytes] = set()
        async for some in _batches(db):
            known |= {*some}
            count += len(some)
            unused += len(some) - len(await self._contents.find_used(db, some))
            problems += [problem async for problem in self._find_damage(db, some)]
        for collection, field in REFERENCES:
            groups = await db[collection].aggregate([{"$group": {"_id": f"${field}"}}])
            lost = {group["_id"] async for group in groups} - known - {None}
            problems += [f"{collection} refer to {len(lost)} missing contents"] if lost else []
        return Checked(tuple(problems), count, unused)

    async def _find_damage(self, db: Database, digests: list[bytes]) -> AsyncIterator[str]:
        try:
            texts = await self._contents.texts(db, digests)
        except (StoreError, UnicodeDecodeError):
            texts = {}
        for digest in digests:
            try:
                text = texts[digest] if digest in texts else (await self._contents.texts(db, [digest]))[digest]
                if content_digest(text.encode()) != digest:
                    yield f"content {digest.hex()[:12]} does not match its digest"
            except (StoreError, UnicodeDecodeError) as error:
                yield f"content {digest.hex()[:12]} cannot be read: {error}"

    async def vacuum(self) -> VacuumResult:
        """Take away what nothing refers to. The server gives the room to what is written next."""
        return await self.perform(self._vacuum, "write to", short=False)

    async def _vacuum(self) -> VacuumResult:
        db = self._db
        left = 0
        for name in OF_RUNS:
            lost = await _lost_runs(db, name)
            for run in lost:
                left += (await db[name].delete_many({"runId": run})).deleted_count
        return VacuumResult(await self._contents.sweep(db), left)


class MongoStore(RunStore):
    """A RunStore in one database of a MongoDB server. Belongs to the event loop that first uses it."""

    def __init__(self, uri: str, *, create: bool = True) -> None:
        """Read the URI; the server is first asked by the first operation.

        Args:
            uri: `mongodb://` or `mongodb+srv://`; the database is `quaestor` if it names none. Options such as
                `timeoutMS` (one operation), `serverSelectionTimeoutMS` and `journal` are honoured.
            create: Whether collections and indexes are made in a database that has none.

        Raises:
            StoreError: The URI is malformed.
        """
        super().__init__(MongoTables(uri, create=create))


def _is_duplicate(error: BulkWriteError) -> bool:
    """Return whether all that failed has a key that is taken."""
    failed = [*error.details.get("writeErrors", ()), *error.details.get("writeConcernErrors", ())]
    return bool(failed) and all(one.get("code") == _DUPLICATE_KEY for one in failed)


def _query(table: str, where: Where) -> dict[str, Any]:
    """Return a condition as MongoDB has it."""
    query: dict[str, Any] = {}
    for column, wanted in where.items():
        if wanted is None:
            continue
        older = older_value(table, column)
        match wanted:
            case Among():
                values = [*wanted.values]
                condition: Any = {"$in": [*values, None] if older in values else values}
            case Between():
                limits = {"$gte": wanted.low, "$lte": wanted.high}
                condition = {name: limit for name, limit in limits.items() if limit is not None}
            case Containing():
                condition = {"$regex": re.escape(wanted.text), "$options": "i"}
            case Other():
                condition = {"$ne": wanted.value}
            case _:
                condition = {"$in": [wanted, None]} if wanted == older else wanted
        if column == "attempt" and wanted == 1:
            condition = {"$not": {"$gt": 1}}  # in documents of earlier versions it is not a number
        query[field_of(table, column)] = condition
    return query


def _latest(where: Where) -> Where:
    return {**where, "superseded": Other(True)}


def _turn_stages(table: str, where: Where) -> list[dict[str, Any]]:
    """Return the stages that pick out turns."""
    return [{"$match": _query(table, {name: wanted for name, wanted in where.items() if name not in _VERDICTS})}]


def _sort_stages(ordered: Sequence[tuple[str, int]]) -> list[dict[str, Any]]:
    """Return the stages that bring turns in order; of those without a confidence none comes first."""
    if not ordered:
        return []
    path = ordered[0][0]
    if path != "classes.confidence":
        return [{"$sort": dict(ordered)}]
    return [{"$addFields": {"sure": {"$ifNull": [f"${path}", 2]}}}, {"$sort": {"sure": 1, **dict(ordered[1:])}}]


def _verdict_stages(table: str, where: Where, part: ListPart | None, *, needed: bool) -> list[dict[str, Any]]:
    """Return the stages that put the verdicts of a scoring beside turns, pick out by them, and take a part."""
    limits: list[dict[str, Any]] = [{"$skip": part.offset}, {"$limit": part.limit}] if part else []
    conditions = _query(table, {name: where.get(name) for name in ("correct", "cause")})
    if table != JUDGED_TURNS or not (needed or conditions):
        return limits
    names = {"conversation": "$conversationId", "index": "$turnIndex"}
    same = [{"$eq": [place, f"$${name}"]} for name, place in names.items()]
    matched = {"runId": where["run"], "scoreId": where["score"], "$expr": {"$and": same}}
    looked_up = {"from": "scored_turns", "let": names, "pipeline": [{"$match": matched}], "as": "verdict"}
    joined: list[dict[str, Any]] = [
        {"$lookup": looked_up},
        {"$unwind": {"path": "$verdict", "preserveNullAndEmptyArrays": True}},
    ]
    # What no verdict is asked of is joined for the part alone.
    return [*joined, {"$match": conditions}, *limits] if conditions else [*limits, *joined]


async def _lost_runs(db: Database, name: str) -> list[str]:
    groups = await db[name].aggregate([{"$group": {"_id": "$runId"}}])
    found = {group["_id"] async for group in groups}
    return sorted(found - {run["runId"] async for run in db.evaluation_runs.find({}, ["runId"])})


async def _without_runs(db: Database) -> AsyncIterator[str]:
    for name in OF_RUNS:
        for run in (await _lost_runs(db, name))[:_FEW]:
            yield f"{name} has documents of run {run!r}, which does not exist"


async def _without_indexes(db: Database) -> AsyncIterator[str]:
    for name, indexes in INDEXES.items():
        made = {tuple(tuple(key) for key in one["key"]) for one in (await db[name].index_information()).values()}
        for keys, _ in indexes:
            if tuple(keys.items()) not in made:
                yield f"{name} has no index on {', '.join(keys)}"


async def _short(db: Database) -> AsyncIterator[str]:
    named = 0
    async for example in db.examples.find({"status": "complete"}):
        place = {name: example[name] for name in ("runId", "conversationId", "attempt")}
        stored = await db.turns.count_documents(place)
        if stored < example["numTurns"] and named < _FEW:
            named += 1
            yield (
                f"conversation {example['conversationId']!r} of run {example['runId']!r} has {stored} of its "
                f"{example['numTurns']} turns"
            )


async def _batches(db: Database) -> AsyncIterator[list[bytes]]:
    some: list[bytes] = []
    async for document in db.contents.find({}, ["_id"]):
        some.append(document["_id"])
        if len(some) == _SOME:
            yield some
            some = []
    if some:
        yield some
