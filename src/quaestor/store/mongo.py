"""Run store on a MongoDB server, for use from several machines and for inspection with mongosh.

It needs no transactions, which only replica sets have: related documents are written first, and a single write of one
document then makes them valid. Remains of a crash are never read.
"""

import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from pydantic import JsonValue
from pymongo import ReplaceOne, UpdateOne
from pymongo.errors import BulkWriteError

from quaestor.store import contents
from quaestor.store.base import RunStore
from quaestor.store.listing import ListPart
from quaestor.store.mongo_connection import INDEXES, MongoConnection, failed_only_with
from quaestor.store.tables import (
    JUDGED_TURNS,
    KEYS,
    LATEST_TURNS,
    Among,
    Between,
    Containing,
    Exactly,
    KeyTakenError,
    Other,
    Row,
    Where,
)
from quaestor.store.turn_summary import TurnClasses, TurnMeasures, summarise_turns

_DUPLICATE_KEY = (11000,)
_VERDICTS = ("score", "correct", "program_correct", "cause")
_BATCH = 500
"""Number of documents per write."""
_MAX_PART = 12 << 20
"""Maximum bytes of a content in one document; MongoDB allows 16 MB."""

COLLECTIONS = {"runs": "evaluation_runs", LATEST_TURNS: "turns", JUDGED_TURNS: "turns"}
"""Collections whose names differ from their table's."""

_PLACE = {"run": "runId", "conversation": "conversationId"}
_SPAN = {"started": "startedAt", "finished": "completedAt"}
_RESULTS = {
    "turns": "results.totalTurns",
    "correct_answers": "results.correctAnswers",
    "accuracy": "results.accuracy",
    "mean_tool_calls": "results.avgToolCallsPerTurn",
}
_TURNS = {"index": "turnIndex", "tool_calls": "toolCalls", "history": "conversationHistory"} | _PLACE | _SPAN
_TURNS |= {
    item.name: f"{name}.{item.name}"
    for name, kind in (("classes", TurnClasses), ("measures", TurnMeasures))
    for item in fields(kind)
}
_VERDICT = {"score": "scoreId", "program_correct": "programCorrect"}
# Columns that are not listed keep their name; those with a dot are in a subdocument.
_FIELDS: Mapping[str, Mapping[str, str]] = {
    "runs": {"id": "runId", "spec": "config", "spec_digest": "specDigest", "dataset_digest": "datasetDigest"} | _SPAN,
    "examples": {"turns": "numTurns", "document": "documentId", "kg_stats": "kgStats"}
    | {"claim_owner": "claim.owner", "claim_until": "claim.until"}
    | _PLACE
    | _SPAN,
    "turns": _TURNS,
    LATEST_TURNS: _TURNS,
    JUDGED_TURNS: _TURNS | {name: f"verdict.{_VERDICT.get(name, name)}" for name in _VERDICTS},
    "prompt_logs": {"turn": "turnIndex", "started": "timestamp", "finished": "completedAt"} | _PLACE,
    "corrections": {"turns": "numTurns", "made": "timestamp"} | _PLACE,
    "graphs": {"created": "createdAt"} | _PLACE,
    "frozen_graphs": {"document": "documentId", "created": "createdAt"},
    "ontologies": {"id": "_id", "created": "createdAt"},
    "ontology": {"created": "createdAt"},
    "contents": {"digest": "_id", "used": "usedAt"},
    "scores": {
        "id": "scoreId",
        "dataset_digest": "datasetDigest",
        "references_digest": "referencesDigest",
        "scored": "scoredAt",
        "conversations": "results.totalExamples",
        "unanswered": "results.unanswered",
        "mean_turns": "results.avgTurnsPerExample",
    }
    | _RESULTS
    | _PLACE,
    "scored_examples": {"failed_turns": "results.failedTurns"} | _VERDICT | _RESULTS | _PLACE,
    "scored_turns": {"index": "turnIndex"} | _VERDICT | _PLACE,
}
_SETS = (
    ("graphs", "instances", ("runId", "conversationId")),
    ("frozen_graphs", "frozen_instances", ("documentId", "digest", "ontology", "version")),
    ("ontologies", "ontology", ("digest",)),
)
"""Formats older than contents: kinds of triple sets, each with the collection of its triples and the linking fields."""


