"""Watchers of conversations: notified of every turn, event and model exchange when it happens.

Watchers do not affect the answers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import Event, ToolCalled, Trace
from quaestor.conversation.references.expressions import References
from quaestor.conversation.turn import ToolCall, Turn
from quaestor.core.computing import compute
from quaestor.evaluation.recording import TurnPlace, serialize_graph
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.llm.usage import Usage
from quaestor.solvers.base import TurnContext
from quaestor.store.contents import WrittenGraph
from quaestor.store.records import ExampleStatus, now

if TYPE_CHECKING:
    from quaestor.core.loop_workers import WorkerLine
    from quaestor.llm.transcript import Exchange


@dataclass(frozen=True, slots=True)
class TurnBegun:
    """Start of a turn.

    Attributes:
        graph_of: Digest of the page, or of everything shown of a long document so far.
        graph: Its graph, possibly serialised; None if it is already known, or the watcher is notified afterwards.
    """

    index: int
    question: str
    started: datetime
    history: tuple[Turn, ...]
    references: References
    graph_of: str | None = None
    graph: KnowledgeGraph | WrittenGraph | None = None

    def unanswered(
        self,
        error: str | None,
        events: Sequence[Event] = (),
        tool_calls: Sequence[ToolCall] = (),
        usage: Usage | None = None,
    ) -> Turn:
        """Return the turn as far as it got, without an answer."""
        return Turn(
            question=self.question,
            answer=Answer(value=None),
            verified=False,
            started=self.started,
            finished=max(self.started, now()),
            events=tuple(events),
            references=self.references,
            tool_calls=tuple(tool_calls),
            usage=usage or Usage(),
            error=error,
        )


class Watcher:
    """Notified of the events of one conversation, in order; the default methods ignore them."""

    async def on_turn(self, begun: TurnBegun) -> None:
        """Handle the start of a turn; the solver starts after this returns."""

    def on_event(self, index: int, event: Event, call: ToolCall | None) -> None:
        """Handle an event of a turn, in the thread of the event."""

    def on_exchange(self, exchange: "Exchange") -> None:
        """Handle an exchange with a model."""

    async def on_answer(self, index: int, turn: Turn) -> None:
        """Handle the end of a turn; the next one starts after this returns."""


class Observer(Watcher):
    """Watcher that is also notified of the end of a conversation, whichever process ran it."""

    async def on_end(self, status: ExampleStatus, error: str | None) -> None:
        """Handle the end of the conversation."""


ObserverFactory = Callable[[TurnPlace], Observer]
"""Returns the observer of an attempt at a conversation."""


class Watchers(Watcher):
    """Forwards notifications to several watchers."""

    def __init__(self, watchers: Sequence[Watcher]) -> None:
        self._watchers = tuple(watchers)

    async def on_turn(self, begun: TurnBegun) -> None:
        """Notify all."""
        for watcher in self._watchers:
            await watcher.on_turn(begun)

    def on_event(self, index: int, event: Event, call: ToolCall | None) -> None:
        """Notify all."""
        for watcher in self._watchers:
            watcher.on_event(index, event, call)

    def on_exchange(self, exchange: "Exchange") -> None:
        """Notify all."""
        for watcher in self._watchers:
            watcher.on_exchange(exchange)

    async def on_answer(self, index: int, turn: Turn) -> None:
        """Notify all."""
        for watcher in self._watchers:
            await watcher.on_answer(index, turn)


class EventRelay(Watcher):
    """Watcher in a worker: sends everything to the parent process, and waits until it is stored."""

    def __init__(self, line: "WorkerLine", conversation: str) -> None:
        self._line, self._id = line, conversation
        self.graph_of: str | None = None

    async def on_turn(self, begun: TurnBegun) -> None:
        """Send the start of a turn without earlier turns, and the graph only if it has changed."""
        graph = None
        if begun.graph is not None and begun.graph_of != self.graph_of:
            graph = await compute(serialize_graph, begun.graph)
            self.graph_of = begun.graph_of
        await self._line.ask(("turn", self._id, replace(begun, history=(), graph=graph)))

    def on_event(self, index: int, event: Event, call: ToolCall | None) -> None:
        """Send an event."""
        self._line.send(("event", self._id, index, event, call))

    async def on_answer(self, index: int, turn: Turn) -> None:
        """Send an answer."""
        await self._line.ask(("answer", self._id, index, turn))


def watched_trace(watcher: Watcher, index: int, context: TurnContext) -> Trace:
    """Return a trace for a turn that forwards every event to a watcher."""

    def forward(event: Event) -> None:
        # The call is recorded before its event.
        watcher.on_event(index, event, context.tool_calls[-1] if isinstance(event, ToolCalled) else None)

    return Trace(forward)


async def replay_events(
    watcher: Watcher, turns: Sequence[Turn], broken: Turn | None, exchanges: "Sequence[Exchange]", *, chained: bool
) -> None:
    """Notify a watcher of turns that ran in another process; the exchanges of a turn come before its events."""
    for index, turn in enumerate([*turns, *([broken] if broken else [])]):
        seen = tuple(turns[:index]) if chained else ()
        await watcher.on_turn(TurnBegun(index, turn.question, turn.started, seen, turn.references))
        for exchange in exchanges:
            if exchange.place.turn == index:
                watcher.on_exchange(exchange)
        for event in turn.events:
            called = turn.tool_calls[event.call - 1] if isinstance(event, ToolCalled) else None
            watcher.on_event(index, event, called)
        if turn is not broken:
            await watcher.on_answer(index, turn)
