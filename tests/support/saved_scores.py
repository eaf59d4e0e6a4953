"""Scores of made-up runs, for the tests of what is kept of them."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue
from store_records import START

from quaestor.scores.records import ConversationScoreRecord, ScoreRecord, ScoreRecords, VerdictRecord
from quaestor.store.records import RunRecord

Verdicts = Mapping[str, Sequence[bool]]


def a_score(run: RunRecord, verdicts: Verdicts, *, id: str = "s1", dataset: str = "pages.json") -> ScoreRecords:
    """A score with those verdicts, by conversation; a program is right where its answer is wrong."""
    turns = [right for those in verdicts.values() for right in those]
    figure: dict[str, JsonValue] = {
        "correct": sum(turns),
        "total": len(turns),
        "low": 0.25,
        "high": 1.0,
        "pages": 2,
        "value": 0.5,
    }
    score = ScoreRecord(
        id=id, run=run.id, dataset=dataset, dataset_digest=run.dataset_digest, scored=START, version="1.2.3",
        metrics={"execution": figure, "display": {"correct": 0, "total": 0, "low": 0.0, "high": 0.0, "pages": 0}},
        conversations=len(verdicts), turns=len(turns), correct_answers=sum(turns), accuracy=sum(turns) / len(turns),
        unanswered=1, mean_turns=len(turns) / len(verdicts), mean_tool_calls=2.5,
    )  # fmt: skip
    conversations = [
        ConversationScoreRecord(
            id, run.id, name, len(those), sum(those), sum(those) / len(those),
            [place for place, right in enumerate(those) if not right], 2.5,
        )
        for name, those in verdicts.items()
    ]  # fmt: skip
    judged = [
        VerdictRecord(id, run.id, name, place, right, None if place == 0 else not right, None if right else "scale")
        for name, those in verdicts.items()
        for place, right in enumerate(those)
    ]
    return ScoreRecords(score, tuple(conversations), tuple(judged))
