"""The run store on a MongoDB server, for several machines and for inspection with mongosh.

Needs no transactions, which only replica sets have: what belongs together is written first, and
one write of a single document makes it count. What a crash leaves behind is never read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, get_args

from pymongo import ReplaceOne
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.errors import DuplicateKeyError

from quaestor.store import errors as refusals
from quaestor.store.mongo_connection import Database, Document
from quaestor.store.mongo_contents import clock
from quaestor.store.mongo_documents import (
    attempt_number,
    conversation_key,
    from_document,
    to_document,
)
from quaestor.store.mongo_knowledge import MongoKnowledge
from quaestor.store.mongo_retrying import done_before, retried
from quaestor.store.mongo_upkeep import OF_RUNS
from quaestor.store.records import (
    MOST_SECONDS,
    Claim,
    ConversationRecord,
    CorrectionRecord,
    ExampleStatus,
    PromptRecord,
    RunRecord,
    RunStatus,
    TurnRecord,
)


class MongoStore(MongoKnowledge):
    """A RunStore in one database of a MongoDB server. Belongs to the event loop that first uses it."""

    def __init__(self, uri: str, *, create: bool = True) -> None:
        """Read the URI; the server is first asked by the first operation.

        Args:
            uri: `mongodb://` or `mongodb+srv://`; the database is `quaestor` where it names none. Options such as
                `timeoutMS` (one operation), `serverSelectionTimeoutMS` and `journal` are honoured.
            create: Whether collections and indexes are made in a database that has none.

        Raises:
            StoreError: The URI is malformed.
        """
        super().__init__(uri, create=create)

    @retried
    async def create_run(self, run: RunRecord) -> None:
        """Add a run."""
        async with self._using("write to") as db:
            try:
                await db.evaluation_runs.insert_one(to_document(run))
            except DuplicateKeyError as error:
                if not await _is_there(db.evaluation_runs, {"runId": run.id}, to_document(run)):
                    raise refusals.run_taken(self._name, run.id) from error

    @retried
    async def resume_run(self, run: str) -> None:
        """Set a run back to `running`."""
        await self._set_status(run, "running", None)

    @retried
    async def finish_run(self, run: str, status: RunStatus, finished: datetime) -> None:
        """Set how a run came to its end."""
        await self._set_status(run, status, finished)

    @retried
    async def delete_run(self, run: str) -> None:
        """Take a run away with all that belongs to it.

        Its own document goes last, so that a deletion that was broken off can be done again.
        """
        async with self._using("write to") as db:
            if done_before() and await db.evaluation_runs.find_one({"runId": run}, ["_id"]) is None:
                return
            await self._require(db, run)
            used = await self._large(db, run)
            # What is left in between is read as not there.
            for name in (*OF_RUNS, "evaluation_runs"):
                await db[name].delete_many({"runId": run})
            await self._contents.free(db, used)

    async def _large(self, db: Database, run: str) -> set[bytes]:
        """Return the digests of all that a run has among the contents."""
        fields = ("prompt_logs", "prompt"), ("prompt_logs", "response"), ("graphs", "content")
        return {
            document[field]
            for name, field in fields
            async for document in db[name].find({"runId": run, field: {"$ne": None}}, [field])
        }

    async def _set_status(self, run: str, status: RunStatus, finished: datetime | None) -> None:
        async with self._using("write to") as db:
            change = {"$set": {"status": status, "completedAt": finished}}
            if not (await db.evaluation_runs.update_one({"runId": run}, change)).matched_count:
                raise await self._unknown(db, run)

    @retried
    async def runs(self) -> tuple[RunRecord, ...]:
        """Return all runs, the latest first."""
        async with self._using("read") as db:
            found = db.evaluation_runs.find().sort([("startedAt", -1), ("runId", -1)])
            return tuple([from_document(RunRecord, document) async for document in found])

    @retried
    async def run(self, run: str) -> RunRecord:
        """Return one run."""
        async with self._using("read") as db:
            found = await db.evaluation_runs.find_one({"runId": run})
            if found is None:
                raise await self._unknown(db, run)
            return from_document(RunRecord, found)

    @retried
    async def begin_example(self, example: ConversationRecord, claim: Claim | None = None) -> int:
        """Note that a conversation is being played, as another attempt; returns its number."""
        place = conversation_key(example.run, example.conversation)
        async with self._using("write to") as db:
            await self._require(db, example.run)
            while True:
                before = await db.examples.find_one(place)
                if before is not None and before["status"] == "complete":
                    raise refusals.complete_already(self._name, example)
                now = await clock(db) if claim else None
                again = False
                if claim and now and before is not None:
                    again = refusals.check_claim(self._name, example, claim, _found(before), now.timestamp())
                attempt = 1 if before is None else attempt_number(before) + (not again)
                held = (
                    {"owner": claim.owner, "until": now + timedelta(seconds=claim.seconds)} if claim and now else None
                )
                # Taken only where nobody has begun another one since the look.
                if again or await self._take_example(db, replace(example, attempt=attempt), before, held):
                    if before is not None:
                        await _supersede(db, place, attempt)
                    return attempt

    @retried
    async def pending(self, run: str) -> Mapping[str, str | None]:
        """Return the conversations that were begun and have not ended, each with who has claimed it by now."""
        async with self._using("read") as db:
            await self._require(db, run)
            clocked = (await clock(db)).timestamp()
            found = db.examples.find({"runId": run, "status": "pending"})
            held = {example["conversationId"]: _found(example) async for example in found}
        return {
            name: one.owner if clocked < one.until <= clocked + MOST_SECONDS else None
            for name, one in sorted(held.items())
        }

    @retried
    async def renew_claims(self, run: str, owner: str, seconds: float) -> None:
        """Hold the claims of a runner on conversations of a run for some seconds more."""
        async with self._using("write to") as db:
            until = await clock(db) + timedelta(seconds=seconds)
            await db.examples.update_many({"runId": run, "claim.owner": owner}, {"$set": {"claim.until": until}})

    async def _take_example(
        self, db: Database, example: ConversationRecord, before: Document | None, claim: Document | None
    ) -> bool:
        document = to_document(example) | ({} if claim is None else {"claim": claim})
        try:
            if before is None:
                await db.examples.insert_one(document)
                return True
            seen = {"_id": before["_id"], "attempt": before["attempt"], "status": before["status"]}
            # A claim that was renewed since holds.
            seen["claim.until"] = before["claim"]["until"] if "claim" in before else None
            return bool((await db.examples.replace_one(seen, document)).matched_count)
        except DuplicateKeyError:
            return False

    @retried
    async def save_turn(self, turn: TurnRecord) -> None:
        """Keep a turn as far as it is."""
        async with self._using("write to") as db:
            await self._require(db, turn.run)
            if await db.examples.find_one(conversation_key(turn.run, turn.conversation), ["_id"]) is None:
                raise refusals.never_begun(self._name, turn)
            await db.turns.replace_one(_turn_key(turn), to_document(turn), upsert=True)

    @retried
    async def complete_example(self, example: ConversationRecord, turns: Sequence[TurnRecord]) -> None:
        """Keep a conversation's end, with the turns given, or nothing."""
        refusals.check_turns(example, turns)
        async with self._using("write to") as db:
            await self._require(db, example.run)
            place = conversation_key(example.run, example.conversation)
            if await _is_there(db.examples, place, to_document(example)):
                await _supersede(db, place, example.attempt)
                return
            await self._require_unfinished(db, example)
            if turns:
                # No other process plays this attempt, and what counts is decided by the example, written last.
                writes = [ReplaceOne(_turn_key(turn), to_document(turn), upsert=True) for turn in turns]
                await db.turns.bulk_write(writes, ordered=False)
            key = {"runId": example.run, "exampleId": example.conversation, "status": {"$ne": "complete"}}
            try:
                await db.examples.replace_one(key, to_document(example), upsert=True)
            except DuplicateKeyError as error:
                raise refusals.complete_already(self._name, example) from error
            await _supersede(db, place, example.attempt)

    async def _require_unfinished(self, db: Database, example: ConversationRecord) -> None:
        found = await db.examples.find_one(conversation_key(example.run, example.conversation), ["status"])
        if found is not None and found["status"] == "complete":
            raise refusals.complete_already(self._name, example)

    @retried
    async def examples(self, run: str, *, incomplete: bool = False) -> tuple[ConversationRecord, ...]:
        """Return a run's conversations as far as they were begun, by id."""
        others = [status for status in get_args(ExampleStatus) if status != "complete"]
        only = {"status": {"$in": others}} if incomplete else {}
        async with self._using("read") as db:
            await self._require(db, run)
            found = db.examples.find({"runId": run, **only}).sort("conversationId")
            return tuple([from_document(ConversationRecord, document) async for document in found])

    @retried
    async def progress(self, run: str) -> Mapping[ExampleStatus, int]:
        """Return how many of a run's conversations have each status."""
        async with self._using("read") as db:
            await self._require(db, run)
            counted = await db.examples.aggregate(
                [{"$match": {"runId": run}}, {"$group": {"_id": "$status", "count": {"$sum": 1}}}]
            )
            return {group["_id"]: group["count"] async for group in counted}

    @retried
    async def turns(
        self, run: str, conversation: str | None = None, attempt: int | None = None
    ) -> tuple[TurnRecord, ...]:
        """Return the turns of a run or of one of its conversations, by conversation and index."""
        where = {"runId": run} if conversation is None else conversation_key(run, conversation)
        async with self._using("read") as db:
            await self._require(db, run)
            examples = db.examples.find(where, ["conversationId", "attempt"])
            counting = {example["conversationId"]: example["attempt"] async for example in examples}
            found = db.turns.find(where).sort([("conversationId", 1), ("turnIndex", 1)])
            kept = [
                from_document(TurnRecord, document)
                async for document in found
                # Of an older version, whose attempts had no numbers, only those that count were kept.
                if attempt is not None or counting.get(document["conversationId"]) == document["attempt"]
            ]
            return tuple(turn for turn in kept if attempt in (None, turn.attempt))

    @retried
    async def turn(self, run: str, conversation: str, index: int, attempt: int | None = None) -> TurnRecord:
        """Return one turn."""
        return refusals.pick_turn(await self.turns(run, conversation, attempt), run, conversation, index)

    @retried
    async def log_prompt(self, prompt: PromptRecord) -> None:
        """Keep a request to a model and its reply."""
        said = {"prompt": prompt.prompt} | ({} if prompt.response is None else {"response": prompt.response})
        async with self._using("write to") as db:
            await self._require(db, prompt.run)
            packed = zip(said, await self._contents.put(db, *said.values()), strict=True)
            document = to_document(prompt) | dict(packed)
            try:
                await db.prompt_logs.insert_one(document)
            except DuplicateKeyError as error:
                if await _is_there(db.prompt_logs, _prompt_key(prompt), document):
                    return
                raise refusals.prompt_taken(self._name, prompt) from error

    @retried
    async def prompts(
        self, run: str, conversation: str, turn: int | None = None, attempt: int | None = None
    ) -> tuple[PromptRecord, ...]:
        """Return the prompts of a conversation or of one of its turns, in the order of turns and numbers."""
        where = conversation_key(run, conversation) | ({} if turn is None else {"turnIndex": turn})
        async with self._using("read") as db:
            await self._require(db, run)
            if attempt is None:
                example = await db.examples.find_one(conversation_key(run, conversation), ["attempt"])
                attempt = attempt_number(example or {})
            found = db.prompt_logs.find(where).sort([("turnIndex", 1), ("number", 1)])
            kept = [document async for document in found if attempt_number(document) == attempt]
            large = [document[name] for document in kept for name in ("prompt", "response")]
            texts = await self._contents.texts(db, (text for text in large if isinstance(text, bytes)))
        unpacked = [
            {**document, **{name: texts.get(document[name], document[name]) for name in ("prompt", "response")}}
            for document in kept
        ]
        return tuple(from_document(PromptRecord, document) for document in unpacked)

    @retried
    async def add_correction(self, correction: CorrectionRecord) -> None:
        """Keep what a person corrected."""
        async with self._using("write to") as db:
            await self._require(db, correction.run)
            if await db.examples.find_one(conversation_key(correction.run, correction.conversation), ["_id"]) is None:
                raise refusals.never_begun(self._name, correction)
            document = to_document(correction)
            try:
                await db.corrections.insert_one(document)
            except DuplicateKeyError as error:
                key = {"number": correction.number, "attempt": correction.attempt}
                if await _is_there(
                    db.corrections, conversation_key(correction.run, correction.conversation) | key, document
                ):
                    return
                raise refusals.correction_taken(self._name, correction) from error

    @retried
    async def corrections(
        self, run: str, conversation: str | None = None, attempt: int | None = None
    ) -> tuple[CorrectionRecord, ...]:
        """Return the corrections of a run or of one of its conversations, by conversation and number."""
        where = {"runId": run} if conversation is None else conversation_key(run, conversation)
        async with self._using("read") as db:
            await self._require(db, run)
            examples = db.examples.find(where, ["conversationId", "attempt"])
            counting = {example["conversationId"]: attempt_number(example) async for example in examples}
            found = db.corrections.find(where).sort([("conversationId", 1), ("number", 1)])
            kept = [from_document(CorrectionRecord, document) async for document in found]
            return tuple(one for one in kept if one.attempt == (attempt or counting.get(one.conversation)))


