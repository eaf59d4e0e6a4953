"""Turns of a MongoDB store of before turns were filed by their classes, filed."""

from dataclasses import asdict
from typing import Any

from pymongo import UpdateOne
from pymongo.asynchronous.database import AsyncDatabase

from quaestor.store.turn_classes import classes_of

_SOME = 1000


async def file_turn_documents(db: AsyncDatabase[dict[str, Any]]) -> None:
    """Files all turns, some at a time; another process may be at it too."""
    while some := [turn async for turn in db.turns.find({"classes": {"$exists": False}}, ["answer"]).limit(_SOME)]:
        await db.turns.bulk_write([_filed(turn) for turn in some], ordered=False)


def _filed(turn: dict[str, Any]) -> UpdateOne:
    return UpdateOne({"_id": turn["_id"]}, {"$set": {"classes": asdict(classes_of(turn.get("answer") or {}))}})
