"""Traces of conversations while they are played: a folder, a file a conversation, a line for each thing that happens.

A line is on disk when the next thing happens, so what a process that was killed has done can be read. `traces` writes
the same of stored runs, a line a turn.
"""

import hashlib
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self, TextIO
from urllib.parse import quote

from pydantic import JsonValue

from quaestor.application.files import OutputFolder, json_line
from quaestor.conversation.events import Event, dump_events
from quaestor.conversation.turn import ToolCall, Turn
from quaestor.core import serial
from quaestor.errors import StoreError
from quaestor.evaluation.recording import TurnPlace, prompt_record, storable, turn_record
from quaestor.evaluation.watchers import Observer, TurnBegun
from quaestor.store.records import ExampleStatus, now

if TYPE_CHECKING:
    from quaestor.llm.transcript import Exchange

_LONGEST = 200
"""Characters of a file's name; file systems take 255."""

_OF_THE_TURN = ("number", "program", "verified", "error", "answer", "registers", "usage", "started", "finished")
PROMPT_FIELDS = ("number", "phase", "model", "prompt", "response", "started", "finished", "usage", "error")


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """Where traces are to be written."""

    folder: Path
    inputs: Sequence[Path] = ()
    force: bool = False
    go_on: bool = False

    def opened(self, conversations: Sequence[str]) -> "TraceFolder":
        """Return the folder, for conversations of these ids."""
        names = [trace_name(conversation) for conversation in conversations]
        output = OutputFolder(self.folder, names, self.inputs, self.force or self.go_on)
        output.require_free()
        return TraceFolder(output, go_on=self.go_on)


def trace_name(conversation: str) -> str:
    """Return the name of a conversation's file: its id, with `%2F` for a slash.

    >>> trace_name("Single_NORD/2012/page_41.pdf-1")
    'Single_NORD%2F2012%2Fpage_41.pdf-1.jsonl'
    """
    name = quote(conversation, safe=" ", errors="replace")
    if len(name) > _LONGEST or name.startswith("."):
        digest = hashlib.sha256(conversation.encode("utf-8", "replace")).hexdigest()
        name = f"{name.lstrip('.')[:_LONGEST]}-{digest[:12]}"
    return f"{name}.jsonl"


class TraceFolder:
    """An open folder of traces. Leaving the block closes its files."""

    def __init__(self, output: OutputFolder, *, go_on: bool) -> None:
        """Take the folder, and whether files that are there are added to."""
        self._output, self._go_on, self._files = output, go_on, ExitStack()
        self._begun: set[str] = set()

    def __enter__(self) -> Self:
        """Return the folder."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the files."""
        self._files.close()

    def observe(self, place: TurnPlace) -> "TraceFile":
        """Return what writes the trace of an attempt at a conversation."""
        name = trace_name(place.conversation)
        # A conversation that is begun again goes on in the file that this run has begun.
        file = self._output.growing(name, go_on=self._go_on or name in self._begun)
        self._begun.add(name)
        return TraceFile(self._files.enter_context(file), place)


class TraceFile(Observer):
    """Write a line for each thing that happens."""

    def __init__(self, file: TextIO, place: TurnPlace) -> None:
        """Take an open file, and the conversation whose trace it is."""
        self._file, self._place, self._lock = file, place, threading.Lock()
        self._history: tuple[Turn, ...] = ()
        self._failure: OSError | None = None

    async def on_turn(self, begun: TurnBegun) -> None:
        """Write the question, and what it refers to."""
        self._history = begun.history
        fields: dict[str, JsonValue] = {
            "question": begun.question,
            "seen": len(begun.history),
            "references": serial.dump(begun.references),
        }
        self._write("asked", begun.index, fields)

    def on_event(self, index: int, event: Event, call: ToolCall | None) -> None:
        """Write what happened."""
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
        self._write("answered", index, fields | {name: record[name] for name in _OF_THE_TURN})
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
        text = json_line(storable(line | fields))
        try:
            with self._lock:
                self._file.write(text)
                self._file.flush()
        except OSError as error:
            # Said at the end of the turn: a solver that something happens in is not to blame.
            self._failure = error
