"""Turns of a MongoDB store of before turns were filed by their classes, or by their measures, filed."""

from dataclasses import asdict
from typing import Any

from pymongo import UpdateOne
from pymongo.asynchronous.database import AsyncDatabase

from quaestor.store.turn_classes import classes_of
from quaestor.store.turn_measures import measure_parts

_SOME = 1000
_READ = ["answer", "startedAt", "completedAt", "usage", "toolCalls", "events"]


async def file_turn_documents(db: AsyncDatabase[dict[str, Any]]) -> None:
    """Files all turns, some at a time; another process may be at it too."""
    missing = {"$or": [{"classes": {"$exists": False}}, {"measures": {"$exists": False}}]}
    while some := [turn async for turn in db.turns.find(missing, _READ).limit(_SOME)]:
        await db.turns.bulk_write([_filed(turn) for turn in some], ordered=False)


def _filed(turn: dict[str, Any]) -> UpdateOne:
    written = (turn.get("usage") or {}, turn.get("toolCalls") or [], turn.get("events") or [])
    found = measure_parts(turn["startedAt"], turn.get("completedAt"), *written)
    classes = asdict(classes_of(turn.get("answer") or {}))
    return UpdateOne({"_id": turn["_id"]}, {"$set": {"classes": classes, "measures": asdict(found)}})
