"""The task for Inspect: conversations as samples, our solver and our scorer; failures count as wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from quaestor.application.inspect_log.samples import BROKEN, TURNS, sample_input, turns_of_sample
from quaestor.application.inspect_log.scores import SCORER, inspect_score
from quaestor.application.resolve import dataset_path, read_answerable
from quaestor.application.solver_options import SolverOverrides, run_options
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.errors import DatasetError, SettingsError, unknown_name
from quaestor.scoring.figures import score_predictions
from quaestor.scoring.gold import GoldTurn, read_gold
from quaestor.scoring.predictions import prediction_of
from quaestor.scoring.scorers import measures_for
from quaestor.scoring.verdicts import TurnScore
from quaestor.settings import Settings, load_settings
from quaestor.solvers.registry import solver_names
from quaestor.store.records import TurnRecord

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.scorer import Score, Scorer, Target
    from inspect_ai.solver import TaskState

_VERSION = 1
"""Of the task: what is asked and when it is right. Another one is not to be compared."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A dataset, and who answers it."""

    dataset: Dataset
    settings: Settings
    options: Mapping[str, JsonValue]
    conversations: Mapping[str, Conversation] = field(repr=False)


def prepare(dataset: str, solver: str | None, options: str | Sequence[str] | None = None) -> Prepared:
    """Return what a task is made from.

    Args:
        options: Of the solver, each as `NAME=VALUE`; what Inspect splits at commas comes as several.

    Raises:
        DatasetError: The file cannot be read.
        SettingsError: There is no such solver or option.
    """
    settings = load_settings({"solver": solver})
    if settings.solver not in solver_names():
        raise SettingsError(unknown_name("solver", settings.solver, solver_names()))
    pages = conversations_of(dataset_path(dataset))
    overrides = SolverOverrides(texts=_texts(options))
    by_id = {conversation.id: conversation for conversation in pages.conversations}
    return Prepared(pages, settings, run_options(settings, overrides, pages), by_id)


@lru_cache(maxsize=2)
def conversations_of(path: Path) -> Dataset:
    """Return the conversations of a file. Task, solver and scorer share them.

    Raises:
        DatasetError: It cannot be read.
    """
    return read_answerable(path)


def _texts(options: str | Sequence[str] | None) -> dict[str, str]:
    given = [options] if isinstance(options, str) else list(options or ())
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = str(text).partition("=")
        if not equals or not name:
            raise SettingsError(f"invalid option {text!r}: use NAME=VALUE")
        found[name.strip()] = value.strip()
    return found


def run_scorer(dataset: str = "sample") -> "Scorer":
    """Return the scorer of Inspect that judges what was kept of a conversation.

    The references are read here, if nothing that answers can see them: no sample has them as its target.

    Raises:
        DatasetError: The file cannot be read.
        UnlabelledError: It has no references.
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
def gold_of(path: Path) -> Mapping[str, tuple[GoldTurn, ...]]:
    """Return the reference answers of a file.

    Raises:
        DatasetError: It cannot be read.
        UnlabelledError: It has none.
    """
    return read_gold(path)


def _judge(path: Path, conversation: str, turns: Sequence[TurnRecord]) -> tuple[TurnScore, ...]:
    asked = [one for one in conversations_of(path).conversations if one.id == conversation]
    return score_predictions(map(prediction_of, turns), gold_of(path), asked).turns


def convfinqa_task(
    dataset: str = "sample", solver: str | None = None, options: str | Sequence[str] | None = None
) -> "Task":
    """Return the task: every conversation of a dataset a sample, scored by the benchmark's own rule over turns.

    Args:
        dataset: A labelled file, or `sample` for the one that comes along.
        solver: Who answers, by its name, asked with Inspect's model; by default the one that is set.
        options: Of the solver, each as `NAME=VALUE`, several between commas.

    Raises:
        DatasetError: The file cannot be read.
        UnlabelledError: It has no references.
        SettingsError: There is no such solver or option.
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
        # As `quaestor eval` asks: the same question has the same answer, as far as the server makes it so.
        config=GenerateConfig(temperature=0.0),
        # A sample that fails is scored by the turns that it had: the others are wrong, not left out.
        score_on_error=True,
        version=_VERSION,
    )
