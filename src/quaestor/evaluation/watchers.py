"""Watchers of conversations: notified of every turn, event and exchange with a model when it happens.

A watcher changes nothing about the answers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import Event, ToolCalled, Trace
from quaestor.conversation.references.expressions import References
from quaestor.conversation.turn import ToolCall, Turn
from quaestor.evaluation.recording import TurnPlace
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.llm.usage import Usage
from quaestor.solvers.base import TurnContext
from quaestor.store.contents import WrittenGraph
from quaestor.store.records import ExampleStatus, now

if TYPE_CHECKING:
    from quaestor.llm.transcript import Exchange


@dataclass(frozen=True, slots=True)
class TurnBegun:
    """A question is put.

    Attributes:
        index: The turn's place in the conversation, from 0.
        history: The turns that the solver sees as the conversation so far.
        references: What the question refers to of them, by rule.
        graph_of: The digest of the page, or of all that was shown of a long document so far.
        graph: Its graph, also as it is stored; None if it is known already, or that is told after the fact.
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
        """Return the turn as far as it came, without an answer.

        Args:
            error: Why there is none; None if there may still be one.
        """
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
    """Hears of one conversation, in the order in which things happen; of what it does not define it takes no notice."""

    async def on_turn(self, begun: TurnBegun) -> None:
        """A question is put; the solver begins when this returns."""

    def on_event(self, index: int, event: Event, call: ToolCall | None) -> None:
        """Something happened in a turn. Told in the thread where it happened.

        Args:
            index: The turn's place in the conversation, from 0.
        """

    def on_exchange(self, exchange: "Exchange") -> None:
        """A model was asked, and replied or did not."""

    async def on_answer(self, index: int, turn: Turn) -> None:
        """A turn came to its end; the next begins when this returns."""


class Observer(Watcher):
    """A Watcher that is also notified of the end of a conversation, whichever process ran it."""

    async def on_end(self, status: ExampleStatus, error: str | None) -> None:
        """The conversation came to its end."""


ObserverFactory = Callable[[TurnPlace], Observer]
"""Returns the observer of an attempt at a conversation."""


class Watchers(Watcher):
    """Several watchers as one."""

    def __init__(self, watchers: Sequence[Watcher]) -> None:
        self._watchers = tuple(watchers)

    async def on_turn(self, begun: TurnBegun) -> None:
        """Tell all."""
        for watcher in self._watchers:
            await watcher.on_turn(begun)

    def on_event(self, index: int, event: Event, call: ToolCall | None) -> None:
        """Tell all.

        Args:
            index: The turn's place in the conversation, from 0.
        """
        for watcher in self._watchers:
            watcher.on_event(index, event, call)

    def on_exchange(self, exchange: "Exchange") -> None:
        """Tell all."""
        for watcher in self._watchers:
            watcher.on_exchange(exchange)

    async def on_answer(self, index: int, turn: Turn) -> None:
        """Tell all."""
        for watcher in self._watchers:
            await watcher.on_answer(index, turn)


def watched_trace(watcher: Watcher, index: int, context: TurnContext) -> Trace:
    """Return a trace for a turn, of which a watcher hears every event.

    Args:
        index: The turn's place in the conversation, from 0.
    """

    def forward(event: Event) -> None:
        # A call is on record before its event.
        watcher.on_event(index, event, context.tool_calls[-1] if isinstance(event, ToolCalled) else None)

    return Trace(forward)


async def replay_events(
    watcher: Watcher, turns: Sequence[Turn], broken: Turn | None, exchanges: "Sequence[Exchange]", *, chained: bool
) -> None:
    """Tell a watcher of turns that were played where it could not hear them.

    Args:
        turns: In their order.
        broken: The turn after them, where it broke off.
        exchanges: What was asked of a model in all of them; of a turn it is told first, for nobody knows any more what
            happened between two of them.
        chained: Whether each was part of the conversation that the next one saw.
    """
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
