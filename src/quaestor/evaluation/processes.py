"""Engine with worker processes, for solvers that compute; `asking_processes` is for solvers that ask a model.

Conversations are sent in small chunks, a few at a time, to limit memory. Workers are spawned, not forked, so that all
platforms behave the same and no lock is inherited. On Linux, a program may have a server process import their modules
in advance (`preload_modules`); workers are then forked from that process, which has no locks.
"""

import asyncio
import multiprocessing
import sys
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from quaestor.core.caching import collect_seldom
from quaestor.core.loop_workers import ignore_signals
from quaestor.core.serial import Triple
from quaestor.core.workers import Workers
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.engines import RunListener, chunks, gather_limited
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.recording import ConversationResult
from quaestor.evaluation.runner import SolverFactory, run_conversation
from quaestor.llm.session import ModelSession
from quaestor.solvers.base import Solver

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

# Large enough that conversations about the same page usually share one copy of it; small enough that little is lost if
# a run is stopped, and that all cores finish at about the same time.
CHUNK = 4

ASKING = (
    "quaestor.evaluation.asking_processes",
    "quaestor.llm.clients",
    "quaestor.llm.guarded",
    "quaestor.llm.transport",
)
"""Additional modules for workers if the solver asks a model."""

_Stored = tuple[Triple, ...] | None


class _Preloading:
    """Whether workers are forked from a server process that has imported their modules."""

    started = False


def preload_modules(modules: Sequence[str]) -> None:
    """Start importing the workers' modules in a server process, in the background.

    Intended for programs, not libraries, before the first worker starts. It does nothing on systems other than Linux,
    where libraries cannot safely be forked after their import.
    """
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        return
    from multiprocessing import forkserver

    multiprocessing.get_context("forkserver").set_forkserver_preload([__name__, *modules])
    with ignore_signals():
        forkserver.ensure_running()
    _Preloading.started = True


def worker_context() -> "ForkServerContext | SpawnContext":
    """Return the multiprocessing context for worker processes."""
    return multiprocessing.get_context("forkserver") if _Preloading.started else multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True)
class ProcessEngine:
    """Runs conversations in worker processes."""

    workers: int
    at_once: int | None = None
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
        context = worker_context()
        if session is not None:
            from quaestor.evaluation.asking_processes import run_in_processes

            spread = self.workers, self.at_once or self.workers, context
            await run_in_processes(conversations, factory, listener, graphs, session, spread, self.seconds)
            return
        advice = "resume the run, with fewer workers if it happens again"
        workers = Workers(self.workers, context, advice, partial(_prepare_worker, factory, graphs, self.seconds))
        loop = asyncio.get_running_loop()

        async def run_chunk(chunk: tuple[Conversation, ...]) -> None:
            chunk = tuple([one for one in chunk if await listener.on_start(one) is not False])
            if not chunk:
                return
            # Workers have no store, so frozen graphs are sent with the conversations.
            stored = tuple([await graphs.stored(conversation.document) if graphs else None for conversation in chunk])
            results = await loop.run_in_executor(workers, _run_chunk, chunk, stored)
            for conversation, result in zip(chunk, results, strict=True):
                await listener.on_finish(conversation, result)

        # Leaving the block ends the workers, even during a conversation.
        with workers:
            # Twice as many as workers, so that each worker has its next chunk ready.
            await gather_limited(chunks(conversations, CHUNK), run_chunk, 2 * self.workers)


class _Worker:
    """State of a worker process, set once at its start."""

    factory: SolverFactory
    graphs: GraphProvider | None = None
    seconds: float | None = None
    solver: Solver | None = None


def _prepare_worker(factory: SolverFactory, graphs: GraphProvider | None, seconds: float | None) -> None:
    collect_seldom()
    _Worker.factory, _Worker.graphs, _Worker.seconds = factory, graphs, seconds


def _run_chunk(chunk: tuple[Conversation, ...], stored: tuple[_Stored, ...]) -> tuple[ConversationResult, ...]:
    # The solver is built here and not at worker start, because only errors of this function reach the parent.
    if _Worker.solver is None:
        _Worker.solver = _Worker.factory()
    solver = _Worker.solver

    async def run_all() -> tuple[ConversationResult, ...]:
        graphs, seconds, both = _Worker.graphs, _Worker.seconds, zip(chunk, stored, strict=True)
        return tuple(
            [await run_conversation(one, solver, graphs, stored=graph, seconds=seconds) for one, graph in both]
        )

    return asyncio.run(run_all())
