"""What happens in an open conversation, told to whoever asked in it, in the event loop."""

import asyncio
from collections.abc import Callable

from quaestor.conversation.events import Event
from quaestor.conversation.turn import ToolCall, Turn
from quaestor.evaluation.watching import TurnBegun
from quaestor.llm.transcript import Exchange

Listener = Callable[[str, Event | Turn], None]
"""Is told in the event loop of a question of the conversation, and of what happens in it or how it is answered."""


class EventForwarder:
    """The watcher of an open conversation: tells whoever asked, in the event loop."""

    def __init__(self) -> None:
        """Tell nobody yet. Made in the event loop that listeners are told in."""
        self.listener: Listener | None = None
        self._loop = asyncio.get_running_loop()
        self._question = ""

    async def on_turn(self, begun: TurnBegun) -> None:
        """Remembers which question is being answered."""
        self._question = begun.question

    def on_event(self, index: int, event: Event, call: ToolCall | None) -> None:
        """Tell of an event, in whatever thread it happened.

        Args:
            index: The turn's place in the conversation, from 0.
        """
        if (listener := self.listener) is not None:
            # Told in the thread where it happened.
            self._loop.call_soon_threadsafe(listener, self._question, event)

    def on_exchange(self, exchange: Exchange) -> None:
        """Tell nobody: what a model is asked is on record in the store."""

    async def on_answer(self, index: int, turn: Turn) -> None:
        """Tell of an answer."""
        if (listener := self.listener) is not None:
            self._loop.call_soon_threadsafe(listener, self._question, turn)
