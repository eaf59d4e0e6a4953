"""What the agent costs besides its model: a server on this machine, a process of its own, replies at once or late."""

import asyncio
import multiprocessing
import sys
from collections.abc import Iterable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from benchmarks.figure import Figure
from benchmarks.workload import Workload
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.engines import gather_limited
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import play_conversation
from quaestor.llm.naming import find_model
from quaestor.llm.session import ModelConfig, open_session
from quaestor.solvers.registry import make_solver

if TYPE_CHECKING:
    from model_replies import Asked, Reply

SUPPORT = str(Path(__file__).resolve().parents[1] / "tests" / "support")
_LANES = 50
_LATENCY = 0.1
_TURNS = 4
_REQUESTS = 4
"""Of a turn: the understanding, a query, a calculation, the answer."""


def measure(workload: Workload) -> Iterable[Figure]:
    pages = list({c.document.id: c.document for c in workload.dataset.conversations}.values())
    conversations = [
        Conversation(f"conversation {number}", pages[number % len(pages)], ("what was it?",) * _TURNS)
        for number in range(2 * _LANES)
    ]
    _played(conversations[:1], 1, 0.0)  # imports, templates, schemas
    few = conversations[:20]
    alone = _played(few, 1, 0.0) / (len(few) * _TURNS)
    yield Figure(
        "agent, a turn without its model",
        f"{1000 * alone:.1f} ms",
        f"{_REQUESTS} requests, mean of {len(few) * _TURNS} turns",
    )
    ideal = len(conversations) / _LANES * _TURNS * _REQUESTS * _LATENCY
    share = ideal / _played(conversations, _LANES, _LATENCY)
    how = f"{len(conversations)} conversations, {1000 * _LATENCY:.0f} ms a reply; ideal {ideal:.1f} s"
    yield Figure(f"agent, {_LANES} conversations at once", f"{100 * share:.0f} % of ideal", how)


def _played(conversations: Sequence[Conversation], concurrency: int, latency: float) -> float:
    """Returns the seconds that conversations take; their graphs are built before."""
    documents = {c.document.id: c.document for c in conversations}
    knowledge = {name: GraphProvider.of([document]) for name, document in documents.items()}
    for name, document in documents.items():
        knowledge[name].graph(document)
    solver = make_solver("agent", {})

    async def play(url: str) -> float:
        async with open_session(ModelConfig(find_model(f"openai:scripted@{url}/v1"))) as line:

            async def one(conversation: Conversation) -> None:
                turns = await play_conversation(conversation, solver, knowledge[conversation.document.id], line)
                assert all(turn.verified for turn in turns), turns
                line.take(conversation.id)

            started = perf_counter()
            await gather_limited(conversations, one, concurrency)
            return perf_counter() - started

    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    server = context.Process(target=_serve, args=(latency, theirs), daemon=True)
    server.start()
    try:
        return asyncio.run(play(str(ours.recv())))
    finally:
        ours.send("enough")
        server.join()


def _serve(latency: float, told: Connection) -> None:
    """Serves in a process of its own until it is told that it is enough."""
    sys.path.insert(0, SUPPORT)
    from model_server import ModelServer

    with ModelServer(lambda asked: _reply(asked).after(latency)) as server:
        told.send(server.url)
        told.recv()


def _reply(asked: "Asked") -> "Reply":
    from model_replies import call

    match len(asked.results):
        case 0:
            return call("describe_understanding", description="a sum")
        case 1:
            return call("introspect_ontology", action="list_types")
        case 2:
            return call("calculate", operation="add", values=[2, 3])
        case _:
            return call("final_answer", answer=5, steps=[1])
