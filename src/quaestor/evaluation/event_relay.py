"""What happens in a conversation that a worker process plays, told to the process that started it."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from quaestor.conversation.events import Event
from quaestor.conversation.turn import ToolCall, Turn
from quaestor.core.computing import compute
from quaestor.core.loop_workers import WorkerLine
from quaestor.evaluation.watchers import TurnBegun
from quaestor.store.contents import WrittenGraph

if TYPE_CHECKING:
    from quaestor.llm.transcript import Exchange


@dataclass(frozen=True, slots=True)
class ReceivedGraph:
    """A graph that another process has built. A `GraphInfo`."""

    digest_of_document: str
    text: WrittenGraph

    def written(self) -> WrittenGraph:
        """Return it as it is stored."""
        return self.text


class EventRelay:
    """The Watcher of a worker: tells what it hears, and goes on when that is written.

    Attributes:
        graph_of: The digest of what the graph is of that was told last, or None.
    """

    def __init__(self, line: WorkerLine, conversation: str) -> None:
        """Take the way to the process that started this one, and the id of the conversation."""
        self._line, self._id = line, conversation
        self.graph_of: str | None = None

    async def on_turn(self, begun: TurnBegun) -> None:
        """Tell that a question is put, without the turns before it; the graph only if it is another one."""
        seen = begun.graph
        if seen is not None:
            new = seen.digest_of_document != self.graph_of
            self.graph_of = seen.digest_of_document
            seen = ReceivedGraph(self.graph_of, await compute(seen.written)) if new else None
        await self._line.ask(("turn", self._id, replace(begun, history=(), graph=seen)))

    def on_event(self, index: int, event: Event, call: ToolCall | None) -> None:
        """Tell of an event."""
        self._line.send(("event", self._id, index, event, call))

    def on_exchange(self, exchange: "Exchange") -> None:
        """The meter has told of it."""

    async def on_answer(self, index: int, turn: Turn) -> None:
        """Tell of an answer."""
        await self._line.ask(("answer", self._id, index, turn))
