"""Concurrent writes of ontologies, graphs and prompts to every store."""

import asyncio
import multiprocessing

import pytest

from quaestor.core.serial import Triple
from quaestor.errors import DuplicateRecordError
from quaestor.store.base import RunStore
from quaestor.testing.store_records import make_prompt, make_run, run_scenario

RUN = make_run()


@pytest.mark.slow
def test_concurrent_writers_store_each_key_once(uri: str) -> None:
    """Several processes write the same keys at once; each is stored completely and only once."""
    writers, count = 3, 25
    graph = tuple(Triple(f"kg:Row_{number:03}", "kg:value", f'"{number}"^^xsd:decimal') for number in range(200))
    context = multiprocessing.get_context("fork")
    barrier, wins = context.Barrier(writers), context.Queue()

    async def write(store: RunStore) -> None:
        await store.save_ontology("ab" * 32, graph)
        await store.save_graph(RUN.id, "c1", graph)
        won = 0
        for number in range(count):
            try:
                await store.log_prompt(make_prompt(RUN, number=number))
                won += 1
            except DuplicateRecordError:
                await asyncio.sleep(0)
        wins.put(won)

    def work() -> None:
        barrier.wait()
        run_scenario(uri, write)

    async def prepare(store: RunStore) -> None:
        await store.create_run(RUN)

    async def read(store: RunStore) -> None:
        assert await store.load_ontology("ab" * 32) == graph
        assert await store.load_graph(RUN.id, "c1") == graph
        assert len(await store.prompts(RUN.id, "c1")) == count

    run_scenario(uri, prepare)
    processes = [context.Process(target=work) for _ in range(writers)]
    for process in processes:
        process.start()
    assert sum(wins.get(timeout=60) for _ in processes) == count
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * writers
    run_scenario(uri, read)
