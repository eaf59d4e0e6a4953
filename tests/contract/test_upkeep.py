"""Every store can be checked, vacuumed and copied to every other kind of store."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Coroutine
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest
from bson import Binary
from pymongo import MongoClient
from scripted import many_conversations, scripted

from quaestor.application.store_copy import StoreParts, copy_store, digest_of_all, digests_of
from quaestor.errors import InputError
from quaestor.evaluation.engines import InlineEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.scores import open_scores
from quaestor.store import contents
from quaestor.store.base import open_store
from quaestor.store.records import GraphKey, StoreCheck, VacuumResult
from quaestor.testing.score_rules import make_score
from quaestor.testing.store_records import (
    GRAPH,
    START,
    make_correction,
    make_example,
    make_prompt,
    make_run,
    make_turns,
)

T = TypeVar("T")
RUN, BROKEN = make_run(), make_run("broken", minutes=1)


@pytest.fixture(autouse=True)
def no_grace_period(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable the grace period during which a MongoDB store does not delete new contents."""
    monkeypatch.setattr(contents, "GRACE", -5.0)


def call_with_parts(uri: str, scenario: Callable[[StoreParts], Coroutine[None, None, T]]) -> T:
    async def opened() -> T:
        async with open_store(uri) as store:
            await store.runs()
            scores = open_scores(uri)
            if scores is None:
                return await scenario(StoreParts(store))
            async with scores:
                return await scenario(StoreParts(store, scores))

    return asyncio.run(opened())


async def fill(parts: StoreParts) -> None:
    """Store a run with a score, failures and several attempts, one interrupted run, and knowledge."""
    store, dataset = parts.runs, many_conversations(2)
    await store.save_ontology("ab" * 32, GRAPH)
    await store.freeze_graph(GraphKey("p", "cd" * 32, "ab" * 32, "0.1.0"), GRAPH)
    await run_dataset(dataset, RunSpec.of(dataset, "scripted"), store, InlineEngine(2), factory=scripted)
    for run in (RUN, BROKEN):
        await store.create_run(run)
        for attempt in (1, 2):
            await store.begin_example(make_example(run, status="pending", turns=0))
            for number in range(2):
                await store.log_prompt(make_prompt(run, number=number, attempt=attempt))
            await store.save_turn(make_turns(run, attempt=attempt)[0])
            await store.add_correction(make_correction(run, attempt=attempt))
        await store.save_graph(run.id, "c1", GRAPH[:2])
        await store.begin_example(make_example(run, "c2", "pending", turns=0))
    await store.complete_example(make_example(RUN, attempt=2), make_turns(RUN, attempt=2)[1:])
    await store.complete_example(make_example(RUN, "c2", "outage", turns=0), ())
    await store.finish_run(RUN.id, "stopped", START)
    assert parts.scores is not None
    for number, verdicts in enumerate(({"c1": (True, False)}, {"c1": (True, True)})):
        await parts.scores.add_score(make_score(RUN, verdicts, id=f"score-{number}"))


async def check(parts: StoreParts) -> StoreCheck:
    return await parts.runs.check()


async def vacuum(parts: StoreParts) -> VacuumResult:
    return await parts.runs.vacuum()


def copy(source: str, target: str) -> None:
    async def opened(parts: StoreParts) -> None:
        async with open_store(target) as store:
            await store.runs()
            scores = open_scores(target)
            assert scores is not None
            async with scores:
                await copy_store(parts, StoreParts(store, scores))

    call_with_parts(source, opened)


@pytest.fixture
def pair(uri: str, mongo_uri: str, tmp_path: Path) -> tuple[str, str]:
    """Return a store of each kind, and an empty one of the other kind."""
    return uri, mongo_uri if uri.startswith("sqlite") else f"sqlite:///{tmp_path / 'copy.db'}"


@pytest.mark.very_slow
def test_copied_store_has_the_digests_of_the_original(pair: tuple[str, str], tmp_path: Path) -> None:
    source, target = pair
    back = f"sqlite:///{tmp_path / 'back.db'}"
    call_with_parts(source, fill)
    digests = call_with_parts(source, digests_of)
    assert len(digests) == 4
    for one, other in ((source, target), (target, back), (source, target)):
        copy(one, other)
        assert call_with_parts(other, digests_of) == digests
        assert call_with_parts(other, check).problems == ()
    assert digest_of_all(call_with_parts(back, digests_of)) == digest_of_all(digests)


@pytest.mark.very_slow
def test_copy_refuses_to_overwrite_a_longer_run(pair: tuple[str, str]) -> None:
    source, target = pair
    call_with_parts(source, fill)
    copy(source, target)

    async def add_conversation(parts: StoreParts) -> None:
        await parts.runs.begin_example(make_example(BROKEN, "c2", "pending", turns=0))

    call_with_parts(target, add_conversation)
    expected = call_with_parts(target, digests_of)
    with pytest.raises(InputError, match="'broken'"):
        copy(source, target)
    assert call_with_parts(target, digests_of) == expected
    # A copy in the other direction adds the new records.
    copy(target, source)
    assert call_with_parts(source, digests_of) == expected


