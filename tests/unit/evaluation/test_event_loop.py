"""Computing, waiting and writing for one conversation do not block the event loop for others."""

import asyncio
import gc
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
from filed_tables import many_tables
from model_server import ModelServer, Script
from solver_bench import spec_for
from sparql_bench import formula, is_calculation, values

from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.evaluation.engines import InlineEngine
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.writing import RunWriter
from quaestor.llm.session import ModelConfig, open_session
from quaestor.solvers.registry import make_solver
from quaestor.store.base import open_store
from quaestor.store.sqlite import SqliteStore, SqliteTables
from quaestor.testing.models import ReceivedRequest, Reply, structured
from quaestor.testing.store_records import make_run

pytestmark = pytest.mark.usefixtures("local_models")

BEAT = 0.002
COMPUTING, WAITING = 0.02, 1.5
"""Limits in seconds: CPU time of one step of the loop, which does not depend on the load of the machine; and delay of
a beat while another task waits for two seconds."""
SLOW = "SELECT ?v WHERE { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f . ?g kg:value ?v . FILTER(?b != ?d && ?d != ?f) }"
"""A query over all combinations of triples; it is stopped after two seconds."""
VALUE = "SELECT ?v WHERE { doc:obs_0_1_1_0 kg:value ?v }"


@dataclass
class Heartbeat:
    """Records the delay of a periodic task and the CPU time of each step of the loop."""

    computed: list[float] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)

    async def beat(self) -> None:
        while True:
            wall = time.perf_counter()
            await asyncio.sleep(BEAT)
            self.waited.append(time.perf_counter() - wall - BEAT)

    @contextmanager
    def timing(self) -> Iterator[None]:
        """Time the steps of this thread's loop; the model server runs in another thread."""
        own, step = threading.get_ident(), asyncio.Handle._run

        def timed(handle: asyncio.Handle) -> None:
            begun = time.thread_time()
            step(handle)
            # The step that ends the timing is not recorded.
            if threading.get_ident() == own and asyncio.Handle._run is timed:
                self.computed.append(time.thread_time() - begun)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(asyncio.Handle, "_run", timed)
            yield


@contextmanager
def beating() -> Iterator[Heartbeat]:
    heart = Heartbeat()
    # Garbage collection would be timed as part of the step that triggers it.
    gc.disable()
    task = asyncio.get_running_loop().create_task(heart.beat())
    try:
        with heart.timing():
            yield heart
    finally:
        task.cancel()
        gc.enable()


def script(values_asked: Iterator[str]) -> Script:
    def answer(request: ReceivedRequest) -> Reply:
        return structured(request, formula("v") if is_calculation(request) else values(v=next(values_asked, VALUE)))

    return answer


async def play(pages: list[Document], path: Path, *queries: str) -> Heartbeat:
    """Ask two questions on each page, all pages at once; the model uses `queries` for the first questions."""
    before, run, factory = make_run("before"), make_run("watched"), partial(make_solver, "sparql", {})
    conversations = [Conversation(f"c{n}", page, ("what was it?", "and now?")) for n, page in enumerate(pages)]
    with ModelServer(script(iter([VALUE, VALUE, *queries]))) as server:
        async with open_store(str(path)) as store, open_session(ModelConfig(spec_for(server))) as session:
            session.run = run.id
            await store.create_run(before)
            await store.create_run(run)
            knowledge = await asyncio.to_thread(GraphProvider.of, pages)
            # Load what is loaded once per process before the measurement.
            writer = RunWriter(store, before.id, live=True)
            await InlineEngine(1).run(conversations[-1:], factory, writer, knowledge, session)
            with beating() as heart:
                await InlineEngine(8).run(
                    conversations, factory, RunWriter(store, run.id, live=True), knowledge, session
                )
            assert [example.error for example in await store.examples(run.id)] == [None] * len(pages)
            assert [turn.error for turn in await store.turns(run.id)] == [None] * 2 * len(pages)
    return heart


@pytest.mark.very_slow
def test_eight_conversations_do_not_block_the_loop(tmp_path: Path) -> None:
    # Each page takes a tenth of a second or more to read.
    heart = asyncio.run(play([many_tables(8, seed) for seed in range(8)], tmp_path / "runs.db"))
    message = (
        f"of {len(heart.waited)} beats the median waited {statistics.median(heart.waited):.4f} s, the slowest "
        f"{max(heart.waited):.3f} s; computing took {max(heart.computed):.3f} s at most"
    )
    print(message)
    assert max(heart.computed) < COMPUTING, message


@pytest.mark.slow
def test_timed_out_query_does_not_block_others(tmp_path: Path) -> None:
    assert max(asyncio.run(play([many_tables(4)], tmp_path / "runs.db", SLOW)).waited) < WAITING


@pytest.mark.slow
def test_store_waiting_for_a_writer_does_not_block_others(tmp_path: Path) -> None:
    async def scenario() -> Heartbeat:
        path = tmp_path / "runs.db"
        async with SqliteStore(path) as store, SqliteStore(path) as other:
            assert isinstance(other._tables, SqliteTables)
            other._tables._db.execute("BEGIN IMMEDIATE")
            with beating() as heart:
                writing = [asyncio.create_task(store.create_run(make_run(f"r{n}"))) for n in range(5)]
                await asyncio.sleep(2)
                assert not any(task.done() for task in writing)
                other._tables._db.execute("ROLLBACK")
                await asyncio.gather(*writing)
            assert {run.id for run in await store.runs()} == {f"r{n}" for n in range(5)}
        return heart

    assert max(asyncio.run(scenario()).waited) < WAITING


@pytest.mark.slow
def test_the_embedded_solver_computes_off_the_loop() -> None:
    page = many_tables(12)
    conversation = Conversation("c", page, ("what was the net income in 2019?", "and in 2018?"))

    async def answer() -> Heartbeat:
        knowledge = await asyncio.to_thread(GraphProvider.of, [page])
        recorder = _SilentListener()
        with beating() as heart:
            await InlineEngine(1).run([conversation], partial(make_solver, "embedded", {}), recorder, knowledge)
        return heart

    asyncio.run(answer())  # load what is loaded once per process
    assert max(asyncio.run(answer()).computed) < COMPUTING


class _SilentListener:
    async def on_start(self, conversation: object) -> None:
        pass

    async def on_finish(self, conversation: object, result: object) -> None:
        pass

    async def on_lost(self, conversation: object, used: object) -> None:
        pass
