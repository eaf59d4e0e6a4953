"""How rows look in MongoDB: the names of their fields, and the indexes of the collections.

Field by field, not through JSON: times are dates there, and can be compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

from pydantic import JsonValue

from quaestor.store.tables import JUDGED_TURNS, LATEST_TURNS, Row
from quaestor.store.turn_classes import TurnClasses
from quaestor.store.turn_measures import TurnMeasures

SCHEMA_VERSION = 8

COLLECTIONS = {"runs": "evaluation_runs", LATEST_TURNS: "turns", JUDGED_TURNS: "turns"}
"""Those that are not called as their table."""

_PLACE = {"run": "runId", "conversation": "conversationId"}
_SPAN = {"started": "startedAt", "finished": "completedAt"}
_RESULTS = {
    "turns": "results.totalTurns",
    "correct_answers": "results.correctAnswers",
    "accuracy": "results.accuracy",
    "mean_tool_calls": "results.avgToolCallsPerTurn",
}
_TURNS = {"index": "turnIndex", "tool_calls": "toolCalls", "history": "conversationHistory"} | _PLACE | _SPAN
_TURNS |= {
    item.name: f"{name}.{item.name}"
    for name, kind in (("classes", TurnClasses), ("measures", TurnMeasures))
    for item in fields(kind)
}
_VERDICT = {"score": "scoreId", "program_correct": "programCorrect"}
# Columns that are not listed keep their name; those with a dot are in a document of their own.
_FIELDS: Mapping[str, Mapping[str, str]] = {
    "runs": {"id": "runId", "spec": "config", "spec_digest": "specDigest", "dataset_digest": "datasetDigest"} | _SPAN,
    "examples": {"turns": "numTurns", "document": "documentId", "kg_stats": "kgStats"}
    | {"claim_owner": "claim.owner", "claim_until": "claim.until"}
    | _PLACE
    | _SPAN,
    "turns": _TURNS,
    LATEST_TURNS: _TURNS,
    JUDGED_TURNS: _TURNS
    | {name: f"verdict.{_VERDICT.get(name, name)}" for name in ("score", "correct", "program_correct", "cause")},
    "prompt_logs": {"turn": "turnIndex", "started": "timestamp", "finished": "completedAt"} | _PLACE,
    "corrections": {"turns": "numTurns", "made": "timestamp"} | _PLACE,
    "graphs": {"created": "createdAt"} | _PLACE,
    "frozen_graphs": {"document": "documentId", "created": "createdAt"},
    "ontologies": {"id": "_id", "created": "createdAt"},
    "scores": {
        "id": "scoreId",
        "dataset_digest": "datasetDigest",
        "references_digest": "referencesDigest",
        "scored": "scoredAt",
        "conversations": "results.totalExamples",
        "unanswered": "results.unanswered",
        "mean_turns": "results.avgTurnsPerExample",
    }
    | _RESULTS
    | _PLACE,
    "scored_examples": {"failed_turns": "results.failedTurns"} | _VERDICT | _RESULTS | _PLACE,
    "scored_turns": {"index": "turnIndex"} | _VERDICT | _PLACE,
    "scored_columns": _VERDICT | _PLACE,
}
_OLDER = {("runs", "kind"): "run", ("turns", "status"): "complete"}
"""What documents of before a field was added have in its place, where that is not the default of the record."""

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
    "scores": [({"scoreId": 1}, True), ({"runId": 1, "scoredAt": -1}, False)],
    # Two processes may score one run: the latest scoring counts.
    "scored_examples": [(_RUN_AND_CONVERSATION | {"scoreId": 1}, True), ({"runId": 1, "results.accuracy": 1}, False)],
    "scored_turns": [
        (_RUN_AND_CONVERSATION | {"turnIndex": 1, "scoreId": 1}, True),
        ({"runId": 1, "correct": 1}, False),
    ],
    "scored_columns": [({"runId": 1, "scoreId": 1, "name": 1}, True)],
}

OUTDATED: Mapping[str, Sequence[Mapping[str, int]]] = {
    "prompt_logs": [_RUN_AND_CONVERSATION | {"turnIndex": 1, "number": 1}],
}
"""Keys of indexes that earlier versions made, and that are in the way now."""


def field_of(table: str, column: str) -> str:
    """Return where a column is in the documents of a table; `spec.solver` is within one."""
    name, dot, within = column.partition(".")
    return _FIELDS[table].get(name, name) + dot + within


def older_value(table: str, column: str) -> str | None:
    """Return what a column is in documents of before it was kept."""
    return _OLDER.get(("turns" if COLLECTIONS.get(table) == "turns" else table, column))


def to_value(column: str, value: Any) -> Any:
    """Return a value as MongoDB keeps it."""
    if column == "claim_until" and value is not None:
        return datetime.fromtimestamp(value, UTC)
    return [_add_date(call) for call in value] if column == "tool_calls" else value


def to_document(table: str, row: Row) -> dict[str, Any]:
    """Return a row as MongoDB keeps it, with what is there for people only."""
    document: dict[str, Any] = {}
    for column, value in row.items():
        outer, dot, inner = field_of(table, column).partition(".")
        if not dot:
            document[outer] = to_value(column, value)
        elif outer != "claim" or value is not None:
            document.setdefault(outer, {})[inner] = to_value(column, value)
    if table == "examples":
        document["exampleId"] = row["conversation"]
    if table in ("turns", "prompt_logs") and row["finished"] is not None:
        document["durationMs"] = round((row["finished"] - row["started"]).total_seconds() * 1000)
    if table == "turns":
        document["understanding"] = _understanding(row["events"])
    return document


def from_document(table: str, columns: Sequence[str], document: Mapping[str, Any]) -> Row:
    """Return columns of a document, be it of before a field was added; what is not there is left out."""
    row: Row = {}
    for column in columns:
        value: Any = document
        for key in field_of(table, column).split("."):
            value = value.get(key, ...) if isinstance(value, Mapping) else ...
        if value is ...:
            value = older_value(table, column) or ...
        if column == "events" and value is ...:
            text = document.get("understanding")
            value = [{"text": text, "kind": "note"}] if text else ...
        if column == "attempt" and value is not ...:
            value = attempt_number(document)
        elif column == "tool_calls" and value is not ...:
            value = [_drop_date(call) for call in value]
        elif column == "claim_until" and value is not ...:
            value = value.timestamp()
        if value is not ...:
            row[column] = value
    return row


def _understanding(events: Sequence[JsonValue]) -> JsonValue:
    """Return what the solver said that the question asks for, last; None if it said nothing."""
    readings = {"understood": "reading", "values_named": "wanted", "plan_proposed": "plan"}
    found = (event for event in reversed(events) if isinstance(event, dict))
    return next((event[readings[str(event["kind"])]] for event in found if event["kind"] in readings), None)


def _add_date(call: JsonValue) -> Any:
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


def _drop_date(call: Any) -> JsonValue:
    return {name: value for name, value in call.items() if name != "timestamp"} if isinstance(call, dict) else call
