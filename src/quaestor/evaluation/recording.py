"""Result of a conversation, and conversion of its turns and exchanges into records of the run store."""

import json
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from quaestor.conversation.events import Event, NotUnderstood, PlanProposed, Understood, ValuesNamed, dump_events
from quaestor.conversation.turn import Correction, Turn
from quaestor.core import serial
from quaestor.core.answer_value import value_to_text
from quaestor.core.caching import BoundedCache
from quaestor.core.quantity import Scale
from quaestor.core.serial import Triple
from quaestor.errors import (
    BudgetExceededError,
    DocumentError,
    EngineError,
    GraphError,
    InputError,
    ModelError,
    OntologyError,
    OutageError,
    PlanError,
    QuaestorError,
    SettingsError,
    StoreError,
)
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.llm.usage import Usage
from quaestor.plan.program import to_program
from quaestor.plan.steps import Plan
from quaestor.store.contents import WrittenGraph
from quaestor.store.records import CorrectionRecord, ExampleStatus, PromptRecord, TurnRecord, TurnStatus

if TYPE_CHECKING:
    from quaestor.llm.transcript import Exchange


FROZEN = "frozen"
"""Statistic that marks a graph as loaded from the store instead of built."""


@dataclass(frozen=True, slots=True)
class ConversationResult:
    """Result of a conversation.

    Attributes:
        status: `complete`, `failed` (a page without a graph, an error in the solver) or `outage`.
        graph: The triples of the graph of the page, or of everything shown of a long document; may be empty.
        end: An error that affects every other conversation of the run too: the budget is used up; the model, key,
            server or recording is missing; or the solver lacks a setting, a model or its weights.
    """

    started: datetime
    finished: datetime
    turns: tuple[Turn, ...] = ()
    broken: Turn | None = None
    status: ExampleStatus = "complete"
    error: str | None = None
    graph: tuple[Triple, ...] = ()
    graph_of: str | None = None
    kg_stats: Mapping[str, int | str] = field(default_factory=dict)
    exchanges: "tuple[Exchange, ...]" = ()
    usage: Usage = field(default_factory=Usage)
    end: QuaestorError | None = None


_MISCONFIGURED = (SettingsError, ModelError, OntologyError, StoreError, EngineError)
"""Errors that affect every other conversation of a run too."""


def status_for_failure(failure: Exception) -> ExampleStatus:
    """Return the status of a conversation that ended with a failure."""
    return "outage" if isinstance(failure, (OutageError, *_MISCONFIGURED)) else "failed"


def fatal_error(failure: Exception | None) -> QuaestorError | None:
    """Return the failure if it affects every other conversation of the run too; else None."""
    if isinstance(failure, OutageError):
        # Wrong input and a used-up budget end the run; a failing service may answer the next conversation.
        return failure if isinstance(failure, InputError | BudgetExceededError) else None
    return failure if isinstance(failure, _MISCONFIGURED) else None


def describe_failure(failure: Exception) -> str:
    """Return the message to store for a failure; for an unexpected error with its place in the code."""
    if isinstance(failure, (OutageError, GraphError, DocumentError, *_MISCONFIGURED)):
        return named_failure(failure)
    frame = traceback.extract_tb(failure.__traceback__)[-1]
    return f"{named_failure(failure)} (in {frame.name}, {Path(frame.filename).name}:{frame.lineno})"


def named_failure(failure: Exception) -> str:
    """Return the type and the message of a failure."""
    return f"{type(failure).__name__}: {failure}"


_WRITTEN = 8 << 20
"""Maximum number of characters of serialised graphs in the cache."""

_written = BoundedCache[tuple[str, str, str], WrittenGraph](_WRITTEN, lambda graph: len(graph.text))


def stored_counts(usage: Usage) -> dict[str, int]:
    """Return usage in its stored form; empty if nothing was used."""
    return usage.counts() if usage != Usage() else {}


def prompt_record(exchange: "Exchange", attempt: int = 1) -> PromptRecord:
    """Return the record of an exchange, for an attempt at its conversation."""
    error = exchange.error
    if error is None and exchange.status is not None and exchange.status >= 400:
        error = f"status {exchange.status}"
    return PromptRecord(
        run=exchange.place.run,
        conversation=exchange.place.conversation,
        turn=exchange.place.turn,
        number=exchange.number,
        phase=exchange.phase,
        model=exchange.model,
        prompt=replace_surrogates(exchange.request),
        response=replace_surrogates(exchange.response),
        started=exchange.started,
        finished=exchange.finished,
        usage=exchange.usage.counts(),
        error=replace_surrogates(error),
        attempt=attempt,
    )


