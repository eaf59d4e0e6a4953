"""Writes a conversation into the store while it runs.

It does not buffer results: if the process dies, only work in progress is lost.
"""

import asyncio
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from quaestor.conversation.events import Event, dump_events
from quaestor.conversation.turn import ToolCall, Turn
from quaestor.core import serial
from quaestor.core.computing import compute
from quaestor.evaluation.recording import (
    TurnPlace,
    prompt_record,
    replace_surrogates,
    serialize_graph,
    turn_record,
    turn_status,
)
from quaestor.evaluation.watchers import TurnBegun, Watcher
from quaestor.store.base import RunStore
from quaestor.store.records import TurnRecord

if TYPE_CHECKING:
    from quaestor.llm.transcript import Exchange


class Journal(Watcher):
    """Watcher that writes to a store; `graph_of` is the digest of the document whose graph is stored."""

    def __init__(self, store: RunStore, place: TurnPlace, *, live: bool) -> None:
        """Set the store, the run and the conversation; `live` also stores unfinished turns."""
        self.place, self.was_notified = place, False
        self.graph_of: str | None = None
        self._store, self._live = store, live
        self._begun: TurnBegun | None = None
        self._events: list[Event] = []
        self._calls: list[ToolCall] = []
        self._draft: TurnRecord | None = None
        self._exchanges: deque[Exchange] = deque()
        self._logged: set[tuple[int, int]] = set()
        self._changed = False
        self._writing: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def on_turn(self, begun: TurnBegun) -> None:
        """Store the question, and before it the graph unless it is already stored."""
        self._loop = asyncio.get_running_loop()
        if begun.graph is not None and begun.graph_of != self.graph_of:
            written = await compute(serialize_graph, begun.graph)
            await self._store.save_graph(self.place.run, self.place.conversation, written)
            self.graph_of = begun.graph_of
        self.was_notified, self._begun, self._events, self._calls, self._draft = True, begun, [], [], None
        if self._live:
            await self._store.save_turn(self._snapshot())

    def on_event(self, index: int, event: Event, call: ToolCall | None) -> None:
        """Schedule storing of the unfinished turn."""
        self._events.append(event)
        if call is not None:
            self._calls.append(call)
        self._changed = True
        if self._live and self._loop is not None:
            self._loop.call_soon_threadsafe(self._wake)

    def on_exchange(self, exchange: "Exchange") -> None:
        """Schedule storing of a request and its reply."""
        self._exchanges.append(exchange)
        self._wake()

    async def on_answer(self, index: int, turn: Turn) -> None:
        """Store the turn, and wait until everything is written."""
        begun = self._begun
        assert begun is not None
        await self.settle()
        await self._store.save_turn(turn_record(self.place.at(index), turn, begun.history))

    async def on_broken(self, index: int, turn: Turn) -> None:
        """Store a failed turn as far as it got, and wait until everything is written."""
        history = self._begun.history if self._begun is not None else ()
        await self.settle()
        status = turn_status(turn.events)
        await self._store.save_turn(await compute(turn_record, self.place.at(index), turn, history, status))

    async def settle(self) -> None:
        """Wait for pending writes; later events of the turn are part of its final record."""
        while self._writing is not None:
            writing, self._writing = self._writing, None
            await writing
        self._begun = None

    async def keep(self, exchange: "Exchange") -> None:
        """Store a request and its reply, unless already stored."""
        key = (exchange.place.turn, exchange.number)
        if key not in self._logged:
            self._logged.add(key)
            record = prompt_record(exchange, self.place.attempt)
            # The session may lack a run id, such as for interactive questions.
            await self._store.log_prompt(replace(record, run=self.place.run, conversation=self.place.conversation))

    def _wake(self) -> None:
        # A failed task is left for `settle`, which raises its error.
        if self._writing is None or (self._writing.done() and not _has_failed(self._writing)):
            self._writing = asyncio.get_running_loop().create_task(self._write())

    async def _write(self) -> None:
        while self._exchanges or self._changed:
            while self._exchanges:
                await self.keep(self._exchanges.popleft())
            # Exchanges are not part of the turn, so it is stored only if there are events.
            changed, self._changed = self._changed, False
            if changed and self._live and self._begun is not None:
                await self._store.save_turn(self._snapshot())

    def _snapshot(self) -> TurnRecord:
        """Return the unfinished turn; only events since the last snapshot are serialised.

        This is not done in another thread, which would block the event loop as long and add overhead.
        """
        before = self._draft or self._first()
        calls, events = self._calls[len(before.tool_calls) :], self._events[len(before.events) :]
        # New lists each time, as a store may keep the ones it was given.
        self._draft = replace(
            before,
            events=before.events + replace_surrogates(dump_events(events)),
            tool_calls=before.tool_calls + replace_surrogates([serial.dump(call) for call in calls]),
            status="understanding_complete" if before.status != "understanding" else turn_status(events),
        )
        return self._draft

    def _first(self) -> TurnRecord:
        """Return the record of the turn at its start."""
        begun = self._begun
        assert begun is not None
        record = turn_record(self.place.at(begun.index), begun.unanswered(None), begun.history, "understanding")
        return replace(record, finished=None)


def _has_failed(task: asyncio.Task[None]) -> bool:
    return task.cancelled() or task.exception() is not None