def _found(example: Document) -> refusals.ExistingConversation:
    claim = example.get("claim")
    held = (claim["owner"], claim["until"].timestamp()) if claim else ()
    return refusals.ExistingConversation(attempt_number(example), example["status"], *held)


async def _supersede(db: Database, place: Mapping[str, Any], attempt: int) -> None:
    """Mark the turns of all other attempts, for whoever queries the turns of a run without its examples."""
    await db.turns.update_many({**place, "attempt": {"$ne": attempt}}, {"$set": {"superseded": True}})


def _turn_key(turn: TurnRecord) -> dict[str, Any]:
    return conversation_key(turn.run, turn.conversation) | {"turnIndex": turn.index, "attempt": turn.attempt}


def _prompt_key(prompt: PromptRecord) -> dict[str, Any]:
    place = conversation_key(prompt.run, prompt.conversation)
    return place | {"turnIndex": prompt.turn, "number": prompt.number, "attempt": prompt.attempt}


async def _is_there(collection: AsyncCollection[Document], key: Mapping[str, Any], document: Mapping[str, Any]) -> bool:
    """Return whether what is written again was written before, and only the reply was lost."""
    found = await collection.find_one(key) if done_before() else None
    return found is not None and {**found, "_id": None} == {**document, "_id": None}
