"""How records look in MongoDB: the names of their fields, and the indexes of the collections.

Field by field, not through JSON: times are dates there, and can be compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, fields
from datetime import datetime
from typing import Any, TypeVar

from pydantic import JsonValue

from quaestor.store.records import (
    ConversationRecord,
    CorrectionRecord,
    GraphKey,
    PromptRecord,
    RunRecord,
    TurnRecord,
)
from quaestor.store.turn_classes import classes_of
from quaestor.store.turn_measures import TurnMeasures, measure_turn

Record = TypeVar("Record", RunRecord, ConversationRecord, TurnRecord, PromptRecord, CorrectionRecord)

SCHEMA_VERSION = 7

_PLACE = {"run": "runId", "conversation": "conversationId"}
_SPAN = {"started": "startedAt", "finished": "completedAt"}
# Fields that are not listed keep their name.
_KEYS: Mapping[type, Mapping[str, str]] = {
    RunRecord: {"id": "runId", "spec": "config", "spec_digest": "specDigest", "dataset_digest": "datasetDigest"}
    | _SPAN,
    ConversationRecord: {"turns": "numTurns", "document": "documentId", "kg_stats": "kgStats"} | _PLACE | _SPAN,
    TurnRecord: {"index": "turnIndex", "tool_calls": "toolCalls", "history": "conversationHistory"} | _PLACE | _SPAN,
    PromptRecord: {"turn": "turnIndex", "started": "timestamp", "finished": "completedAt"} | _PLACE,
    CorrectionRecord: {"turns": "numTurns", "made": "timestamp"} | _PLACE,
}

Index = tuple[Mapping[str, int], bool]
"""Keys with their direction, and whether it is unique."""

_RUN_AND_CONVERSATION = {"runId": 1, "conversationId": 1}
_PAGE = {"documentId": 1, "digest": 1, "ontology": 1, "version": 1}
_SPO = {"s": 1, "p": 1, "o": 1, "type": 1}

INDEXES: Mapping[str, Sequence[Index]] = {
    "ontologies": [({"digest": 1}, True)],
    "ontology": [(_SPO | {"digest": 1}, True), ({"type": 1}, False), ({"digest": 1}, False)],
    "graphs": [(_RUN_AND_CONVERSATION, True), ({"content": 1}, False)],
    "frozen_graphs": [(_PAGE, True), ({"ontology": 1}, False), ({"content": 1}, False)],
    "contents": [({"base": 1}, False), ({"usedAt": 1}, False)],
    "content_parts": [({"content": 1, "part": 1}, True), ({"createdAt": 1}, False)],
    "evaluation_runs": [({"runId": 1}, True), ({"startedAt": -1}, False)],
    "examples": [
        ({"runId": 1, "exampleId": 1}, True),
        (_RUN_AND_CONVERSATION, False),
        ({"runId": 1, "status": 1}, False),
    ],
    # The attempt is in the key because two processes may play one conversation; only one of them completes it.
    "turns": [
        (_RUN_AND_CONVERSATION | {"turnIndex": 1, "attempt": 1}, True),
        # What the figures of a run are made of, so that no turn is read for them.
        (
            {"runId": 1}
            | {f"measures.{item.name}": 1 for item in fields(TurnMeasures)}
            | dict.fromkeys(("number", "verified", "status", "superseded"), 1),
            False,
        ),
        ({"runId": 1, "classes.operation": 1, "classes.origin": 1, "classes.kind": 1, "classes.confidence": 1}, False),
    ],
    "prompt_logs": [
        (_RUN_AND_CONVERSATION | {"turnIndex": 1, "number": 1, "attempt": 1}, True),
        ({"phase": 1}, False),
        # What is freed is looked up by both.
        ({"prompt": 1}, False),
        ({"response": 1}, False),
    ],
    "corrections": [(_RUN_AND_CONVERSATION | {"number": 1, "attempt": 1}, True)],
}

OUTDATED: Mapping[str, Sequence[Mapping[str, int]]] = {
    "prompt_logs": [_RUN_AND_CONVERSATION | {"turnIndex": 1, "number": 1}],
}
"""Keys of indexes that earlier versions made, and that are in the way now."""


def to_document(
    record: RunRecord | ConversationRecord | TurnRecord | PromptRecord | CorrectionRecord,
) -> dict[str, Any]:
    """Return a record as MongoDB keeps it, with what is there for people only."""
    keys = _KEYS[type(record)]
    document = {keys.get(item.name, item.name): getattr(record, item.name) for item in fields(record)}
    if isinstance(record, ConversationRecord):
        document["exampleId"] = record.conversation
    if isinstance(record, TurnRecord | PromptRecord) and record.finished is not None:
        document["durationMs"] = round((record.finished - record.started).total_seconds() * 1000)
    if isinstance(record, TurnRecord):
        document["understanding"] = _understanding(record)
        document["classes"] = asdict(classes_of(record.answer))
        document["measures"] = asdict(measure_turn(record))
        document["toolCalls"] = [_dated(call) for call in record.tool_calls]
    return document


def _understanding(turn: TurnRecord) -> JsonValue:
    """Return what the solver said that the question asks for, last; None if it said nothing."""
    readings = {"understood": "reading", "values_named": "wanted", "plan_proposed": "plan"}
    said = (event for event in reversed(turn.events) if isinstance(event, dict))
    return next((event[readings[str(event["kind"])]] for event in said if event["kind"] in readings), None)


def _dated(call: JsonValue) -> Any:
    """Return a call of a tool with its time as a date besides."""
    began = call.get("started") if isinstance(call, dict) else None
    return (
        {**call, "timestamp": datetime.fromisoformat(began)}
        if isinstance(call, dict) and isinstance(began, str)
        else call
    )


def attempt_number(document: Mapping[str, Any]) -> int:
    """Return which attempt a document is of; those of earlier versions have no number, and are the first."""
    found = document.get("attempt")
    return found if isinstance(found, int) else 1


def conversation_key(run: str, conversation: str) -> dict[str, Any]:
    """Return the fields by which what belongs to a conversation of a run is found."""
    return {"runId": run, "conversationId": conversation}


def to_key(key: GraphKey) -> dict[str, str]:
    """Return the fields by which a frozen graph is found."""
    return dict(zip(_PAGE, astuple(key), strict=True))


def from_key(document: Mapping[str, Any]) -> GraphKey:
    """Return the key that `to_key` wrote."""
    return GraphKey(*(document[name] for name in _PAGE))


def from_document(kind: type[Record], document: Mapping[str, Any]) -> Record:
    """Return the record that `to_document` wrote, be it before a field was added; other fields are left aside."""
    keys = _KEYS[kind]
    if kind is TurnRecord and "events" not in document and (text := document.get("understanding")):
        document = {**document, "events": [{"text": text, "kind": "note"}]}
    if "attempt" in document:
        document = {**document, "attempt": attempt_number(document)}
    if kind is TurnRecord:
        document = {**document, "toolCalls": [_undated(call) for call in document.get("toolCalls", ())]}
    found = {item.name: keys.get(item.name, item.name) for item in fields(kind)}
    return kind(**{name: document[key] for name, key in found.items() if key in document})


def _undated(call: Any) -> JsonValue:
    return {name: value for name, value in call.items() if name != "timestamp"} if isinstance(call, dict) else call
