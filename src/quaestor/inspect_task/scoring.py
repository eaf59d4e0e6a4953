"""Inspect scorer that judges a conversation like `quaestor score`: turns without an answer are wrong."""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.application.inspect_log.samples import BROKEN, TURNS, turns_of_sample
from quaestor.application.inspect_log.scores import inspect_score
from quaestor.application.resolve import dataset_path
from quaestor.core.computing import compute
from quaestor.errors import DatasetError
from quaestor.inspect_task.prepared import conversations_of
from quaestor.scoring.figures import score_predictions
from quaestor.scoring.gold import GoldTurn, read_gold
from quaestor.scoring.predictions import prediction_of
from quaestor.scoring.verdicts import TurnScore
from quaestor.store.records import TurnRecord

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inspect_ai.scorer import Score, Scorer, Target
    from inspect_ai.solver import TaskState


def run_scorer(dataset: str = "sample") -> "Scorer":
    """Return the Inspect scorer that judges the stored answers of a conversation.

    The references are read here, if nothing that answers can see them: no sample has them as its target.
    """
    path = dataset_path(dataset)
    places = {one.id: place for place, one in enumerate(conversations_of(path).conversations)}
    gold_of(path)

    async def score(state: "TaskState", target: "Target") -> "Score":
        del target
        conversation = str(state.sample_id)
        if conversation not in places:
            raise DatasetError(f"{conversation} is not in {dataset}: choose the file that these samples come from")
        turns = turns_of_sample(state.store.get(TURNS))
        judged = await compute(_judge, path, conversation, turns)
        return inspect_score(judged, turns, places[conversation], state.store.get(BROKEN))

    return score


@lru_cache(maxsize=2)
def gold_of(path: Path) -> "Mapping[str, tuple[GoldTurn, ...]]":
    """Return the reference answers of a file."""
    return read_gold(path)


def _judge(path: Path, conversation: str, turns: "Sequence[TurnRecord]") -> "tuple[TurnScore, ...]":
    conversations = [one for one in conversations_of(path).conversations if one.id == conversation]
    return score_predictions(map(prediction_of, turns), gold_of(path), conversations).turns
