"""How scores look in MongoDB: the names of their fields, and the indexes of their collections."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from quaestor.scores.records import ConversationScoreRecord, ScoreRecord, VerdictRecord
from quaestor.store.mongo_documents import Index

R = TypeVar("R", ScoreRecord, ConversationScoreRecord, VerdictRecord)

SCORE_INDEXES: Mapping[str, Sequence[Index]] = {
    "scores": [({"scoreId": 1}, True), ({"runId": 1, "scoredAt": -1}, False)],
    "scored_examples": [
        ({"runId": 1, "conversationId": 1, "scoreId": 1}, True),
        ({"runId": 1, "results.accuracy": 1}, False),
    ],
    "scored_turns": [
        ({"runId": 1, "conversationId": 1, "turnIndex": 1, "scoreId": 1}, True),
        ({"runId": 1, "correct": 1}, False),
    ],
    "scored_columns": [({"runId": 1, "scoreId": 1, "name": 1}, True)],
}
"""By collection; each index with whether it is unique. Two processes may score one run: the latest scoring counts."""

LATEST_FIRST = [("scoredAt", -1), ("scoreId", -1)]

_RESULTS = {"correct_answers": "results.correctAnswers", "accuracy": "results.accuracy"}
_TOOLS = {"mean_tool_calls": "results.avgToolCallsPerTurn"}
# Fields that are not listed keep their name; those with a dot are in a document of their own.
_KEYS: Mapping[type, Mapping[str, str]] = {
    ScoreRecord: {
        "id": "scoreId",
        "run": "runId",
        "dataset_digest": "datasetDigest",
        "references_digest": "referencesDigest",
        "scored": "scoredAt",
        "conversations": "results.totalExamples",
        "turns": "results.totalTurns",
        "unanswered": "results.unanswered",
        "mean_turns": "results.avgTurnsPerExample",
        **_RESULTS,
        **_TOOLS,
    },
    ConversationScoreRecord: {
        "score": "scoreId",
        "run": "runId",
        "conversation": "conversationId",
        "turns": "results.totalTurns",
        "failed_turns": "results.failedTurns",
        **_RESULTS,
        **_TOOLS,
    },
    VerdictRecord: {
        "score": "scoreId",
        "run": "runId",
        "conversation": "conversationId",
        "index": "turnIndex",
        "program_correct": "programCorrect",
    },
}

_LATER = ("cause", "references_digest")
"""What records of before it was kept lack."""


def to_score_document(record: ScoreRecord | ConversationScoreRecord | VerdictRecord) -> dict[str, Any]:
    """Return a record as MongoDB keeps it."""
    document: dict[str, Any] = {}
    for item in fields(record):
        *outer, key = _KEYS[type(record)].get(item.name, item.name).split(".")
        holder = document.setdefault(outer[0], {}) if outer else document
        holder[key] = getattr(record, item.name)
    return document


def from_score_document(kind: type[R], document: Mapping[str, Any]) -> R:
    """Return the record that `to_score_document` wrote."""
    found: dict[str, Any] = {}
    for item in fields(kind):
        value: Any = document
        for key in _KEYS[kind].get(item.name, item.name).split("."):
            value = value.get(key) if item.name in _LATER else value[key]
        found[item.name] = value
    return kind(**found)
