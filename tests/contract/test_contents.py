"""Large contents are stored once, are restored exactly by every store, and are deleted when unused."""

import asyncio
import random
import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from examples import share
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pymongo import MongoClient

from quaestor.errors import StoreError
from quaestor.store import contents, mongo
from quaestor.store.base import RunStore, open_store
from quaestor.store.contents import content_digest
from quaestor.store.records import GraphKey, PromptRecord, RunRecord
from quaestor.testing.store_records import GRAPH, make_example, make_prompt, make_run, run_scenario

RUN, OTHER = make_run(), make_run("other")
KEY = GraphKey("p", "cd" * 32, "ab" * 32, "0.1.0")
PAGE = "".join(f"row {number}: {number * 7919 % 104729} in €\n" for number in range(400))


@pytest.fixture(autouse=True)
def no_grace_period(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable the grace period during which a MongoDB store does not delete new contents."""
    monkeypatch.setattr(contents, "GRACE", -5.0)


def sizes(uri: str) -> list[int]:
    """Return the packed size of each content of a store."""
    if uri.startswith("sqlite"):
        with closing(sqlite3.connect(uri.removeprefix("sqlite:///"))) as db:
            return [size for (size,) in db.execute("SELECT length(data) FROM contents ORDER BY 1")]
    with MongoClient[dict[str, Any]](uri) as client:
        return sorted(len(record["data"]) for record in client.get_default_database().contents.find())


def asking(run: RunRecord, turns: int = 6) -> list[PromptRecord]:
    """Return the prompts of a conversation: the same page with growing history."""
    return [
        replace(
            make_prompt(run, turn=turn),
            prompt=f"Answer.\n{PAGE}" + "".join(f"Question {one}: what?\n" for one in range(turn + 1)),
            response=f'{{"plan": {turn}}}',
        )
        for turn in range(turns)
    ]


async def fill(store: RunStore, *runs: RunRecord) -> None:
    for run in runs:
        await store.create_run(run)
        await store.begin_example(make_example(run, status="pending", turns=0))
        await store.save_graph(run.id, "c1", GRAPH)
        for prompt in asking(run):
            await store.log_prompt(prompt)


def test_content_shared_by_two_runs_is_stored_once(uri: str) -> None:
    run_scenario(uri, lambda store: fill(store, RUN))
    once = sizes(uri)
    run_scenario(uri, lambda store: fill(store, OTHER))
    assert sizes(uri) == once
    assert len(once) == 13  # six prompts and replies, and a graph

    async def read(store: RunStore) -> None:
        for run in (RUN, OTHER):
            assert await store.prompts(run.id, "c1") == tuple(asking(run))
            assert await store.load_graph(run.id, "c1") == GRAPH

    run_scenario(uri, read)


def test_unused_content_is_freed(uri: str) -> None:
    async def delete(store: RunStore, run: RunRecord) -> None:
        await store.delete_run(run.id)

    async def other_graph(store: RunStore) -> None:
        await store.freeze_graph(KEY, GRAPH)
        await store.save_graph(OTHER.id, "c1", GRAPH[:1])

    run_scenario(uri, lambda store: fill(store, RUN, OTHER))
    both = sizes(uri)
    run_scenario(uri, lambda store: delete(store, RUN))
    assert sizes(uri) == both
    run_scenario(uri, other_graph)
    assert len(sizes(uri)) == len(both) + 1
    run_scenario(uri, lambda store: delete(store, OTHER))
    assert len(sizes(uri)) == 1

    async def read(store: RunStore) -> None:
        assert await store.frozen_graph(KEY) == GRAPH

    run_scenario(uri, read)


def test_content_packed_as_a_difference_is_read_and_freed(uri: str) -> None:
    page, text = PAGE.encode(), f"{PAGE}Question?".encode()
    deflate = zlib.compressobj(zdict=b"")
    packed = len(page).to_bytes(4) + bytes(4) + deflate.compress(b"Question?") + deflate.flush()

    async def write(store: RunStore) -> None:
        await store.create_run(RUN)
        await store.log_prompt(replace(make_prompt(RUN), prompt=text.decode(), response=PAGE))

    run_scenario(uri, write)
    digest, base = content_digest(text), content_digest(page)
    if uri.startswith("sqlite"):
        with closing(sqlite3.connect(uri.removeprefix("sqlite:///"))) as db:
            of_base = "(SELECT id FROM contents WHERE digest = ?)"
            db.execute(
                f"UPDATE contents SET data = ?, depth = 1, base = {of_base} WHERE digest = ?", (packed, base, digest)
            )
            db.commit()
    else:
        with MongoClient[dict[str, Any]](uri) as client:
            older = {"data": packed, "depth": 1, "base": base}
            client.get_default_database().contents.update_one({"_id": digest}, {"$set": older})

    async def read(store: RunStore) -> None:
        (found,) = await store.prompts(RUN.id, "c1")
        assert (found.prompt, found.response) == (text.decode(), PAGE)
        await store.delete_run(RUN.id)

    run_scenario(uri, read)
    assert sizes(uri) == []


def test_new_content_is_not_deleted_while_it_is_written(mongo_uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "GRACE", 60.0)

    async def scenario(store: RunStore) -> None:
        await fill(store, RUN)
        async with open_store(mongo_uri) as elsewhere:
            await elsewhere.delete_run(RUN.id)
        await fill(store, OTHER)
        assert await store.prompts(OTHER.id, "c1") == tuple(asking(OTHER))

    run_scenario(mongo_uri, scenario)
    assert len(sizes(mongo_uri)) == 13


def test_content_may_be_larger_than_a_mongodb_document(mongo_uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mongo, "_MAX_PART", 1000)
    text = random.Random(1).randbytes(4000).hex()

    async def scenario(store: RunStore) -> None:
        await store.create_run(RUN)
        await store.log_prompt(replace(make_prompt(RUN), prompt=text))
        assert (await store.prompts(RUN.id, "c1"))[0].prompt == text

    async def delete(store: RunStore) -> None:
        await store.delete_run(RUN.id)

    run_scenario(mongo_uri, scenario)
    with MongoClient[dict[str, Any]](mongo_uri) as client:
        parts = client.get_default_database().content_parts
        assert [len(part["data"]) for part in parts.find().sort("part")][:-1] == [1000] * 4
        run_scenario(mongo_uri, delete)
        assert parts.count_documents({}) == 0


def test_damaged_content_raises_a_one_line_error(uri: str) -> None:
    run_scenario(uri, lambda store: fill(store, RUN))
    if uri.startswith("sqlite"):
        with closing(sqlite3.connect(uri.removeprefix("sqlite:///"))) as db:
            db.execute("UPDATE contents SET data = zeroblob(9)")
            db.commit()
    else:
        with MongoClient[dict[str, Any]](uri) as client:
            client.get_default_database().contents.update_many({}, {"$set": {"data": b"\0" * 9}})

    async def read(store: RunStore) -> None:
        for reading in (store.prompts(RUN.id, "c1"), store.load_graph(RUN.id, "c1")):
            with pytest.raises(StoreError) as caught:
                await reading
            assert "\n" not in str(caught.value)

    run_scenario(uri, read)


@pytest.mark.slow
@settings(max_examples=share(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=50), min_size=1, max_size=8))
def test_any_texts_are_restored_exactly(uri: str, texts: Sequence[str]) -> None:
    run = make_run(f"any-{uuid4().hex}")

    async def scenario(store: RunStore) -> None:
        await store.create_run(run)
        for place, text in enumerate(texts):
            await store.log_prompt(
                replace(make_prompt(run, number=place), prompt=PAGE[: 40 * place] + text, response=text)
            )

    async def read() -> None:
        async with open_store(uri) as store:
            found = await store.prompts(run.id, "c1")
            assert [(one.prompt, one.response) for one in found] == [
                (PAGE[: 40 * place] + text, text) for place, text in enumerate(texts)
            ]

    run_scenario(uri, scenario)
    asyncio.run(read())
