"""Writes a person's questions into the store, as a run of kind `ask`.

If the store fails, the answers are still returned; after the first error nothing more is written.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from quaestor.conversation.events import Event
from quaestor.conversation.turn import Correction, ToolCall, Turn
from quaestor.core.serial import Triple
from quaestor.datasets.dataset import Conversation
from quaestor.errors import SettingsError, StoreError
from quaestor.evaluation.conversation_result import ConversationResult
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.spec import RunSpec
from quaestor.evaluation.watchers import TurnBegun, Watcher
from quaestor.evaluation.writing import RunWriter
from quaestor.graph.knowledge_graph import Policy
from quaestor.llm.usage import Usage
from quaestor.store.base import RunStore, open_store, time_of_new_run
from quaestor.store.records import RunStatus, now

if TYPE_CHECKING:
    from quaestor.llm.transcript import Exchange

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class OntologySnapshot:
    """An ontology as it is stored with a run."""

    digest: str
    policy: Policy
    triples: tuple[Triple, ...]

    @classmethod
    def of(cls, graphs: GraphProvider) -> "OntologySnapshot":
        """Return the snapshot of the ontology that graphs are built with."""
        return cls(graphs.ontology.digest, graphs.policy, tuple(graphs.ontology.triples))


class AskRunWriter(Watcher):
    """Watcher that writes a run of kind `ask` until the store fails."""

    def __init__(self, spec: RunSpec, conversation: Conversation, ontology: OntologySnapshot, *, live: bool) -> None:
        """Prepare to write one conversation; `begin` creates the run."""
        self.run: str | None = None
        self.unkept: str | None = None
        self._spec, self._conversation, self._ontology, self._live = spec, conversation, ontology, live
        self._open = AsyncExitStack()
        self._store: RunStore | None = None
        self._writer: RunWriter | None = None
        self._watcher: Watcher | None = None

    async def begin(self, store: str, turns: Sequence[Turn] = (), corrections: Sequence[Correction] = ()) -> None:
        """Create the run, with earlier turns and corrections."""
        try:
            await self._try_to_store(lambda: self._begin(store))
            if turns and (writer := self._writer) is not None:
                await self._try_to_store(lambda: writer.copy_turns(self._conversation, turns))
            await self.add_corrections(*corrections)
        except BaseException:
            await self._abandon()
            raise

    async def _abandon(self) -> None:
        """Finish a run whose creation was interrupted; the next question creates another."""
        with suppress(StoreError):
            if self._store is not None and self.run is not None:
                await self._store.finish_run(self.run, "stopped", now())
        with suppress(StoreError):
            await self._open.aclose()
        self.run = self._store = self._writer = self._watcher = None

    async def add_corrections(self, *corrections: Correction) -> None:
        """Store a person's corrections."""
        if (writer := self._writer) is not None:
            for correction in corrections:
                await self._try_to_store(partial(writer.on_correction, self._conversation, correction))

    async def restart(self, turns: Sequence[Turn], used: Usage, corrections: Sequence[Correction] = ()) -> None:
        """Start a new attempt with the given turns; the stored turns remain as an earlier attempt."""
        if (writer := self._writer) is not None:
            await self._try_to_store(lambda: self._restart(writer, turns, used))
            await self.add_corrections(*corrections)

    async def _restart(self, writer: RunWriter, turns: Sequence[Turn], used: Usage) -> None:
        self._watcher = await writer.restart(self._conversation, turns, used)

    async def add_broken_turn(self, index: int, turn: Turn) -> None:
        """Store a turn that was interrupted or failed."""
        if (writer := self._writer) is not None:
            await self._try_to_store(lambda: writer.on_broken(self._conversation, index, turn))

    async def _begin(self, store: str) -> None:
        spec = self._spec
        opened = await self._open.enter_async_context(open_store(store))
        started = await time_of_new_run(opened)
        run = spec.new_run(started, 1, "ask")
        # Set before the run is created, so that an interrupt during its creation also finishes it.
        self.run, self._store = run.id, opened
        try:
            await opened.create_run(run)
        except StoreError:
            self.run = self._store = None
            raise
        await opened.save_ontology(self._ontology.digest, self._ontology.triples)
        self._writer = RunWriter(opened, run.id, live=self._live)
        self._watcher = await self._writer.begin(self._conversation)

    async def end(self, result: ConversationResult | None) -> None:
        """Store how the conversation ended, and close the store."""
        await self._try_to_store(lambda: self._end(result))
        await self._try_to_store(self._open.aclose, after_error=True)

    async def _end(self, result: ConversationResult | None) -> None:
        if self._writer is None or self._store is None or self.run is None:
            return
        if result is not None and self._watcher is not None:  # there is no watcher if the creation was interrupted
            await self._writer.on_finish(self._conversation, result)
        await self._store.finish_run(self.run, _status(result), now())

    async def on_turn(self, begun: TurnBegun) -> None:
        """Store the start of a turn."""
        if (watcher := self._watcher) is not None:
            await self._try_to_store(lambda: watcher.on_turn(begun))

    def on_event(self, index: int, event: Event, call: ToolCall | None) -> None:
        """Store an event of a turn."""
        if self._watcher is not None and self.unkept is None:
            self._watcher.on_event(index, event, call)

    def on_exchange(self, exchange: "Exchange") -> None:
        """Store an exchange with the model."""
        if self._watcher is not None and self.unkept is None:
            self._watcher.on_exchange(exchange)

    async def on_answer(self, index: int, turn: Turn) -> None:
        """Store the end of a turn."""
        if (watcher := self._watcher) is not None:
            await self._try_to_store(lambda: watcher.on_answer(index, turn))

    async def _try_to_store(self, work: Callable[[], Awaitable[R]], *, after_error: bool = False) -> None:
        if self.unkept is None or after_error:
            try:
                await work()
            except (StoreError, SettingsError) as error:
                self.unkept = self.unkept or str(error)


def _status(result: ConversationResult | None) -> RunStatus:
    if result is None or result.status not in ("complete", "failed"):
        return "stopped"
    return "complete" if result.status == "complete" else "failed"
