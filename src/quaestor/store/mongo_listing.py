"""Lists of runs and of turns out of MongoDB, part by part.

A turn counts where no later attempt at its conversation has been begun: its document says so (`superseded`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, cast

from quaestor.errors import UnknownRunError
from quaestor.store import errors as refusals
from quaestor.store.listing import (
    ConversationCounts,
    ListPage,
    ListPart,
    RunChoices,
    RunFilter,
    TurnClass,
    TurnCounts,
    TurnFilter,
    TurnListing,
)
from quaestor.store.mongo_connection import Database, OnMongo
from quaestor.store.mongo_documents import from_document
from quaestor.store.mongo_retrying import retried
from quaestor.store.records import RunRecord
from quaestor.store.turn_classes import TurnClasses
from quaestor.store.turn_measures import COUNTED as COUNTED_MEASURES
from quaestor.store.turn_measures import RunMeasures

PLACE = [("conversationId", 1), ("turnIndex", 1)]
_STAGES = {"$sum": "$measures.stages"}
_CLASSES = frozenset(item.name for item in fields(TurnClasses))
_KEYS = {"conversation": "conversationId", "index": "turnIndex"}
FIELDS = {
    item.name: f"classes.{item.name}" if item.name in _CLASSES else _KEYS.get(item.name, item.name)
    for item in fields(TurnListing)
}
"""Where each field of a listing is in the document of a turn."""
SHOWN = {"_id": 0, **dict.fromkeys(FIELDS.values(), 1)}


class MongoLists(OnMongo):
    """The operations of a RunStore that give a list part by part."""

    @retried
    async def list_runs(self, wanted: RunFilter, part: ListPart) -> ListPage[RunRecord]:
        """Return runs, the latest first."""
        where = _runs_where(wanted)
        async with self._using("read") as db:
            total = await db.evaluation_runs.count_documents(where)
            found = db.evaluation_runs.find(where).sort([("startedAt", -1), ("runId", -1)])
            some = found.skip(part.offset).limit(part.limit)
            return ListPage(tuple([from_document(RunRecord, document) async for document in some]), total, part)

    @retried
    async def run_choices(self) -> RunChoices:
        """Return what there is to filter runs by."""
        names = ["dataset", "config.solver", "config.model.provider", "config.model.model"]
        async with self._using("read") as db:
            found = [run async for run in db.evaluation_runs.find({"kind": {"$ne": "ask"}}, names)]
        models = [run["config"].get("model") for run in found]
        return RunChoices(
            _sorted(run["dataset"] for run in found),
            _sorted(run["config"].get("solver") for run in found),
            _sorted(model and f"{model.get('provider')}:{model.get('model')}" for model in models),
        )

    @retried
    async def list_turns(self, run: str, wanted: TurnFilter, part: ListPart) -> ListPage[TurnListing]:
        """Return turns of a run."""
        async with self._using("read") as db:
            await self._require(db, run)
            where = turns_query(run, wanted)
            total = await db.turns.count_documents(where)
            ordered = [*turns_stages(where, wanted), {"$skip": part.offset}, {"$limit": part.limit}]
            found = await db.turns.aggregate([*ordered, {"$project": SHOWN}])
            return ListPage(tuple([document_listing(document) async for document in found]), total, part)

    @retried
    async def count_turns(self, run: str, by: TurnClass) -> TurnCounts:
        """Return how many turns of a run have each class."""
        async with self._using("read") as db:
            await self._require(db, run)
            grouped = {"_id": f"${FIELDS[by]}", "count": {"$sum": 1}}
            counted = await db.turns.aggregate([{"$match": turns_query(run, TurnFilter())}, {"$group": grouped}])
            return {group["_id"]: group["count"] async for group in counted}

    @retried
    async def count_examples(self, run: str) -> ConversationCounts:
        """Return a run's conversations as far as they were begun, counted."""
        used: Counter[str] = Counter()
        async with self._using("read") as db:
            await self._require(db, run)
            grouped = {"_id": "$status", "count": {"$sum": 1}, "turns": {"$sum": "$numTurns"}}
            found = await db.examples.aggregate([{"$match": {"runId": run}}, {"$group": grouped}])
            rows = [row async for row in found]
            graphs = {"runId": run, "kgStats": {"$nin": [None, {}]}}
            known = await db.examples.count_documents(graphs)
            frozen = await db.examples.count_documents(graphs | {"kgStats.frozen": {"$ne": None}})
            async for example in db.examples.find({"runId": run, "usage": {"$nin": [None, {}]}}, ["usage"]):
                used.update(example["usage"])
        return ConversationCounts(
            {row["_id"]: row["count"] for row in rows}, sum(row["turns"] for row in rows), known, frozen, dict(used)
        )

    @retried
    async def measure_turns(self, run: str) -> RunMeasures:
        """Return what the turns of a run took."""
        # Turns of before one was kept while it is played have no status.
        where = {**turns_query(run, TurnFilter()), "status": {"$in": ["complete", None]}}
        fate: dict[str, Any] = {
            "refusals": "$measures.refusals",
            "silent": "$measures.no_answer",
            "verified": "$verified",
        }
        fate |= {"answered": {"$gt": ["$number", None]}}
        async with self._using("read") as db:
            await self._require(db, run)
            counted = {name: await _grouped(db, where, f"$measures.{name}") for name in COUNTED_MEASURES}
            fates = await _grouped(db, where, fate)
            summed = [{"$match": turns_query(run, TurnFilter())}, {"$group": {"_id": None, "stages": _STAGES}}]
            stages = sum([row["stages"] async for row in await db.turns.aggregate(summed)])
        return RunMeasures(
            **{name: {row["_id"]: row["count"] for row in rows} for name, rows in counted.items()},
            fates={
                (one["refusals"], bool(one["silent"]), bool(one["answered"]), bool(one["verified"])): row["count"]
                for row in fates
                for one in [row["_id"]]
            },
            stages=stages,
        )

    async def _require(self, db: Database, run: str) -> None:
        if await db.evaluation_runs.find_one({"runId": run}, ["_id"]) is None:
            raise await self._unknown(db, run)

    async def _unknown(self, db: Database, run: str) -> UnknownRunError:
        found = db.evaluation_runs.find({}, ["runId"]).sort([("startedAt", -1), ("runId", -1)])
        return refusals.unknown_run(self._name, run, [document["runId"] async for document in found])


