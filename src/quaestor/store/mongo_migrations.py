"""What older MongoDB stores hold, rewritten: contents packed, turns filed by their classes and their measures.

Each step can be broken off and done again, and another process may be at it too: a prompt or a graph is read wherever
it is, and the triples go last.
"""

from dataclasses import asdict
from typing import Any

from pymongo import UpdateOne

from quaestor.store.contents import triples_to_text
from quaestor.store.mongo_contents import Database, MongoContents
from quaestor.store.turn_classes import classes_of
from quaestor.store.turn_measures import measure_parts

_SETS = (
    ("graphs", "instances", ("runId", "conversationId")),
    ("frozen_graphs", "frozen_instances", ("documentId", "digest", "ontology", "version")),
)


async def pack_documents(db: Database) -> None:
    """Pack all prompts and graphs, one by one."""
    contents = MongoContents()
    order = [("runId", 1), ("conversationId", 1), ("turnIndex", 1), ("number", 1)]
    async for prompt in db.prompt_logs.find({"prompt": {"$type": "string"}}).sort(order):
        await db.prompt_logs.update_one({"_id": prompt["_id"]}, {"$set": await _pack(db, contents, prompt)})
    for sets, triples, key in _SETS:
        async for graph in db[sets].find({"content": {"$exists": False}}):
            where = {name: graph[name] for name in key}
            found = [(one["s"], one["p"], one["o"]) async for one in db[triples].find(where, ["s", "p", "o"])]
            if len(set(found)) == graph["triples"]:
                (digest,) = await contents.put(db, triples_to_text(found))
                await db[sets].update_one({"_id": graph["_id"]}, {"$set": {"content": digest}})
            else:  # what two writers had mixed was never read
                await db[sets].delete_one({"_id": graph["_id"]})
        await db.drop_collection(triples)


async def _pack(db: Database, contents: MongoContents, prompt: dict[str, Any]) -> dict[str, Any]:
    large = {name: prompt[name] for name in ("prompt", "response") if isinstance(prompt.get(name), str)}
    return dict(zip(large, await contents.put(db, *large.values()), strict=True))


_SOME = 1000
_READ = ["answer", "startedAt", "completedAt", "usage", "toolCalls", "events"]


async def file_turn_documents(db: Database) -> None:
    """Files all turns, some at a time; another process may be at it too."""
    missing = {"$or": [{"classes": {"$exists": False}}, {"measures": {"$exists": False}}]}
    while some := [turn async for turn in db.turns.find(missing, _READ).limit(_SOME)]:
        await db.turns.bulk_write([_classify(turn) for turn in some], ordered=False)


def _classify(turn: dict[str, Any]) -> UpdateOne:
    written = (turn.get("usage") or {}, turn.get("toolCalls") or [], turn.get("events") or [])
    found = measure_parts(turn["startedAt"], turn.get("completedAt"), *written)
    classes = asdict(classes_of(turn.get("answer") or {}))
    return UpdateOne({"_id": turn["_id"]}, {"$set": {"classes": classes, "measures": asdict(found)}})
