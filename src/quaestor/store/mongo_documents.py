"""How records look in MongoDB: the names of their fields, and the indexes of the collections.

Owns the form that a person meets in mongosh; `docs/inspection.md` describes it. Field by field, not through JSON:
times are dates there, and can be compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from quaestor.store.records import ConversationRecord, PromptRecord, RunRecord, TurnRecord

Record = TypeVar("Record", RunRecord, ConversationRecord, TurnRecord, PromptRecord)

SCHEMA_VERSION = 1

_PLACE = {"run": "runId", "conversation": "conversationId"}
_SPAN = {"started": "startedAt", "finished": "completedAt"}
# Fields that are not listed keep their name.
_KEYS: Mapping[type, Mapping[str, str]] = {
    RunRecord: {"id": "runId", "spec": "config", "spec_digest": "specDigest", "dataset_digest": "datasetDigest"}
    | _SPAN,
    ConversationRecord: {"turns": "numTurns", "document": "documentId", "kg_stats": "kgStats"} | _PLACE | _SPAN,
    TurnRecord: {"index": "turnIndex", "tool_calls": "toolCalls"} | _PLACE | _SPAN,
    PromptRecord: {"turn": "turnIndex", "started": "timestamp", "finished": "completedAt"} | _PLACE,
}

Index = tuple[Mapping[str, int], bool]
"""Keys with their direction, and whether it is unique."""

_RUN_AND_CONVERSATION = {"runId": 1, "conversationId": 1}
_SPO = {"s": 1, "p": 1, "o": 1, "type": 1}

INDEXES: Mapping[str, Sequence[Index]] = {
    "ontologies": [({"digest": 1}, True)],
    "ontology": [(_SPO | {"digest": 1}, True), ({"type": 1}, False), ({"digest": 1}, False)],
    "graphs": [(_RUN_AND_CONVERSATION, True)],
    "instances": [(_SPO | _RUN_AND_CONVERSATION, True), ({"type": 1} | _RUN_AND_CONVERSATION, False)],
    "evaluation_runs": [({"runId": 1}, True), ({"startedAt": -1}, False)],
    "examples": [({"runId": 1, "exampleId": 1}, True), ({"runId": 1, "status": 1}, False)],
    # The attempt is in the key because two processes may play one conversation; only one of them completes it.
    "turns": [(_RUN_AND_CONVERSATION | {"turnIndex": 1, "attempt": 1}, True)],
    "prompt_logs": [(_RUN_AND_CONVERSATION | {"turnIndex": 1, "number": 1}, True), ({"phase": 1}, False)],
}


def to_document(record: RunRecord | ConversationRecord | TurnRecord | PromptRecord) -> dict[str, Any]:
    """Returns a record as MongoDB keeps it, with what is there for people only."""
    keys = _KEYS[type(record)]
    document = {keys.get(item.name, item.name): getattr(record, item.name) for item in fields(record)}
    if isinstance(record, ConversationRecord):
        document["exampleId"] = record.conversation
    if isinstance(record, TurnRecord | PromptRecord):
        document["durationMs"] = round((record.finished - record.started).total_seconds() * 1000)
    return document


def from_document(kind: type[Record], document: Mapping[str, Any]) -> Record:
    """Returns the record that `to_document` wrote, be it before a field was added; other fields are left aside."""
    keys = _KEYS[kind]
    if kind is TurnRecord and "events" not in document and (text := document.get("understanding")):
        document = {**document, "events": [{"text": text, "kind": "note"}]}
    found = {item.name: keys.get(item.name, item.name) for item in fields(kind)}
    return kind(**{name: document[key] for name, key in found.items() if key in document})
