"""Traces of running conversations: a folder with one file per conversation and one line per event.

Each line is on disk before the next event, so that the trace of a killed process is complete up to then. `traces`
writes the same data of stored runs, one line per turn.
"""

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO
from urllib.parse import quote

from pydantic import JsonValue

from quaestor.application.files import OutputFolder, json_line
from quaestor.conversation.events import Event, dump_events
from quaestor.conversation.turn import ToolCall, Turn
from quaestor.core import serial
from quaestor.errors import StoreError
from quaestor.evaluation.recording import TurnPlace, prompt_record, replace_surrogates, turn_record
from quaestor.evaluation.watchers import Observer, TurnBegun
from quaestor.store.records import ExampleStatus, now

if TYPE_CHECKING:
    from quaestor.llm.transcript import Exchange

_LONGEST = 200
"""The maximum number of characters in a file name; file systems allow 255."""

_TURN_FIELDS = ("number", "program", "verified", "error", "answer", "registers", "usage", "started", "finished")
PROMPT_FIELDS = ("number", "phase", "model", "prompt", "response", "started", "finished", "usage", "error")


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """Where traces are written."""

    folder: Path
    inputs: Sequence[Path] = ()
    force: bool = False
    go_on: bool = False

    @contextmanager
    def opened(self, conversations: Sequence[str]) -> "Iterator[Callable[[TurnPlace], TraceFile]]":
        """Yield a function that returns the observer of an attempt at one of some conversations."""
        names = [trace_name(conversation) for conversation in conversations]
        output = OutputFolder(self.folder, names, self.inputs, self.force or self.go_on)
        output.require_free()
        started: set[str] = set()
        with ExitStack() as files:

            def observe(place: TurnPlace) -> TraceFile:
                name = trace_name(place.conversation)
                # A restarted conversation is appended to the file that this run created.
                file = output.growing(name, go_on=self.go_on or name in started)
                started.add(name)
                return TraceFile(files.enter_context(file), place)

            yield observe


def trace_name(conversation: str) -> str:
    """Return the file name of a conversation: its id, with `%2F` for a slash.

    >>> trace_name("Single_NORD/2012/page_41.pdf-1")
    'Single_NORD%2F2012%2Fpage_41.pdf-1.jsonl'
    """
    name = quote(conversation, safe=" ", errors="replace")
    if len(name) > _LONGEST or name.startswith("."):
        digest = hashlib.sha256(conversation.encode("utf-8", "replace")).hexdigest()
        name = f"{name.lstrip('.')[:_LONGEST]}-{digest[:12]}"
    return f"{name}.jsonl"


class TraceFile(Observer):
    """Observer that writes a line for each event."""

    def __init__(self, file: TextIO, place: TurnPlace) -> None:
        self._file, self._place, self._lock = file, place, threading.Lock()
        self._history: tuple[Turn, ...] = ()
        self._failure: OSError | None = None

    async def on_turn(self, begun: TurnBegun) -> None:
        """Write the question and its references to earlier turns."""
        self._history = begun.history
        fields: dict[str, JsonValue] = {
            "question": begun.question,
            "seen": len(begun.history),
            "references": serial.dump(begun.references),
        }
        self._write("asked", begun.index, fields)

    def on_event(self, index: int, event: Event, call: ToolCall | None) -> None:
        """Write an event, with its tool call if it has one."""
        (dumped,) = dump_events([event])
        self._write("happened", index, {"event": dumped} | ({} if call is None else {"call": serial.dump(call)}))

    def on_exchange(self, exchange: "Exchange") -> None:
        """Write a request to a model, and its reply."""
        record = serial.dump(prompt_record(exchange, self._place.attempt))
        self._write("prompted", exchange.place.turn, {name: record[name] for name in PROMPT_FIELDS})

    async def on_answer(self, index: int, turn: Turn) -> None:
        """Write the answer."""
        record = serial.dump(turn_record(self._place.at(index), turn, self._history))
        fields = {"kind": turn.answer.kind, "answerable": turn.answer.answerable}
        self._write("answered", index, fields | {name: record[name] for name in _TURN_FIELDS})
        if self._failure is not None:
            raise StoreError(f"cannot write {self._file.name}: {self._failure.strerror}") from self._failure

    async def on_end(self, status: ExampleStatus, error: str | None) -> None:
        """Write how the conversation ended, and close the file."""
        self._write("ended", None, {"status": status, "error": error})
        self._file.close()

    def _write(self, what: str, index: int | None, fields: dict[str, JsonValue]) -> None:
        place = self._place
        line: dict[str, JsonValue] = {
            "at": now().isoformat(timespec="milliseconds"),
            "run": place.run,
            "conversation": place.conversation,
            "attempt": place.attempt,
            "turn": index,
            "what": what,
        }
        text = json_line(replace_surrogates(line | fields))
        try:
            with self._lock:
                self._file.write(text)
                self._file.flush()
        except OSError as error:
            # Raised at the end of the turn, so that the error is not attributed to the solver.
            self._failure = error