class MongoTables(MongoConnection):
    """Tables in one database of a server. Bound to the event loop that first uses it."""

    transactional = False
    reference = "digest"

    async def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Insert rows; if keys are taken, insert the others and raise KeyTakenError."""
        waiting, duplicate = iter(rows), None
        while some := [to_document(table, row) for row in islice(waiting, _BATCH)]:
            try:
                await self._collection(table).insert_many(some, ordered=False)
            except BulkWriteError as error:
                if not failed_only_with(error, _DUPLICATE_KEY):
                    raise
                duplicate = error
        if duplicate is not None:
            raise KeyTakenError from duplicate

    async def replace(self, table: str, rows: Sequence[Row]) -> list[Any]:
        """Replace or insert rows. An existing content is only marked as used."""
        writes: list[ReplaceOne[Any] | UpdateOne] = []
        for row in rows:
            key, document = {field_of(table, name): row[name] for name in KEYS[table]}, to_document(table, row)
            if table == "contents":
                update = {"$setOnInsert": await self._split(document), "$currentDate": {"usedAt": True}}
                writes.append(UpdateOne(key, update, upsert=True))
            else:
                writes.append(ReplaceOne(key, document, upsert=True))
        try:
            await self._collection(table).bulk_write(writes, ordered=False)
        except BulkWriteError as error:
            if not failed_only_with(error, _DUPLICATE_KEY):
                raise
            await self._collection(table).bulk_write(writes, ordered=False)  # another process inserted it
        return [row.get(self.reference) for row in rows]

    async def _split(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return the document of a content; data that are too large for a document are stored in parts."""
        digest, data = document.pop("_id"), document["data"]
        if len(data) <= _MAX_PART:
            return document
        starts = range(0, len(data), _MAX_PART)
        for number, start in enumerate(starts):
            part = {"$set": {"data": data[start : start + _MAX_PART]}, "$currentDate": {"createdAt": True}}
            await self._db.content_parts.update_one({"content": digest, "part": number}, part, upsert=True)
        return document | {"data": b"", "parts": len(starts)}

    async def _read_parts(self, documents: AsyncIterator[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
        async for document in documents:
            if "parts" in document:
                parts = self._db.content_parts.find({"content": document["_id"]}).sort("part")
                document["data"] = b"".join([part["data"] async for part in parts])
            yield document

    async def change(self, table: str, where: Where, values: Row) -> int:
        """Set columns of rows."""
        fields = {field_of(table, name): to_value(name, value) for name, value in values.items()}
        changed = await self._collection(table).update_many(_query(table, where), {"$set": fields})
        return int(changed.matched_count)

    async def delete(self, table: str, where: Where) -> int:
        """Delete rows. Parts of deleted contents that are still there are never read."""
        query, large = _query(table, where), list[bytes]()
        if table == "contents":
            in_parts = self._db.contents.find({**query, "parts": {"$exists": True}}, ["_id"])
            large = [content["_id"] async for content in in_parts]
        deleted = (await self._collection(table).delete_many(query)).deleted_count
        await self._delete_parts(large)
        return int(deleted)

    async def _delete_parts(self, digests: Sequence[bytes]) -> None:
        """Delete the parts of those contents that no longer exist."""
        if digests:
            left = {content["_id"] async for content in self._db.contents.find({"_id": {"$in": [*digests]}}, ["_id"])}
            await self._db.content_parts.delete_many({"content": {"$in": [*({*digests} - left)]}})

    async def find(
        self, table: str, columns: Sequence[str], where: Where, order: Sequence[str] = (), part: ListPart | None = None
    ) -> list[Row]:
        """Return columns of rows."""
        paths = {field_of(table, name) for name in columns} | ({"parts"} if "data" in columns else set())
        ordered = [(field_of(table, name.lstrip("-")), -1 if name.startswith("-") else 1) for name in order]
        if table in (LATEST_TURNS, JUDGED_TURNS):
            attempts: dict[str, Any] = {}
            # Examples decide which attempt is current; for one part of a list, the turns' flag is enough.
            if part is None:
                of_run = _query("examples", {name: where.get(name) for name in ("run", "conversation")})
                examples = self._db.examples.find(of_run, ["conversationId", "attempt"])
                attempts = {one["conversationId"]: one["attempt"] async for one in examples}
                paths |= {"conversationId", "attempt"}
            stages = [*_turn_stages(table, where if part is None else _latest(where)), *_sort_stages(ordered)]
            stages += _verdict_stages(table, where, part, needed=bool(paths & {field_of(table, n) for n in _VERDICTS}))
            found = await self._db.turns.aggregate([*stages, {"$project": {"_id": 0, **dict.fromkeys(paths, 1)}}])
            return [
                from_document(table, columns, document)
                async for document in found
                if part is not None or attempts.get(document["conversationId"]) == document.get("attempt")
            ]
        some = self._collection(table).find(_query(table, where), [*paths])
        some = some.sort(ordered) if ordered else some
        some = some.skip(part.offset).limit(part.limit) if part else some
        documents = self._read_parts(some) if "data" in columns else some
        return [from_document(table, columns, document) async for document in documents]

    async def count(self, table: str, by: Sequence[str], where: Where) -> list[tuple[Any, ...]]:
        """Return the distinct combinations of values, each with its number of rows."""
        if table in (LATEST_TURNS, JUDGED_TURNS):
            needed = any(name in _VERDICTS for name in by)
            stages = [*_turn_stages(table, _latest(where)), *_verdict_stages(table, where, None, needed=needed)]
        else:
            stages = [{"$match": _query(table, where)}]
        values: dict[str, Any] = {}
        for place, name in enumerate(by):
            path = f"${field_of(table, name.rstrip('?'))}"
            values[str(place)] = {"$gt": [path, None]} if name.endswith("?") else path
        grouped = {"$group": {"_id": values or None, "count": {"$sum": 1}}}
        found = await self._collection(table).aggregate([*stages, grouped])
        return [
            (*((row["_id"] or {}).get(str(place)) for place in range(len(by))), row["count"]) async for row in found
        ]

    async def clock(self) -> float:
        """Return the server's time."""
        return float((await self._db.command("hello"))["localTime"].timestamp())

    async def find_damage(self) -> list[str]:
        """Return the missing indexes."""
        problems: list[str] = []
        for name, indexes in INDEXES.items():
            existing = {
                tuple(tuple(key) for key in one["key"]) for one in (await self._db[name].index_information()).values()
            }
            lost = [keys for keys, _ in indexes if tuple(keys.items()) not in existing]
            problems += [f"{name} has no index on {', '.join(keys)}" for keys in lost]
        return problems

    async def compact(self) -> tuple[int, int] | None:
        """Delete the parts of contents that were never completed. The server reuses the space."""
        return await self.perform(self._compact, "write to")

    async def _compact(self) -> None:
        before = to_value("used", await self.clock() - contents.GRACE)
        groups = await self._db.content_parts.aggregate(
            [{"$match": {"createdAt": {"$lt": before}}}, {"$group": {"_id": "$content"}}]
        )
        await self._delete_parts([group["_id"] async for group in groups])

    async def _upgrade(self) -> None:
        """Convert what older versions have written; each step can be interrupted and repeated."""
        await self._count_attempts()
        await self._add_fields()
        await self._pack_contents()
        await self._db.drop_collection("scored_columns")  # `scored_turns` has the same verdicts

    async def _count_attempts(self) -> None:
        """Number the current attempts, which used to have ids; the remains of a crash have another id."""
        async for example in self._db.examples.find({"attempt": {"$not": {"$type": "number"}}}):
            place = {name: example[name] for name in ("runId", "conversationId")}
            turns = {**place, "attempt": example.get("attempt")}
            await self._db.turns.update_many(turns, {"$set": {"attempt": 1}})
            await self._db.examples.update_one({"_id": example["_id"]}, {"$set": {"attempt": 1}})
        await self._db.prompt_logs.update_many({"attempt": {"$exists": False}}, {"$set": {"attempt": 1}})

    async def _add_fields(self) -> None:
        await self._db.evaluation_runs.update_many({"kind": {"$exists": False}}, {"$set": {"kind": "run"}})
        await self._db.turns.update_many({"status": {"$exists": False}}, {"$set": {"status": "complete"}})
        # An older turn's trace, which was text, becomes a single note.
        async for turn in self._db.turns.find({"events": {"$exists": False}}, ["understanding"]):
            notes = [{"text": text, "kind": "note"}] if (text := turn.get("understanding")) else []
            await self._db.turns.update_one({"_id": turn["_id"]}, {"$set": {"events": notes}})
        if await self._db.turns.find_one({"measures": {"$exists": False}}):
            await summarise_turns(self)

    async def _pack_contents(self) -> None:
        store_contents = contents.Contents(self)
        order = [("runId", 1), ("conversationId", 1), ("turnIndex", 1), ("number", 1)]
        async for prompt in self._db.prompt_logs.find({"prompt": {"$type": "string"}}).sort(order):
            texts = {name: prompt.get(name) for name in ("prompt", "response")}
            packed = await store_contents.put_columns(texts, *texts)
            await self._db.prompt_logs.update_one({"_id": prompt["_id"]}, {"$set": packed})
        for sets, triples, key in _SETS:
            async for graph in self._db[sets].find({"content": {"$exists": False}}):
                where = {name: graph[name] for name in key}
                found = [(one["s"], one["p"], one["o"]) async for one in self._db[triples].find(where, ["s", "p", "o"])]
                written = contents.WrittenGraph.of(found)
                if written.size == graph["triples"]:
                    packed = await store_contents.put_columns({"content": written.text}, "content")
                    await self._db[sets].update_one({"_id": graph["_id"]}, {"$set": packed})
                else:  # mixed by two concurrent writers, and never read
                    await self._db[sets].delete_one({"_id": graph["_id"]})
            if triples != "ontology":  # triples are dropped last, as another process may be upgrading too
                await self._db.drop_collection(triples)

    def _collection(self, table: str) -> Any:
        return self._db[COLLECTIONS.get(table, table)]


class MongoStore(RunStore):
    """RunStore in one database of a MongoDB server. Bound to the event loop that first uses it."""

    def __init__(self, uri: str, *, create: bool = True) -> None:
        """Parse the URI (the default database is `quaestor`); the first operation contacts the server."""
        super().__init__(MongoTables(uri, create=create))


def _query(table: str, where: Where) -> dict[str, Any]:
    query: dict[str, Any] = {}
    for column, wanted in where.items():
        if wanted is None:
            continue
        match wanted:
            case Among():
                condition: Any = {"$in": [*wanted.values]}
            case Between():
                limits = {"$gte": wanted.low, "$lte": wanted.high}
                condition = {name: to_value(column, limit) for name, limit in limits.items() if limit is not None}
            case Containing():
                condition = {"$regex": re.escape(wanted.text), "$options": "i"}
            case Other():
                condition = {"$ne": wanted.value}
            case Exactly():
                condition = to_value(column, wanted.value)
            case _:
                condition = wanted
        query[field_of(table, column)] = condition
    return query


def _latest(where: Where) -> Where:
    return {**where, "superseded": Other(True)}


def _turn_stages(table: str, where: Where) -> list[dict[str, Any]]:
    return [{"$match": _query(table, {name: wanted for name, wanted in where.items() if name not in _VERDICTS})}]


def _sort_stages(ordered: Sequence[tuple[str, int]]) -> list[dict[str, Any]]:
    """Return the stages that sort turns; turns without a confidence come last."""
    if not ordered:
        return []
    path = ordered[0][0]
    if path != "classes.confidence":
        return [{"$sort": dict(ordered)}]
    return [{"$addFields": {"sure": {"$ifNull": [f"${path}", 2]}}}, {"$sort": {"sure": 1, **dict(ordered[1:])}}]


def _verdict_stages(table: str, where: Where, part: ListPart | None, *, needed: bool) -> list[dict[str, Any]]:
    """Return the stages that join the verdicts of a scoring to turns, filter by them, and take a part."""
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
    # Without a condition on verdicts, only the requested part is joined.
    return [*joined, {"$match": conditions}, *limits] if conditions else [*limits, *joined]


def field_of(table: str, column: str) -> str:
    """Return the field of a column; `spec.solver` is inside a subdocument."""
    name, dot, within = column.partition(".")
    return _FIELDS[table].get(name, name) + dot + within


def to_value(column: str, value: Any) -> Any:
    """Convert a value for MongoDB."""
    if column in ("claim_until", "used") and value is not None:
        return datetime.fromtimestamp(value, UTC)
    return [_add_date(call) for call in value] if column == "tool_calls" else value


def to_document(table: str, row: Row) -> dict[str, Any]:
    """Convert a row to a document, with extra fields for human readers."""
    document: dict[str, Any] = {}
    for column, value in row.items():
        outer, dot, inner = field_of(table, column).partition(".")
        if not dot:
            document[outer] = to_value(column, value)
        elif outer != "claim" or value is not None:
            document.setdefault(outer, {})[inner] = to_value(column, value)
    if table == "examples":
        document["exampleId"] = row["conversation"]
    if table == "ontology":
        document["type"] = "ontology"
    if table in ("turns", "prompt_logs") and row["finished"] is not None:
        document["durationMs"] = round((row["finished"] - row["started"]).total_seconds() * 1000)
    if table == "turns":
        document["understanding"] = _understanding(row["events"])
    return document


def from_document(table: str, columns: Sequence[str], document: Mapping[str, Any]) -> Row:
    """Return columns of a document; missing ones are omitted."""
    row: Row = {}
    for column in columns:
        value: Any = document
        for key in field_of(table, column).split("."):
            value = value.get(key, ...) if isinstance(value, Mapping) else ...
        if column == "tool_calls" and value is not ...:
            value = [_drop_date(call) for call in value]
        elif column == "claim_until" and isinstance(value, datetime):
            value = value.timestamp()
        if value is not ...:
            row[column] = value
    return row


def _understanding(events: Sequence[JsonValue]) -> JsonValue:
    """Return the solver's last interpretation of the question, or None."""
    readings = {"understood": "reading", "values_named": "wanted", "plan_proposed": "plan"}
    found = (event for event in reversed(events) if isinstance(event, dict))
    return next((event[readings[str(event["kind"])]] for event in found if event["kind"] in readings), None)


def _add_date(call: JsonValue) -> Any:
    """Add the time of a tool call as a date."""
    began = call.get("started") if isinstance(call, dict) else None
    return (
        {**call, "timestamp": datetime.fromisoformat(began)}
        if isinstance(call, dict) and isinstance(began, str)
        else call
    )


def _drop_date(call: Any) -> JsonValue:
    return {name: value for name, value in call.items() if name != "timestamp"} if isinstance(call, dict) else call
