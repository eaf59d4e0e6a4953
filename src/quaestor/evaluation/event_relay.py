"""What happens in a conversation that a worker process plays, told to the process that started it."""

from dataclasses import replace

from quaestor.conversation.events import Event
from quaestor.conversation.turn import ToolCall, Turn
from quaestor.core.computing import compute
from quaestor.core.loop_workers import WorkerLine
from quaestor.evaluation.recording import written_graph
from quaestor.evaluation.watchers import TurnBegun, Watcher


class EventRelay(Watcher):
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
        graph = None
        if begun.graph is not None and begun.graph_of != self.graph_of:
            graph = await compute(written_graph, begun.graph)
            self.graph_of = begun.graph_of
        await self._line.ask(("turn", self._id, replace(begun, history=(), graph=graph)))

    def on_event(self, index: int, event: Event, call: ToolCall | None) -> None:
        """Tell of an event."""
        self._line.send(("event", self._id, index, event, call))

    async def on_answer(self, index: int, turn: Turn) -> None:
        """Tell of an answer."""
        await self._line.ask(("answer", self._id, index, turn))
