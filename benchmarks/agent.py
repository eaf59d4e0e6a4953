"""Overhead of the agent apart from its model, with a stub server that replies at once or with a delay.

Conversations run in one process, and in one process per core with a share of them each; nothing is stored.
"""

import asyncio
import multiprocessing
import os
from collections.abc import Iterable, Sequence
from multiprocessing.connection import Connection
from time import perf_counter, process_time

from benchmarks.figure import Figure
from benchmarks.stub_model import REQUESTS, stub_model
from benchmarks.workload import Workload
from quaestor.core.caching import collect_seldom
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.engines import gather_limited
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import answer_conversation
from quaestor.llm.naming import find_model
from quaestor.llm.session import ModelConfig, open_session
from quaestor.solvers.registry import make_solver

_LANES = (50, 200)
_LATENCY = 0.1
_TURNS = 4
_ROUNDS = 4
"""Consecutive conversations per lane; many, so that the idle lanes at the end of a run matter little."""


def measure(workload: Workload) -> Iterable[Figure]:
    pages = list({c.document.id: c.document for c in workload.dataset.conversations}.values())
    conversations = [
        Conversation(f"conversation {number}", pages[number % len(pages)], ("what was it?",) * _TURNS)
        for number in range(_ROUNDS * max(_LANES))
    ]
    with stub_model(0.0) as url:
        few = conversations[:20]
        seconds, _ = _time_conversations(few, url, "openai", 1, 1)
    alone = seconds / (len(few) * _TURNS)
    yield Figure(
        "agent, a turn without its model",
        f"{1000 * alone:.1f} ms",
        f"{REQUESTS} requests, mean of {len(few) * _TURNS} turns",
    )
    cores = os.cpu_count() or 1
    with stub_model(_LATENCY) as url:
        for protocol in ("openai", "anthropic"):
            for lanes in _LANES:
                some = conversations[: _ROUNDS * lanes]
                ideal = len(some) / lanes * _TURNS * REQUESTS * _LATENCY
                for processes in dict.fromkeys((1, cores)):
                    seconds, computed = _time_conversations(some, url, protocol, lanes, processes)
                    each = 1000 * computed / (len(some) * _TURNS)
                    yield Figure(
                        f"agent, {protocol}, {lanes} conversations at once, processes: {processes}",
                        f"{100 * ideal / seconds:.0f} % of ideal",
                        f"{len(some)} conversations, {1000 * _LATENCY:.0f} ms a reply; {each:.1f} ms of CPU a turn",
                    )


def _time_conversations(
    conversations: Sequence[Conversation], url: str, protocol: str, lanes: int, processes: int
) -> tuple[float, float]:
    """Return the wall time of the conversations and their CPU time; graphs are built beforehand."""
    context = multiprocessing.get_context("spawn")
    workers = []
    for number in range(processes):
        parent, child = context.Pipe()
        share = conversations[number::processes]
        at_once = lanes // processes + (number < lanes % processes)
        process = context.Process(target=_run_share, args=(share, url, protocol, at_once, child), daemon=True)
        process.start()
        workers.append((process, parent))
    for _, parent in workers:
        parent.recv()  # the process is ready
    started = perf_counter()
    for _, parent in workers:
        parent.send("go")
    computed = sum(parent.recv() for _, parent in workers)
    seconds = perf_counter() - started
    for process, _ in workers:
        process.join()
    return seconds, computed


def _run_share(
    conversations: Sequence[Conversation], url: str, protocol: str, at_once: int, connection: Connection
) -> None:
    """Run the conversations on request, and send the CPU seconds used."""
    documents = {c.document.id: c.document for c in conversations}
    knowledge = {name: GraphProvider.of([document]) for name, document in documents.items()}
    for name, document in documents.items():
        knowledge[name].graph(document)
    solver = make_solver("agent", {})
    model = find_model(f"openai:scripted@{url}/v1" if protocol == "openai" else f"anthropic:scripted@{url}")
    collect_seldom()

    async def run() -> None:
        async with open_session(ModelConfig(model)) as line:

            async def one(conversation: Conversation) -> None:
                turns = await answer_conversation(conversation, solver, knowledge[conversation.document.id], line)
                assert all(turn.verified for turn in turns), turns
                line.take(conversation.id)

            await one(conversations[0])  # imports, templates, schemas
            connection.send("ready")
            connection.recv()
            before = process_time()
            await gather_limited(conversations, one, at_once)
            connection.send(process_time() - before)

    asyncio.run(run())