@dataclass(frozen=True, slots=True)
class TurnPlace:
    """Place of a turn: run, conversation, index and attempt."""

    run: str
    conversation: str
    index: int = 0
    attempt: int = 1

    def at(self, index: int) -> "TurnPlace":
        """Return the place of another turn in the conversation."""
        return replace(self, index=index)


def turn_records(place: TurnPlace, turns: Sequence[Turn], *, chained: bool = True) -> tuple[TurnRecord, ...]:
    """Return the records of all turns of a conversation."""
    return tuple(
        turn_record(place.at(index), turn, turns[:index] if chained else ()) for index, turn in enumerate(turns)
    )


def turn_record(place: TurnPlace, turn: Turn, history: Sequence[Turn], status: TurnStatus = "complete") -> TurnRecord:
    """Return the record of a turn."""
    answer = replace_surrogates(serial.dump(turn.answer))
    return TurnRecord(
        run=place.run,
        conversation=place.conversation,
        index=place.index,
        question=turn.question,
        answer=answer,
        program=program_of(turn, history),
        number=None if turn.answer.value is None else replace_surrogates(value_to_text(turn.answer.value)),
        verified=turn.verified,
        started=turn.started,
        finished=turn.finished,
        error=replace_surrogates(turn.error),
        sources=answer["sources"],
        events=replace_surrogates(dump_events(turn.events)),
        references=replace_surrogates(serial.dump(turn.references)),
        tool_calls=replace_surrogates([serial.dump(call) for call in turn.tool_calls]),
        usage=stored_counts(turn.usage),
        history=replace_surrogates([_memory_object(earlier) for earlier in history]),
        registers=replace_surrogates([serial.dump(register, compact=True) for register in turn.registers]),
        status=status,
        attempt=place.attempt,
    )


def correction_record(place: TurnPlace, correction: Correction) -> CorrectionRecord:
    """Return the record of a correction, for the attempt of `place`."""
    written = replace_surrogates(serial.dump(correction))
    return CorrectionRecord(
        run=place.run,
        conversation=place.conversation,
        number=correction.number,
        act=written["act"],
        turns=correction.turns,
        author=written["author"],
        made=correction.time,
        reason=written["reason"],
        changes=written["changes"],
        attempt=place.attempt,
    )


def correction_of_record(record: CorrectionRecord) -> Correction:
    """Restore a correction from its record."""
    values = {name: getattr(record, name) for name in ("number", "act", "turns", "author", "reason", "changes")}
    return serial.restore(Correction, values | {"time": record.made})


def turn_status(events: Iterable[Event]) -> TurnStatus:
    """Return the status of an unfinished turn: whether the solver has understood the question."""
    understood = any(isinstance(event, Understood | NotUnderstood | ValuesNamed | PlanProposed) for event in events)
    return "understanding_complete" if understood else "understanding"


def _answering(turn: Turn) -> Plan | None:
    return turn.answer.plan if turn.answer.value is not None else None


def _memory_object(turn: Turn) -> dict[str, JsonValue]:
    """Return a turn as seen by later turns: the question and the answer."""
    answer = turn.answer
    fields: dict[str, JsonValue] = {"question": turn.question, "answer": None}
    if answer.value is not None:
        fields["answer"] = value_to_text(answer.value)
        fields |= {"scale": answer.scale.value} if answer.scale is not Scale.ONE else {}
        fields |= {"unit": answer.unit} if answer.unit else {}
    return fields


def program_of(turn: Turn, history: Sequence[Turn]) -> str | None:
    """Return the program text of a turn's plan, or None without one."""
    plan = _answering(turn)
    try:
        return replace_surrogates(to_program(plan, [_answering(earlier) for earlier in history])) if plan else None
    except PlanError:
        # Program text cannot express some plans (such as the smaller of two numbers); their number still counts.
        return None


def serialize_graph(graph: KnowledgeGraph | WrittenGraph) -> WrittenGraph:
    """Serialise a graph for storage, cached for conversations about the same page."""
    if isinstance(graph, WrittenGraph):
        return graph
    key = graph.document, graph.digest_of_document, graph.ontology
    return _written.get(key, lambda: WrittenGraph.of(map(storable_triple, graph.triples())))


def storable_triple(triple: Triple) -> Triple:
    """Return a triple with text that every store supports."""
    return triple if triple.o.isascii() else Triple(triple.s, triple.p, replace_surrogates(triple.o))


def replace_surrogates(value: Any) -> Any:
    """Return JSON with text that every store supports: unpaired surrogates become question marks."""
    if value is None or (isinstance(value, str) and value.isascii()):
        return value
    written = json.dumps(value, ensure_ascii=False)
    try:
        written.encode()
    except UnicodeEncodeError:
        return json.loads(written.encode("utf-8", "replace"))
    return value
