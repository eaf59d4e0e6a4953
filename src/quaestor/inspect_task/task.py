"""The Inspect task: conversations as samples, answered and scored by quaestor; failures count as wrong."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quaestor.application.inspect_log.samples import sample_input
from quaestor.application.inspect_log.scores import SCORER
from quaestor.application.resolve import dataset_path
from quaestor.inspect_task.prepared import prepare
from quaestor.inspect_task.scoring import gold_of
from quaestor.scoring.scorers import measures_for

if TYPE_CHECKING:
    from inspect_ai import Task

_VERSION = 1
"""Version of the task. Results of different versions are not comparable."""


def convfinqa_task(
    dataset: str = "sample", solver: str | None = None, options: str | Sequence[str] | None = None
) -> "Task":
    """Return the Inspect task: each conversation is a sample, scored by the benchmark's own rule per turn.

    Args:
        dataset: A labelled file, or `sample` for the one that comes along.
        solver: Who answers, by its name, asked with Inspect's model; by default the one that is set.
        options: Of the solver, each as `NAME=VALUE`, several between commas.
    """
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
