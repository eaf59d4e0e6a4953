"""A server that is briefly unreachable, or whose replies are lost: each operation is done exactly once."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from losing_proxy import LosingProxy
from mongo_server import MongoServer, sockets_forgotten
from pymongo import MongoClient
from scripted import many_conversations, scripted

from quaestor.errors import DuplicateRecordError, StoreError, UnknownRunError
from quaestor.evaluation.engines import InlineEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.scores import ScoreStore
from quaestor.store import mongo_connection
from quaestor.store.base import RunStore, open_store
from quaestor.store.mongo import MongoTables
from quaestor.store.records import Claim, GraphKey, RunRecord
from quaestor.testing.score_rules import make_score
from quaestor.testing.store_records import (
    GRAPH,
    make_correction,
    make_example,
    make_prompt,
    make_run,
    make_turns,
    run_scenario,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore:unclosed:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
RUN = make_run()
KEY = GraphKey("p", "cd" * 32, "ab" * 32, "0.1.0")
QUICK = "?socketTimeoutMS=800&connectTimeoutMS=800&serverSelectionTimeoutMS=600"
IMPATIENT = "?socketTimeoutMS=500&connectTimeoutMS=500&serverSelectionTimeoutMS=400"


async def write_all(store: RunStore) -> None:
    """Call every operation that writes."""
    await store.create_run(RUN)
    await store.save_ontology("ab" * 32, iter(GRAPH))
    await store.freeze_graph(KEY, iter(GRAPH))
    for name in ("c1", "c2"):
        attempt = await store.begin_example(make_example(RUN, name, "pending", turns=0), Claim("ada", 30))
        assert attempt == 1
        await store.renew_claims(RUN.id, "ada", 60)
        await store.save_graph(RUN.id, name, iter(GRAPH))
        for turn in make_turns(RUN, name):
            for number in range(3):
                await store.log_prompt(make_prompt(RUN, name, turn.index, number))
            await store.save_turn(turn)
        await store.complete_example(make_example(RUN, name), ())
        await store.add_correction(make_correction(RUN, name))
    await store.finish_run(RUN.id, "complete", RUN.started)
    await store.create_run(make_run("second"))
    await store.delete_run("second")


async def read_all(store: RunStore) -> list[object]:
    """Return everything that `write_all` has written."""
    return [
        await store.runs(),
        await store.examples(RUN.id),
        await store.turns(RUN.id),
        *[await store.prompts(RUN.id, name) for name in ("c1", "c2")],
        await store.corrections(RUN.id),
        *[await store.load_graph(RUN.id, name) for name in ("c1", "c2")],
        await store.frozen_graph(KEY),
        await store.load_ontology("ab" * 32),
    ]


def read(uri: str) -> list[object]:
    async def reading() -> list[object]:
        async with open_store(uri) as store:
            return await read_all(store)

    return asyncio.run(reading())


def write_and_read(uri: str) -> list[object]:
    run_scenario(uri, write_all)
    return read(uri)


def run_to_completion(uri: str) -> tuple[RunRecord, list[object]]:
    dataset = many_conversations(10, 0.04)
    found: list[Any] = []

    async def scenario(store: RunStore) -> None:
        run = await run_dataset(dataset, RunSpec.of(dataset, "scripted"), store, InlineEngine(4), factory=scripted)
        turns = await store.turns(run.id)
        found.append(run)
        found.append([(turn.conversation, turn.index, turn.number, turn.error is None, turn.attempt) for turn in turns])

    run_scenario(uri, scenario)
    return found[0], found[1]


@contextmanager
def run_in_background(work: Callable[[], None]) -> Iterator[None]:
    thread = threading.Thread(target=work)
    thread.start()
    with sockets_forgotten():
        yield
    thread.join()


@pytest.mark.very_slow
@pytest.mark.parametrize("code", [189, 91], ids=["stepped down", "shuts down"])
def test_operations_wait_for_a_new_primary(mongo_uri: str, code: int) -> None:
    """Fail each kind of command with the error codes of a replica set that changes its primary."""
    commands = ["insert", "update", "find", "delete", "aggregate"]

    def fail(client: MongoClient[dict[str, Any]], times: int) -> None:
        point = {"configureFailPoint": "failCommand", "mode": {"times": times} if times else "off"}
        client.admin.command(point | {"data": {"failCommands": commands, "errorCode": code}} if times else point)

    async def scenario(store: RunStore) -> None:
        assert await store.runs() == ()
        with MongoClient[dict[str, Any]](mongo_uri) as client:
            fail(client, 1)
            await write_all(store)
            fail(client, 1)
            assert await store.run(RUN.id)
            fail(client, 0)

    # By default, the driver looks for a new primary after ten seconds.
    run_scenario(f"{mongo_uri}?heartbeatFrequencyMS=500", scenario)
    assert read(mongo_uri)[0] == (replace(RUN, status="complete", finished=RUN.started),)


@pytest.mark.very_slow
@pytest.mark.parametrize("seed", [1])
def test_record_is_written_once_if_the_reply_is_lost(own_server: MongoServer, seed: int) -> None:
    expected = write_and_read(f"{own_server.address}/direct")

    async def scenario(store: RunStore) -> None:
        assert await store.runs() == ()
        proxy.share = 0.1
        await write_all(store)

    async def score() -> None:
        async with ScoreStore(MongoTables(f"{proxy.address}/losing", create=False)) as scores:
            await scores.scores()
            await scores.add_score(make_score(RUN, {"c1": (True, False), "c2": (True, True)}))
            assert len(await scores.scores(RUN.id)) == 1
            assert len(await scores.verdicts(RUN.id)) == 4

    with sockets_forgotten(), LosingProxy(own_server.address, seed) as proxy:
        run_scenario(f"{proxy.address}/losing", scenario)
        proxy.share = 0.0
        asyncio.run(score())
    assert proxy.lost > 5
    assert read(f"{own_server.address}/losing") == expected


@pytest.mark.very_slow
def test_run_survives_a_restart_of_the_server(own_server: MongoServer) -> None:
    uri = f"{own_server.address}/killed"
    expected = run_to_completion(f"{own_server.address}/alone")[1]

    def restart() -> None:
        time.sleep(0.5)
        own_server.kill()
        time.sleep(0.5)
        own_server.start()

    with run_in_background(restart):
        run, turns = run_to_completion(f"{uri}{IMPATIENT}")
    assert (run.status, turns) == ("complete", expected)


@pytest.mark.very_slow
def test_unreachable_server_raises_at_the_time_limit(own_server: MongoServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mongo_connection, "PATIENCE_SECONDS", 1.0)

    async def scenario(store: RunStore) -> None:
        assert await store.runs() == ()
        own_server.kill()
        began = time.monotonic()
        with pytest.raises(StoreError):
            await store.runs()
        assert 0.4 < time.monotonic() - began < 5

    run_scenario(f"{own_server.address}/away{IMPATIENT}", scenario)


def test_record_of_another_writer_is_not_a_lost_reply(mongo_uri: str) -> None:
    """Reject records that another writer has stored at once, even if their content is equal."""

    async def scenario(store: RunStore) -> None:
        await write_all(store)
        again: list[Coroutine[None, None, object]] = [
            store.create_run(RUN),
            store.log_prompt(make_prompt(RUN)),
            store.add_correction(make_correction(RUN)),
            store.complete_example(make_example(RUN), ()),
        ]
        for writing in again:
            with pytest.raises(DuplicateRecordError):
                await writing
        with pytest.raises(UnknownRunError):
            await store.delete_run("second")

    run_scenario(mongo_uri, scenario)


@pytest.mark.very_slow
def test_unresponsive_server_raises_a_one_line_error_in_time(
    own_server: MongoServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mongo_connection, "PATIENCE_SECONDS", 0.0)

    async def scenario(store: RunStore) -> None:
        await store.create_run(RUN)
        await store.complete_example(make_example(RUN), make_turns(RUN))
        calls: list[Callable[[], Coroutine[None, None, object]]] = [
            store.runs,
            lambda: store.complete_example(make_example(RUN, "c2"), make_turns(RUN, "c2")),
        ]
        own_server.pause()
        for call in calls:
            with pytest.raises(StoreError, match=r"0\.8 s|0\.6 s") as caught:
                await call()
            assert "\n" not in str(caught.value)
        own_server.go_on()
        assert await store.turns(RUN.id, "c2") == ()
        assert await store.turns(RUN.id, "c1") == make_turns(RUN)

    run_scenario(f"{own_server.address}/slow{QUICK}", scenario)


@pytest.mark.very_slow
def test_run_continues_after_its_server_was_killed(own_server: MongoServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Conversations reported as stored survive `kill -9` of the server and are not run again."""
    monkeypatch.setattr(mongo_connection, "PATIENCE_SECONDS", 0.0)
    dataset, uri, engine = many_conversations(8, 0.0), f"{own_server.address}/outage", InlineEngine()
    spec = RunSpec.of(dataset, "scripted")
    stored: list[str] = []

    def watch(conversation: Any, turns: Any) -> None:
        stored.append(conversation.id)
        if len(stored) == 4:
            own_server.kill()

    async def first(store: RunStore) -> None:
        with pytest.raises(StoreError):
            await run_dataset(dataset, spec, store, engine, on_conversation=watch, factory=scripted)

    async def continue_run(store: RunStore) -> None:
        (run,) = await store.runs()
        complete = [example.conversation for example in await store.examples(run.id) if example.status == "complete"]
        assert complete == sorted(stored)
        assert len(stored) == 4
        ended = await run_dataset(dataset, spec, store, engine, resume=run.id, on_conversation=watch, factory=scripted)
        assert ended.status == "complete"
        assert sorted(stored) == sorted(conversation.id for conversation in dataset.conversations)
        questions = {(c.id, q) for c in dataset.conversations for q in c.questions}
        assert {(turn.conversation, turn.question) for turn in await store.turns(run.id)} == questions

    # A short timeout only if the server is gone: a live server on a busy machine may be slow.
    run_scenario(f"{uri}?serverSelectionTimeoutMS=1000", first)
    own_server.start()
    run_scenario(uri, continue_run)
