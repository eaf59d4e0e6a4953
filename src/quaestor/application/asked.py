"""Questions that a person asks, kept as a run of their own kind, as far as the store allows.

What cannot be kept costs nobody the answer: the first refusal of the store is remembered, and nothing is written after.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from quaestor.conversation.events import Event
from quaestor.conversation.turn import Correction, ToolCall, Turn
from quaestor.core import serial
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
from quaestor.store.records import RunRecord, RunStatus, now

if TYPE_CHECKING:
    from quaestor.llm.transcript import Exchange

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Known:
    """What is recorded of the ontology that a page is read with.

    Attributes:
        policy: What becomes of a label that it does not have.
    """

    digest: str
    policy: Policy
    triples: tuple[Triple, ...]

    @classmethod
    def of(cls, knowledge: GraphProvider) -> "Known":
        """Return what is recorded of some knowledge."""
        return cls(knowledge.ontology.digest, knowledge.policy, tuple(knowledge.ontology.triples))


class AskedRun(Watcher):
    """A run of kind `ask`. The Watcher that writes it, and forgives the store.

    Attributes:
        run: Its id; None if nothing could be kept.
    """

    def __init__(self, spec: RunSpec, conversation: Conversation, knowledge: Known, *, live: bool) -> None:
        """Take what is asked.

        Args:
            knowledge: The ontology that the document is read with.
            live: Whether what happens within a turn is written at once: of solvers that wait for a model.
        """
        self.run: str | None = None
        self.unkept: str | None = None
        self._spec, self._conversation, self._knowledge, self._live = spec, conversation, knowledge, live
        self._open = AsyncExitStack()
        self._store: RunStore | None = None
        self._writer: RunWriter | None = None
        self._watcher: Watcher | None = None

    async def begin(self, store: str, turns: Sequence[Turn] = (), corrections: Sequence[Correction] = ()) -> None:
        """Note what is asked.

        Args:
            turns: What was answered before, which is kept as the beginning of this conversation.
        """
        try:
            await self._forgiving(lambda: self._begin(store))
            if turns and (writer := self._writer) is not None:
                await self._forgiving(lambda: writer.copy_turns(self._conversation, turns))
            await self.correct(*corrections)
        except BaseException:
            await self._let_go()
            raise

    async def _let_go(self) -> None:
        """Stop a run that was interrupted while it began: what is asked next begins another."""
        with suppress(StoreError):
            if self._store is not None and self.run is not None:
                await self._store.finish_run(self.run, "stopped", now())
        with suppress(StoreError):
            await self._open.aclose()
        self.run = self._store = self._writer = self._watcher = None

    async def correct(self, *corrections: Correction) -> None:
        """Keep what a person corrected."""
        if (writer := self._writer) is not None:
            for correction in corrections:
                await self._forgiving(partial(writer.on_correction, self._conversation, correction))

    async def again(self, turns: Sequence[Turn], used: Usage, corrections: Sequence[Correction] = ()) -> None:
        """Goes on from some of the turns; what was kept so far stays as an earlier attempt.

        Args:
            corrections: What a person corrected, as far as it stays.
        """
        if (writer := self._writer) is not None:
            await self._forgiving(lambda: self._again(writer, turns, used))
            await self.correct(*corrections)

    async def _again(self, writer: RunWriter, turns: Sequence[Turn], used: Usage) -> None:
        self._watcher = await writer.again(self._conversation, turns, used)

    async def broke_off(self, index: int, turn: Turn) -> None:
        """Keep a turn that broke off.

        Args:
            index: The turn's place in the conversation, from 0.
            turn: As far as it came.
        """
        if (writer := self._writer) is not None:
            await self._forgiving(lambda: writer.on_broken(self._conversation, index, turn))

    async def _begin(self, store: str) -> None:
        spec = self._spec
        opened = await self._open.enter_async_context(open_store(store))
        started = await time_of_new_run(opened)
        run = RunRecord(
            id=spec.new_run_id(started),
            spec=serial.dump(spec),
            spec_digest=spec.digest,
            dataset=spec.dataset,
            dataset_digest=spec.dataset_digest,
            conversations=1,
            started=started,
            kind="ask",
        )
        # Known before it is there: whoever interrupts the writing of it has it ended, too.
        self.run, self._store = run.id, opened
        try:
            await opened.create_run(run)
        except StoreError:
            self.run = self._store = None
            raise
        await opened.save_ontology(self._knowledge.digest, self._knowledge.triples)
        self._writer = RunWriter(opened, run.id, live=self._live)
        self._watcher = await self._writer.begin(self._conversation)

    async def end(self, played: ConversationResult | None) -> None:
        """Keep how it went, and lets go of the store.

        Args:
            played: The conversation as far as it came; None if a person interrupted it.
        """
        await self._forgiving(lambda: self._end(played))
        await self._forgiving(self._open.aclose, even_then=True)

    async def _end(self, played: ConversationResult | None) -> None:
        if self._writer is None or self._store is None or self.run is None:
            return
        if played is not None and self._watcher is not None:  # without one it was interrupted while it began
            await self._writer.on_finish(self._conversation, played)
        await self._store.finish_run(self.run, _status(played), now())

    async def on_turn(self, begun: TurnBegun) -> None:
        """Tell whoever writes."""
        if (watcher := self._watcher) is not None:
            await self._forgiving(lambda: watcher.on_turn(begun))

    def on_event(self, index: int, event: Event, call: ToolCall | None) -> None:
        """Tell whoever writes.

        Args:
            index: The turn's place in the conversation, from 0.
        """
        if self._watcher is not None and self.unkept is None:
            self._watcher.on_event(index, event, call)

    def on_exchange(self, exchange: "Exchange") -> None:
        """Tell whoever writes."""
        if self._watcher is not None and self.unkept is None:
            self._watcher.on_exchange(exchange)

    async def on_answer(self, index: int, turn: Turn) -> None:
        """Tell whoever writes."""
        if (watcher := self._watcher) is not None:
            await self._forgiving(lambda: watcher.on_answer(index, turn))

    async def _forgiving(self, work: Callable[[], Awaitable[R]], *, even_then: bool = False) -> None:
        if self.unkept is None or even_then:
            try:
                await work()
            except (StoreError, SettingsError) as error:
                self.unkept = self.unkept or str(error)


def _status(played: ConversationResult | None) -> RunStatus:
    if played is None or played.status not in ("complete", "failed"):
        return "stopped"
    return "complete" if played.status == "complete" else "failed"