COPY = """
import asyncio, sys
from quaestor.application.store_copy import StoreParts, copy_store
from quaestor.scores import open_scores
from quaestor.store import base
from quaestor.store.sqlite import SqliteStore

written = 0

def counted(name):
    operation = getattr(SqliteStore, name)
    async def run(store, *args, **kwargs):
        global written
        result = await operation(store, *args, **kwargs)
        if store is target:
            written += 1
            if written == int(sys.argv[3]):
                print("there", flush=True)
                await asyncio.sleep(60)
        return result
    setattr(SqliteStore, name, run)

for name in ("save_turn", "log_prompt", "begin_example", "complete_example", "save_graph", "create_run", "finish_run"):
    counted(name)

async def main():
    global target
    async with base.open_store(sys.argv[1]) as source, base.open_store(sys.argv[2]) as target:
        await copy_store(StoreParts(source), StoreParts(target))

target = None
asyncio.run(main())
"""


@pytest.mark.very_slow
@pytest.mark.parametrize("after", [7, 20])
def test_killed_copy_can_be_resumed(tmp_path: Path, after: int) -> None:
    source, target = f"sqlite:///{tmp_path / 'runs.db'}", f"sqlite:///{tmp_path / 'copy.db'}"
    call_with_parts(source, fill)
    child = subprocess.Popen([sys.executable, "-c", COPY, source, target, str(after)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"there\n"
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert call_with_parts(target, digests_of) != call_with_parts(source, digests_of)
    copy(source, target)
    assert call_with_parts(target, digests_of) == call_with_parts(source, digests_of)


def test_intact_store_has_no_problems(uri: str) -> None:
    call_with_parts(uri, fill)
    found = call_with_parts(uri, check)
    assert (found.problems, found.unused) == ((), 0)
    assert found.contents > 4


def damage(uri: str, sql: str, change: Callable[[Any], object]) -> None:
    if uri.startswith("sqlite"):
        with closing(sqlite3.connect(uri.removeprefix("sqlite:///"))) as db:
            db.execute(sql)
            db.commit()
    else:
        with MongoClient[dict[str, Any]](uri) as client:
            change(client.get_default_database())


DAMAGES: list[tuple[str, Callable[[Any], object]]] = [
    ("UPDATE contents SET data = zeroblob(9)", lambda db: db.contents.update_many({}, {"$set": {"data": bytes(9)}})),
    (
        "UPDATE contents SET digest = randomblob(32) WHERE id = (SELECT content FROM graphs LIMIT 1)",
        lambda db: db.contents.insert_one({**db.contents.find_one({"base": None}), "_id": Binary(bytes(32))}),
    ),
    (
        "DELETE FROM contents WHERE id = (SELECT content FROM graphs LIMIT 1)",
        lambda db: db.contents.delete_one({"_id": db.graphs.find_one()["content"]}),
    ),
    ("DELETE FROM runs WHERE id = 'broken'", lambda db: db.evaluation_runs.delete_one({"runId": "broken"})),
    ("DELETE FROM turns WHERE attempt = 2", lambda db: db.turns.delete_many({"attempt": 2})),
]


@pytest.mark.very_slow
@pytest.mark.parametrize(("sql", "change"), DAMAGES)
def test_damage_is_found(uri: str, sql: str, change: Callable[[Any], object]) -> None:
    call_with_parts(uri, fill)
    damage(uri, sql, change)
    problems = call_with_parts(uri, check).problems
    assert problems
    assert all("\n" not in line for line in problems)


@pytest.mark.very_slow
def test_missing_index_is_reported(mongo_uri: str) -> None:
    call_with_parts(mongo_uri, fill)
    damage(mongo_uri, "", lambda db: db.contents.drop_index([("base", 1)]))
    (problem,) = call_with_parts(mongo_uri, check).problems
    assert {"contents", "base"} <= set(problem.split())


@pytest.mark.very_slow
def test_unused_content_is_removed(uri: str) -> None:
    call_with_parts(uri, fill)
    before = call_with_parts(uri, digests_of)
    # State after a killed writer and a killed deletion.
    damage(
        uri,
        "DELETE FROM graphs",
        lambda db: (db.graphs.delete_many({}), db.turns.insert_one({"runId": "gone", "turnIndex": 0})),
    )
    assert call_with_parts(uri, check).unused > 0
    done = call_with_parts(uri, vacuum)
    assert done.contents > 0
    found = call_with_parts(uri, check)
    assert (found.problems, found.unused) == ((), 0)
    assert call_with_parts(uri, digests_of).keys() == before.keys()


@pytest.mark.slow
def test_a_vacuumed_file_is_smaller(tmp_path: Path) -> None:
    uri = f"sqlite:///{tmp_path / 'runs.db'}"

    async def large(parts: StoreParts) -> None:
        await fill(parts)
        run = make_run("large")
        await parts.runs.create_run(run)
        await parts.runs.complete_example(make_example(run, turns=400), make_turns(run, count=400))
        await parts.runs.delete_run("large")

    call_with_parts(uri, large)
    before = call_with_parts(uri, digests_of)
    done = call_with_parts(uri, vacuum)
    assert done.before is not None
    assert done.after is not None
    assert done.after < done.before / 2
    assert (tmp_path / "runs.db").stat().st_size == done.after
    assert call_with_parts(uri, digests_of) == before
