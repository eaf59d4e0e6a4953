"""The scores in the MongoDB database of the runs, in collections of their own.

The figures are written last: they make the verdicts of a scoring count, and those of an earlier one go then.
"""

from typing import Any

from pymongo import IndexModel

from quaestor.scores.columns import pack_columns
from quaestor.scores.mongo_documents import LATEST_FIRST, SCORE_INDEXES, from_score_document, to_score_document
from quaestor.scores.mongo_listing import MongoScoreLists, latest, verdicts_on_answers
from quaestor.scores.records import ConversationScoreRecord, KeptScore, ScoreRecord, VerdictRecord
from quaestor.store import errors as refusals
from quaestor.store.mongo_retrying import done_before, retried

_OF_THE_LATEST = ("scored_columns", "scored_turns", "scored_examples")
"""What is kept of the latest scoring of a run alone."""


class MongoScores(MongoScoreLists):
    """A ScoreStore in one database of a MongoDB server. Belongs to the event loop that first uses it."""

    def __init__(self, uri: str) -> None:
        """Read the URI; the server is first asked by the first operation.

        Raises:
            StoreError: The URI is malformed.
        """
        super().__init__(uri, create=False)

    @retried
    async def add_score(self, kept: KeptScore) -> None:
        """Add a scoring of a run; its verdicts are in place of those of an earlier one."""
        run = kept.score.run
        async with self._using("write to") as db:
            if await db.evaluation_runs.find_one({"runId": run}, ["_id"]) is None:
                latest = db.evaluation_runs.find({}, ["runId"]).sort([("startedAt", -1), ("runId", -1)])
                raise refusals.unknown_run(self._name, run, [document["runId"] async for document in latest])
            # Here, because a database that an earlier version made has none of them.
            for collection, indexes in SCORE_INDEXES.items():
                models = [IndexModel(list(keys.items()), unique=unique) for keys, unique in indexes]
                await db[collection].create_indexes(models)
            key = {"runId": run, "scoreId": kept.score.id}
            if done_before():
                for name in _OF_THE_LATEST:
                    await db[name].delete_many(key)
            for name, records in (("scored_examples", kept.conversations), ("scored_turns", kept.verdicts)):
                if records:
                    await db[name].insert_many([to_score_document(record) for record in records])
            columns = pack_columns(await verdicts_on_answers(db, key)).items()
            await db.scored_columns.insert_many([{**key, "name": name, "data": data} for name, data in columns])
            await db.scores.replace_one(key, to_score_document(kept.score), upsert=True)
            # Looked up now: another process may have added a later one meanwhile. An earlier one never is the latest.
            counted = db.scores.find({"runId": run}, ["scoreId"]).sort(LATEST_FIRST)
            _, *earlier = [document["scoreId"] async for document in counted]
            for name in _OF_THE_LATEST:
                await db[name].delete_many({"runId": run, "scoreId": {"$in": earlier}})

    @retried
    async def scores(self, run: str | None = None) -> tuple[ScoreRecord, ...]:
        """Return the figures of every scoring of a run, or of all runs, the latest first."""
        async with self._using("read") as db:
            found = db.scores.find({} if run is None else {"runId": run}).sort(LATEST_FIRST)
            return tuple([from_score_document(ScoreRecord, document) async for document in found])

    @retried
    async def conversation_scores(self, run: str, *, failed: bool = False) -> tuple[ConversationScoreRecord, ...]:
        """Return how the conversations of a run did in its latest scoring, by id."""
        where: dict[str, Any] = {"results.accuracy": {"$lt": 1}} if failed else {}
        async with self._using("read") as db:
            found = db.scored_examples.find(await latest(db, run) | where).sort("conversationId")
            return tuple([from_score_document(ConversationScoreRecord, document) async for document in found])

    @retried
    async def verdicts(
        self, run: str, conversation: str | None = None, *, correct: bool | None = None
    ) -> tuple[VerdictRecord, ...]:
        """Return the verdicts of a run's latest scoring, by conversation and index."""
        where: dict[str, Any] = {"conversationId": conversation, "correct": correct}
        where = {name: value for name, value in where.items() if value is not None}
        async with self._using("read") as db:
            found = db.scored_turns.find(await latest(db, run) | where)
            ordered = found.sort([("conversationId", 1), ("turnIndex", 1)])
            return tuple([from_score_document(VerdictRecord, document) async for document in ordered])
