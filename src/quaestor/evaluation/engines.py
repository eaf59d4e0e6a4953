"""How conversations are spread: the protocol of an engine, and the one that plays in this process.

An engine decides where and how many at once, never what comes out: the results are the same whatever the engine.
It writes nothing; a RunListener does.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from quaestor.core.computing import compute
from quaestor.datasets.dataset import Conversation
from quaestor.errors import InputError, unknown_name
from quaestor.evaluation.conversation_result import ConversationResult
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import SolverFactory, run_conversation
from quaestor.evaluation.watchers import Watcher
from quaestor.extras import require_extra
from quaestor.llm.session import ModelSession
from quaestor.llm.usage import Usage

T = TypeVar("T")


class RunListener(Protocol):
    """Hears of every conversation, in the process and thread that called `Engine.play`."""

    async def on_start(self, conversation: Conversation) -> Watcher | Literal[False] | None:
        """A conversation is to be handed out. Returns who hears of it as it is played, where that is in this process.

        False where another runner has it: it is not to be played, and what comes of it all the same is left aside.

        What a watcher could not hear of, because another process plays, is in the result.
        """
        ...

    async def on_finish(self, conversation: Conversation, played: ConversationResult) -> None:
        """A conversation came to its end."""
        ...

    async def on_lost(self, conversation: Conversation, used: Usage) -> None:
        """The process that played a conversation has died: it is to be played again, from `on_start` on.

        Args:
            used: What it had asked a model for.
        """
        ...


class Engine(Protocol):
    """A way to spread conversations."""

    async def play(
        self,
        conversations: Iterable[Conversation],
        factory: SolverFactory,
        listener: RunListener,
        graphs: GraphProvider | None = None,
        session: ModelSession | None = None,
    ) -> None:
        """Play every conversation once and tell the listener, in whatever order they end.

        Cancelled, it stops soon; what the listener has heard of stands.

        Args:
            conversations: Drawn as they are needed, so that few are held at once.
            factory: Builds the solver, once a process. It must survive pickling: a module's function, or a
                `functools.partial` of one. What the solver keeps of a conversation it keeps in its session.
            graphs: The ontology of all pages, handed out once a process; by default each page has its own.

        Raises:
            EngineError: A worker died, or the engine cannot share a model among its workers.
        """
        ...


@dataclass(frozen=True, slots=True)
class InlineEngine:
    """Plays in this process, several conversations at once: for solvers that wait, and for debugging.

    Attributes:
        concurrency: How many conversations are under way at once.
        seconds: How long a turn may compute; None means no limit.
    """

    concurrency: int = 1
    seconds: float | None = None

    async def play(
        self,
        conversations: Iterable[Conversation],
        factory: SolverFactory,
        listener: RunListener,
        graphs: GraphProvider | None = None,
        session: ModelSession | None = None,
    ) -> None:
        """Play every conversation once and tell the listener."""
        # A solver may read its weights.
        solver = await compute(factory)

        async def play_one(conversation: Conversation) -> None:
            # A solver that only computes never waits: without this Ctrl-C would not be heard until the end.
            await asyncio.sleep(0)
            watcher = await listener.on_start(conversation)
            if watcher is False:
                return
            played = await run_conversation(conversation, solver, graphs, session, watcher, seconds=self.seconds)
            await listener.on_finish(conversation, played)

        await gather_limited(conversations, play_one, self.concurrency)


async def gather_limited(items: Iterable[T], handle: Callable[[T], Awaitable[None]], concurrency: int) -> None:
    """Handle every item, `concurrency` of them at once; the first error cancels the rest and is raised.

    Args:
        items: Drawn as they are needed.
        concurrency: How many are handled at once.

    Raises:
        Exception: Whatever `handle` raised first.
    """
    waiting: Iterator[T] = iter(items)

    async def lane() -> None:
        for item in waiting:
            await handle(item)

    if concurrency == 1:
        # In the task that asks: a loop with one task computes without threads.
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
    name: str,
    workers: int,
    address: str | None = None,
    at_once: int | None = None,
    seconds: float | None = None,
) -> Engine:
    """Return an engine by name.

    Args:
        workers: How many conversations (inline) or processes run at once.
        address: Of a Ray cluster, `HOST:PORT`; None starts one on this machine.
        at_once: How many conversations ask a model at once, in all processes together; None is one a process.
        seconds: How long a turn may compute before it counts as failed; None means no limit.

    Raises:
        InputError: No engine has that name.
        SettingsError: The extra `ray` is not installed.
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
