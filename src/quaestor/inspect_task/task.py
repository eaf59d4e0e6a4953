"""The Inspect task, and the scorer that judges a conversation like `quaestor score`.

Conversations are samples, answered and scored by quaestor; failures and turns without an answer count as wrong.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.application.inspect_log import BROKEN, SCORER, TURNS, inspect_score, sample_input, turns_of_sample
from quaestor.application.resolve import dataset_path
from quaestor.core.computing import compute
from quaestor.errors import DatasetError
from quaestor.inspect_task.playing import conversations_of, prepare
from quaestor.scoring.figures import score_predictions
from quaestor.scoring.gold import GoldTurn, read_gold
from quaestor.scoring.scorers import measures_for, prediction_of
from quaestor.scoring.verdicts import TurnScore
from quaestor.store.records import TurnRecord

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.scorer import Score, Scorer, Target
    from inspect_ai.solver import TaskState

_VERSION = 1
"""Version of the task. Results of different versions are not comparable."""


def run_scorer(dataset: str = "sample") -> "Scorer":
    """Return the Inspect scorer that judges the stored answers of a conversation.

    The references are read here, if nothing that answers can see them: no sample has them as its target.
    """
    path = dataset_path(dataset)
    places = {one.id: place for place, one in enumerate(conversations_of(path).listed)}
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
def gold_of(path: Path) -> Mapping[str, tuple[GoldTurn, ...]]:
    """Return the reference answers of a file."""
    return read_gold(path)


def _judge(path: Path, conversation: str, turns: Sequence[TurnRecord]) -> tuple[TurnScore, ...]:
    conversations = conversations_of(path).taking([conversation])
    return score_predictions(map(prediction_of, turns), gold_of(path), conversations).turns


def convfinqa_task(
    dataset: str = "sample", solver: str | None = None, options: str | Sequence[str] | None = None
) -> "Task":
    """Return the Inspect task: each conversation is a sample, scored by the benchmark's own rule per turn."""
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.log import HeadlineMetric
    from inspect_ai.model import GenerateConfig

    from quaestor.inspect_task.registered import conversation, metrics, official

    given = prepare(dataset, solver, options)
    gold = gold_of(dataset_path(dataset))
    samples = [
        Sample(
            id=one.id,
            input=sample_input(one.questions),
            metadata={"page": one.document.id, "turns": len(one.questions), "chained": one.chained},
        )
        for one in given.dataset.conversations
    ]
    measures = measures_for(next(turn for turns in gold.values() for turn in turns))
    return Task(
        dataset=MemoryDataset(samples, name=given.dataset.format, location=given.dataset.path),
        solver=conversation(dataset=dataset, solver=solver, options=options),
        scorer=official(dataset=dataset),
        metrics={name: [make(name) for make in metrics.values()] for name in measures.scorers},
        headline_metric=HeadlineMetric(scorer=SCORER, score=measures.right),
        # Deterministic like `quaestor eval`, as far as the server supports it.
        config=GenerateConfig(temperature=0.0),
        # A failed sample is scored by the turns it has; the others count as wrong instead of being left out.
        score_on_error=True,
        version=_VERSION,
    )
