"""What is kept of a report: verdicts and figures, and nothing by which an answer could be told."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import TypeVar, overload

from pydantic import JsonValue

from quaestor.core import serial
from quaestor.scores.records import ConversationScoreRecord, KeptScore, ScoreRecord, VerdictRecord
from quaestor.scoring.figures import Score
from quaestor.scoring.turn_columns import TurnColumns
from quaestor.store.records import RunRecord, now

T = TypeVar("T")


def kept_score(
    run: RunRecord,
    dataset: str,
    turns: TurnColumns,
    figures: Score,
    called: Mapping[str, int],
    references_digest: str | None = None,
) -> KeptScore:
    """Returns what is kept of a run's score.

    The breakdowns are left out: of a run of one conversation they would say what its reference programs do.

    Args:
        run: The run.
        dataset: The path of the labelled file.
        turns: The verdicts.
        figures: What they come to.
        called: Calls of tools in each conversation that has any, by its id.
        references_digest: SHA-256 of the labelled file.
    """
    scored = now()
    name = f"{scored:%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"
    right, conversations = sum(map(turns.correct, range(len(turns)))), len(set(turns.conversations))
    score = ScoreRecord(
        id=name,
        run=run.id,
        dataset=dataset,
        dataset_digest=run.dataset_digest,
        scored=scored,
        version=version("quaestor"),
        metrics=_metrics(figures),
        conversations=conversations,
        turns=len(turns),
        correct_answers=right,
        accuracy=_mean(right, len(turns)),
        unanswered=figures.unanswered,
        mean_turns=_mean(len(turns), conversations),
        mean_tool_calls=_mean(sum(called.get(id, 0) for id in set(turns.conversations)), len(turns)),
        references_digest=references_digest,
    )
    by_conversation = turns.by_conversation()

    def conversation(at: int) -> ConversationScoreRecord:
        return _conversation(score, turns, by_conversation[at], called)

    def verdict(at: int) -> VerdictRecord:
        id = turns.conversations[at]
        return VerdictRecord(
            name, run.id, id, turns.places[at], turns.correct(at), turns.program_correct(at), turns.cause(at)
        )

    return KeptScore(score, _Made(conversation, conversations), _Made(verdict, len(turns)))


class _Made(Sequence[T]):
    """Records that are made as they are looked at: all of a large run would take more room than its verdicts."""

    def __init__(self, make: Callable[[int], T], length: int) -> None:
        self._make, self._length = make, length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        found = range(self._length)[index]
        return self._make(found) if isinstance(found, int) else [self._make(place) for place in found]


def _conversation(
    score: ScoreRecord, turns: TurnColumns, places: Sequence[int], called: Mapping[str, int]
) -> ConversationScoreRecord:
    id = turns.conversations[places[0]]
    right = sum(map(turns.correct, places))
    return ConversationScoreRecord(
        score=score.id,
        run=score.run,
        conversation=id,
        turns=len(places),
        correct_answers=right,
        accuracy=_mean(right, len(places)),
        failed_turns=[turns.places[place] for place in places if not turns.correct(place)],
        mean_tool_calls=_mean(called.get(id, 0), len(places)),
    )


def _metrics(figures: Score) -> dict[str, JsonValue]:
    return {name: {**serial.dump(found), "value": found.value} for name, found in figures.results.items()}


def _mean(count: int, among: int) -> float:
    return count / among if among else 0.0
