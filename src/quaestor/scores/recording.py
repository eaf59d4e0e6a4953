"""Records of a score: verdicts and figures, without anything that reveals a reference answer."""

import secrets
from collections.abc import Mapping
from importlib.metadata import version

from quaestor.core import serial
from quaestor.scores.records import ConversationScoreRecord, ScoreRecord, ScoreRecords, Verdict
from quaestor.scoring.figures import Score
from quaestor.scoring.turn_frame import TurnFrame
from quaestor.store.records import RunRecord, now


def make_score_records(
    run: RunRecord,
    dataset: str,
    turns: TurnFrame,
    figures: Score,
    called: Mapping[str, int],
    references_digest: str | None = None,
) -> ScoreRecords:
    """Return the records of a run's score.

    Breakdowns are left out: for a run with a single conversation they would reveal its reference programs.
    """
    scored = now()
    places: dict[str, list[int]] = {}
    for place, conversation in enumerate(turns.conversations):
        places.setdefault(conversation, []).append(place)
    right = sum(map(turns.correct, range(len(turns))))
    score = ScoreRecord(
        id=f"{scored:%Y%m%d-%H%M%S}-{secrets.token_hex(4)}",
        run=run.id,
        dataset=dataset,
        dataset_digest=run.dataset_digest,
        scored=scored,
        version=version("quaestor"),
        metrics={name: {**serial.dump(found), "value": found.value} for name, found in figures.results.items()},
        conversations=len(places),
        turns=len(turns),
        correct_answers=right,
        accuracy=_mean(right, len(turns)),
        unanswered=figures.unanswered,
        mean_turns=_mean(len(turns), len(places)),
        mean_tool_calls=_mean(sum(called.get(id, 0) for id in places), len(turns)),
        references_digest=references_digest,
    )

    def conversation_score(id: str) -> ConversationScoreRecord:
        members = places[id]
        right = sum(map(turns.correct, members))
        return ConversationScoreRecord(
            score=score.id,
            run=run.id,
            conversation=id,
            turns=len(members),
            correct_answers=right,
            accuracy=_mean(right, len(members)),
            failed_turns=[turns.places[place] for place in members if not turns.correct(place)],
            mean_tool_calls=_mean(called.get(id, 0), len(members)),
        )

    verdicts = {}
    for at, turn in enumerate(zip(turns.conversations, turns.places, strict=True)):
        program = turns.verdicts[at].get("program")
        verdicts[turn] = Verdict(turns.correct(at), None if program is None else bool(program), turns.causes[at])
    return ScoreRecords(score, tuple(map(conversation_score, places)), verdicts)


def _mean(count: int, among: int) -> float:
    return count / among if among else 0.0
