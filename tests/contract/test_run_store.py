"""Every kind of store, given by the fixture `uri`, keeps the rules of `quaestor.testing`, even with many processes."""

import asyncio
import multiprocessing
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from quaestor.errors import DuplicateRecordError, StoreError, UnknownRunError
from quaestor.store.base import RunStore, open_store, time_of_new_run
from quaestor.store.records import CorrectionRecord, RunRecord, TurnRecord, now
from quaestor.store.sqlite import SqliteStore
from quaestor.testing import STORE_RULES, check_store
from quaestor.testing.store_records import GRAPH, make_example, make_run, make_turns, run_scenario
from quaestor.testing.store_rules import StoreRule


@pytest.mark.parametrize("rule", STORE_RULES, ids=lambda rule: rule.__name__)
def test_stores_keep_each_rule(rule: StoreRule, uri: str) -> None:
    asyncio.run(rule(partial(open_store, uri)))


def test_broken_rule_is_reported_in_one_line(tmp_path: Path) -> None:
    class Forgetful(SqliteStore):
        async def corrections(
            self, run: str, conversation: str | None = None, attempt: int | None = None
        ) -> tuple[CorrectionRecord, ...]:
            return (await super().corrections(run, conversation, attempt))[:1]

    def open_forgetful(uri: str, /, *, create: bool) -> RunStore:
        return Forgetful(Path(uri), create=create)

    with pytest.raises(AssertionError, match="returns equal corrections") as caught:
        check_store(open_forgetful, lambda name: str(tmp_path / name))
    assert "\n" not in str(caught.value)


def test_latest_run_is_the_last_created_even_if_the_clock_was_set_back(uri: str) -> None:
    ahead = replace(make_run("ahead"), started=now() + timedelta(hours=1))

    async def scenario(store: RunStore) -> None:
        before = now()
        assert await time_of_new_run(store) >= before
        await store.create_run(ahead)
        await store.create_run(replace(make_run("after"), started=await time_of_new_run(store)))
        await store.create_run(replace(make_run("last"), started=await time_of_new_run(store)))
        assert [run.id for run in await store.runs()] == ["last", "after", "ahead"]

    run_scenario(uri, scenario)


def test_unknown_run_error_names_the_nearest_run(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        for minutes, name in enumerate(("20260105-093000-embedded-3f9a", "20270211-110022-agent-77c1", "x", "y", "z")):
            await store.create_run(make_run(name, minutes=minutes))
        with pytest.raises(UnknownRunError, match="20260105-093000-embedded-3f9a"):
            await store.run("20260105-093000-embedded-3f9b")
        with pytest.raises(UnknownRunError, match=r"z, y, x$"):
            await store.run("!!")

    run_scenario(uri, scenario)


def test_unknown_ontology_error_names_the_latest(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        with pytest.raises(StoreError, match="'x'"):
            await store.load_ontology("x")
        for digest in "abcd":
            await store.save_ontology(digest, GRAPH)
        with pytest.raises(StoreError, match=r"'x'.*d, c, b$"):
            await store.load_ontology("x")

    run_scenario(uri, scenario)


def write_conversations(uri: str, run: RunRecord, writer: int, count: int) -> None:
    """Write a worker's own conversations, then one that all writers compete for."""

    async def scenario(store: RunStore) -> None:
        for number in range(count):
            name = f"c{writer}-{number}"
            await store.begin_example(make_example(run, name, "pending", turns=0))
            await store.complete_example(make_example(run, name, turns=3), make_turns(run, name, 3))
        try:
            attempt = await store.begin_example(make_example(run, "wanted", "pending", turns=0))
            wanted = make_example(run, "wanted", turns=1, attempt=attempt)
            await store.complete_example(wanted, make_turns(run, "wanted", 1, attempt))
            await store.create_run(make_run(f"winner-{writer}"))
        except DuplicateRecordError:
            await store.create_run(make_run(f"loser-{writer}"))

    run_scenario(uri, scenario)


@pytest.mark.very_slow
def test_writers_in_several_processes_lose_nothing_and_one_wins(uri: str) -> None:
    run, writers, count = make_run(), 3, 30
    context = multiprocessing.get_context("fork")
    # The store does not exist yet: all processes open and create it at once, and the first one creates the run.
    barrier = context.Barrier(writers)

    def work(writer: int) -> None:
        barrier.wait()

        async def ready(store: RunStore) -> None:
            with suppress(DuplicateRecordError):
                await store.create_run(run)

        run_scenario(uri, ready)
        write_conversations(uri, run, writer, count)

    processes = [context.Process(target=work, args=(writer,)) for writer in range(writers)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * writers

    async def scenario(store: RunStore) -> None:
        wanted = {f"c{writer}-{number}" for writer in range(writers) for number in range(count)} | {"wanted"}
        assert {example.conversation for example in await store.examples(run.id)} == wanted
        turns: tuple[TurnRecord, ...] = await store.turns(run.id)
        assert len(turns) == writers * count * 3 + 1
        names = sorted(record.id.split("-")[0] for record in await store.runs() if record.id != run.id)
        assert names == ["loser"] * (writers - 1) + ["winner"]

    run_scenario(uri, scenario)
