"""A MongoDB store looked through, and rid of what broken-off deletions and writers have left."""

from collections.abc import AsyncIterator

from quaestor.errors import StoreError
from quaestor.store.contents import content_digest
from quaestor.store.mongo_contents import REFERENCES, Database, MongoContents
from quaestor.store.mongo_documents import INDEXES
from quaestor.store.mongo_listing import MongoLists
from quaestor.store.mongo_retrying import retried
from quaestor.store.upkeep import Checked, VacuumResult

OF_RUNS = (
    "scores", "scored_examples", "scored_turns", "scored_columns", "graphs", "prompt_logs", "examples", "turns",
    "corrections",
)  # fmt: skip
"""The collections whose documents belong to a run; each loses first that by which it counts."""

_SOME = 200
_FEW = 20
"""How many problems of one kind are named."""


class MongoUpkeep(MongoLists):
    """The StoreUpkeep of one database."""

    def __init__(self, uri: str, *, create: bool) -> None:
        """Read the URI, as `MongoConnection` does."""
        super().__init__(uri, create=create)
        self._contents = MongoContents()

    @retried
    async def check(self) -> Checked:
        """Read all that can be broken, and return what is."""
        async with self._using("read") as db:
            problems = [problem async for problem in _without_runs(db)]
            problems += [problem async for problem in _without_indexes(db)]
            problems += [problem async for problem in _short(db)]
            count, unused = 0, 0
            known: set[bytes] = set()
            async for some in _batches(db):
                known |= {*some}
                count += len(some)
                unused += len(some) - len(await self._contents.referred(db, some))
                problems += [problem async for problem in self._damaged(db, some)]
            for collection, field in REFERENCES:
                groups = await db[collection].aggregate([{"$group": {"_id": f"${field}"}}])
                lost = {group["_id"] async for group in groups} - known - {None}
                problems += [f"{collection} refer to {len(lost)} missing contents"] if lost else []
            return Checked(tuple(problems), count, unused)

    async def _damaged(self, db: Database, digests: list[bytes]) -> AsyncIterator[str]:
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

    @retried
    async def vacuum(self) -> VacuumResult:
        """Take away what nothing refers to. The server gives the room to what is written next."""
        async with self._using("write to") as db:
            left = 0
            for name in OF_RUNS:
                gone = await _lost_runs(db, name)
                for run in gone:
                    left += (await db[name].delete_many({"runId": run})).deleted_count
            return VacuumResult(await self._contents.sweep(db), left)


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
        kept = await db.turns.count_documents(place)
        if kept < example["numTurns"] and named < _FEW:
            named += 1
            yield (
                f"conversation {example['conversationId']!r} of run {example['runId']!r} has {kept} of its "
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