async def _grouped(db: Database, where: Mapping[str, Any], by: object) -> list[dict[str, Any]]:
    """Return how many turns have each value."""
    found = await db.turns.aggregate([{"$match": where}, {"$group": {"_id": by, "count": {"$sum": 1}}}])
    return [row async for row in found]


def _runs_where(wanted: RunFilter) -> dict[str, Any]:
    provider, _, model = (wanted.model or "").partition(":")
    where = {
        "dataset": None if wanted.datasets is None else {"$in": list(wanted.datasets)},
        "config.solver": wanted.solver,
        "config.model.provider": provider or None,
        "config.model.model": model or None,
        "status": wanted.status,
    }
    found: dict[str, Any] = {name: value for name, value in where.items() if value is not None}
    if wanted.kinds is not None:
        # Runs of before there were kinds have none.
        found["kind"] = {"$in": [*wanted.kinds, *([None] if "run" in wanted.kinds else [])]}
    return found


def turns_query(run: str, wanted: TurnFilter) -> dict[str, Any]:
    """Return the query that a filter is, over the turns of a run that count."""
    names = ("conversation", "index", "kind", "operation", "origin")
    where: dict[str, Any] = {"runId": run, "superseded": {"$ne": True}}
    where |= {FIELDS[name]: value for name in names if (value := getattr(wanted, name)) is not None}
    limits = {"$gte": wanted.low, "$lte": wanted.high}
    if within := {name: limit for name, limit in limits.items() if limit is not None}:
        where[FIELDS["confidence"]] = within
    if wanted.text:
        where["question"] = {"$regex": re.escape(wanted.text), "$options": "i"}
    return where


def turns_stages(where: Mapping[str, Any], wanted: TurnFilter) -> list[dict[str, Any]]:
    """Return the stages of an aggregation that pick out turns, in the order that is wanted."""
    matched: list[dict[str, Any]] = [{"$match": where}]
    if wanted.order == "conversation":
        return [*matched, {"$sort": dict(PLACE)}]
    # What is missing would come first.
    sure = {"$ifNull": [f"${FIELDS['confidence']}", 2]}
    return [*matched, {"$addFields": {"sure": sure}}, {"$sort": {"sure": 1, **dict(PLACE)}}]


def document_listing(document: Mapping[str, Any]) -> TurnListing:
    """Return what a document lists of a turn."""
    classes = document.get("classes", {})
    found = {name: classes.get(name) if name in _CLASSES else document.get(key) for name, key in FIELDS.items()}
    found["status"] = found["status"] or "complete"  # those of before a turn was kept while it is played have none
    return TurnListing(**cast(dict[str, Any], found))


def _sorted(values: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({value for value in values if value}))
