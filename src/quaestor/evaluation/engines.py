"""Engines run the conversations of a dataset: the protocol, and the engine for this process.

An engine decides where conversations run and how many at a time; the results do not depend on it. Engines do not store
results; a RunListener does.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from quaestor.core.computing import compute
from quaestor.datasets.dataset import Conversation
from quaestor.errors import InputError, unknown_name
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.recording import ConversationResult
from quaestor.evaluation.runner import SolverFactory, run_conversation
from quaestor.evaluation.watchers import Watcher
from quaestor.extras import require_extra
from quaestor.llm.session import ModelSession
from quaestor.llm.usage import Usage

T = TypeVar("T")


class RunListener(Protocol):
    """Notified of the start and end of every conversation, in the process and thread that called `Engine.play`."""

    async def on_start(self, conversation: Conversation) -> Watcher | Literal[False] | None:
        """Handle that a conversation is about to start, and return its watcher.

        False means that another runner has the conversation, so that it must not be run here. A watcher is notified
        only if the conversation runs in this process; otherwise the result has all events.
        """

    async def on_finish(self, conversation: Conversation, result: ConversationResult) -> None:
        """Handle the result of a conversation."""

    async def on_lost(self, conversation: Conversation, used: Usage) -> None:
        """Handle the death of a conversation's process; the conversation is started again with `on_start`."""


class Engine(Protocol):
    """Runs conversations, several at a time."""

    async def run(
        self,
        conversations: Iterable[Conversation],
        factory: SolverFactory,
        listener: RunListener,
        graphs: GraphProvider | None = None,
        session: ModelSession | None = None,
    ) -> None:
        """Run every conversation once and notify the listener in order of completion.

        After cancellation it stops soon; conversations reported to the listener are complete.

        Args:
            conversations: Consumed one by one, so that few are in memory.
            factory: Builds the solver, once in each process. It must be picklable: a module-level function, or a
                `functools.partial` of one.
            graphs: The ontology for all pages, sent once to each process; by default each page has its own.
        """


@dataclass(frozen=True, slots=True)
class InlineEngine:
    """Runs several conversations at a time in this process, for solvers that wait for I/O, and for debugging."""

    concurrency: int = 1
    seconds: float | None = None

    async def run(
        self,
        conversations: Iterable[Conversation],
        factory: SolverFactory,
        listener: RunListener,
        graphs: GraphProvider | None = None,
        session: ModelSession | None = None,
    ) -> None:
        """Run every conversation once and notify the listener."""
        # In a thread, as it may read weights.
        solver = await compute(factory)

        async def run_one(conversation: Conversation) -> None:
            # Lets the event loop handle Ctrl-C, since a solver that only computes never awaits.
            await asyncio.sleep(0)
            watcher = await listener.on_start(conversation)
            if watcher is False:
                return
            result = await run_conversation(conversation, solver, graphs, session, watcher, seconds=self.seconds)
            await listener.on_finish(conversation, result)

        await gather_limited(conversations, run_one, self.concurrency)


async def gather_limited(items: Iterable[T], handle: Callable[[T], Awaitable[None]], concurrency: int) -> None:
    """Handle every item, up to `concurrency` at a time; the first error cancels the rest and is raised."""
    waiting: Iterator[T] = iter(items)

    async def lane() -> None:
        for item in waiting:
            await handle(item)

    if concurrency == 1:
        # In the calling task, as an event loop with a single task computes without threads.
        await lane()
        return
    tasks = [asyncio.create_task(lane()) for _ in range(concurrency)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


ENGINES = ("inline", "processes", "ray")


def make_engine(
    name: str, workers: int, address: str | None = None, at_once: int | None = None, seconds: float | None = None
) -> Engine:
    """Return an engine by name.

    Args:
        workers: Number of concurrent conversations (inline) or processes.
        address: Address of a Ray cluster, `HOST:PORT`; None starts one on this machine.
        at_once: Number of conversations that ask a model concurrently, in all processes together; None means one per
            process.
        seconds: Maximum computing time of a turn before it fails; None means no limit.
    """
    if name == "inline":
        return InlineEngine(workers, seconds)
    if name == "processes":
        from quaestor.evaluation.processes import ProcessEngine

        return ProcessEngine(workers, at_once, seconds)
    if name == "ray":
        require_extra("ray", "the engine 'ray'")
        from quaestor.evaluation.ray_engine import RayEngine

        return RayEngine(workers, address, at_once or workers, seconds)
    raise InputError(unknown_name("engine", name, ENGINES))
