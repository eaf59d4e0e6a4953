"""Prompts and graphs of a MongoDB store of before there were contents, packed.

Each step can be broken off and done again, and another process may be at it too: a prompt or a graph is read wherever
it stands, and the triples go last.
"""

from typing import Any

from quaestor.store.contents import triples_to_text
from quaestor.store.mongo_contents import Database, MongoContents

_SETS = (
    ("graphs", "instances", ("runId", "conversationId")),
    ("frozen_graphs", "frozen_instances", ("documentId", "digest", "ontology", "version")),
)


async def pack_documents(db: Database) -> None:
    """Packs all prompts and graphs, one by one."""
    contents = MongoContents()
    order = [("runId", 1), ("conversationId", 1), ("turnIndex", 1), ("number", 1)]
    async for prompt in db.prompt_logs.find({"prompt": {"$type": "string"}}).sort(order):
        await db.prompt_logs.update_one({"_id": prompt["_id"]}, {"$set": await _packed(db, contents, prompt)})
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


async def _packed(db: Database, contents: MongoContents, prompt: dict[str, Any]) -> dict[str, Any]:
    large = {name: prompt[name] for name in ("prompt", "response") if isinstance(prompt.get(name), str)}
    return dict(zip(large, await contents.put(db, *large.values()), strict=True))
