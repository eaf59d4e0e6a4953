"""Copies a store into another of any kind, and computes digests to compare them.

Uses only the operations of all run stores. An interrupted copy can be continued: existing records are not written
again, and the end of a conversation is written last.
"""

import hashlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from quaestor.core import serial
from quaestor.core.serial import Triple
from quaestor.errors import InputError, StoreError, UnknownRunError
from quaestor.scores import ScoreRecords, ScoreStore, open_scores
from quaestor.store.base import RunStore, open_store
from quaestor.store.records import ConversationRecord, RunRecord

KNOWLEDGE = ""
"""The key for the digest of ontologies and frozen graphs, which belong to no run."""


@dataclass(frozen=True, slots=True)
class StoreParts:
    """A run store with its scores."""

    runs: RunStore
    scores: ScoreStore | None = None


@asynccontextmanager
async def open_parts(uri: str, *, create: bool = False) -> AsyncIterator[StoreParts]:
    """Yield a store with its scores."""
    async with open_store(uri, create=create) as runs:
        await runs.runs()  # creates the store now, because scores need an existing one
        async with open_scores(uri) or nullcontext() as scores:
            yield StoreParts(runs, scores)


async def copy_store(source: StoreParts, target: StoreParts, done: Callable[[RunRecord], None] | None = None) -> None:
    """Copy a store into another one, which keeps its other contents."""
    known = {one.digest for one in await target.runs.ontologies()}
    for ontology in reversed(await source.runs.ontologies()):
        if ontology.digest not in known:
            await target.runs.save_ontology(ontology.digest, await source.runs.load_ontology(ontology.digest))
    frozen = {*await target.runs.frozen_graphs()}
    for key in await source.runs.frozen_graphs():
        if key not in frozen:
            await target.runs.freeze_graph(key, await source.runs.frozen_graph(key))
    for run in reversed(await source.runs.runs()):
        await _copy_run(source, target, run)
        if done is not None:
            done(run)


async def _copy_run(source: StoreParts, target: StoreParts, run: RunRecord) -> None:
    try:
        copy = await target.runs.run(run.id)
    except UnknownRunError:
        copy = replace(run, status="running", finished=None)
        await target.runs.create_run(copy)
    if replace(copy, status=run.status, finished=run.finished) != run:
        raise InputError(f"run {run.id!r} exists in both stores with different contents: delete or rename one")
    copied = {one.conversation: one for one in await target.runs.examples(run.id)}
    for example in await source.runs.examples(run.id):
        before = copied.get(example.conversation)
        if before is not None and (
            before.attempt > example.attempt or (before.status == "complete" and before != example)
        ):
            raise InputError(f"run {run.id!r} is further along in the target store: copy it in the other direction")
        if before != example or example.status == "pending":
            await _copy_conversation(source.runs, target.runs, example, before)
        await _copy_corrections(source.runs, target.runs, example)
    if source.scores is not None and target.scores is not None:
        await _copy_scores(source.scores, target.scores, run.id)
    if run.status != "running" and run.finished is not None:
        await target.runs.finish_run(run.id, run.status, run.finished)


async def _copy_conversation(
    source: RunStore, target: RunStore, example: ConversationRecord, before: ConversationRecord | None
) -> None:
    place, begun = (example.run, example.conversation), before.attempt if before else 0
    for attempt in range(max(begun, 1), example.attempt + 1):
        if attempt > begun:
            last = attempt == example.attempt
            await target.begin_example(
                example if last and example.status == "pending" else replace(example, status="pending")
            )
        for turn in await source.turns(*place, attempt):
            await target.save_turn(turn)
        copied = {(one.turn, one.number) for one in await target.prompts(*place, attempt=attempt)}
        for prompt in await source.prompts(*place, attempt=attempt):
            if (prompt.turn, prompt.number) not in copied:
                await target.log_prompt(prompt)
    if (graph := await _graph(source, *place)) is not None:
        await target.save_graph(*place, graph)
    if example.status != "pending":
        await target.complete_example(example, ())


async def _copy_corrections(source: RunStore, target: RunStore, example: ConversationRecord) -> None:
    for attempt in range(1, example.attempt + 1):
        place = example.run, example.conversation, attempt
        records = await source.corrections(*place)
        copied = {one.number for one in await target.corrections(*place)} if records else set()
        for correction in records:
            if correction.number not in copied:
                await target.add_correction(correction)


async def _copy_scores(source: ScoreStore, target: ScoreStore, run: str) -> None:
    copied = {score.id for score in await target.scores(run)}
    scores = await source.scores(run)
    for place, score in reversed([*enumerate(scores)]):
        if score.id not in copied:
            # Verdicts are saved only for the latest score.
            latest = place == 0
            conversations = await source.conversation_scores(run) if latest else ()
            await target.add_score(ScoreRecords(score, conversations, await source.verdicts(run) if latest else {}))


async def _graph(store: RunStore, run: str, conversation: str) -> tuple[Triple, ...] | None:
    try:
        return await store.load_graph(run, conversation)
    except StoreError as error:
        if error.__cause__ is not None:  # the store failed; a missing graph has no cause
            raise
        return None


async def digests_of(store: StoreParts) -> Mapping[str, str]:
    """Return the digest of each run with all its records, by id, and that of KNOWLEDGE.

    SHA-256 over the records in order, as JSON with sorted keys: equal in every kind of store. The time at which an
    ontology was stored is not included.
    """
    found = {run.id: await _digest(_records_of(store, run)) for run in await store.runs.runs()}
    return {KNOWLEDGE: await _digest(_knowledge_of(store.runs)), **found}


def digest_of_all(digests: Mapping[str, str]) -> str:
    """Return a single digest of a store from those of its parts."""
    return hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()


async def _digest(records: AsyncIterator[Any]) -> str:
    digest = hashlib.sha256()
    async for record in records:
        written = json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        digest.update(written.encode() + b"\n")
    return digest.hexdigest()


async def _knowledge_of(store: RunStore) -> AsyncIterator[Any]:
    for ontology in sorted(await store.ontologies(), key=lambda one: one.digest):
        yield [ontology.digest, await store.load_ontology(ontology.digest)]
    for key in await store.frozen_graphs():
        yield [serial.dump(key), await store.frozen_graph(key)]


async def _records_of(store: StoreParts, run: RunRecord) -> AsyncIterator[Any]:
    yield serial.dump(run)
    for example in await store.runs.examples(run.id):
        yield serial.dump(example)
        for attempt in range(1, example.attempt + 1):
            for read in (store.runs.turns, store.runs.corrections):
                for record in await read(run.id, example.conversation, attempt):
                    yield serial.dump(record)
            for prompt in await store.runs.prompts(run.id, example.conversation, attempt=attempt):
                yield serial.dump(prompt)
        yield await _graph(store.runs, run.id, example.conversation)
    if store.scores is not None:
        for found in (
            await store.scores.scores(run.id),
            await store.scores.conversation_scores(run.id),
        ):
            for score in found:
                yield serial.dump(score)
        for place, verdict in (await store.scores.verdicts(run.id)).items():
            yield [*place, serial.dump(verdict)]
