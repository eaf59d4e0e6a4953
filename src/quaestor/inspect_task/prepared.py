"""The inputs of a task: the dataset, and the solver with its options as given to Inspect."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from pydantic import JsonValue

from quaestor.application.resolve import dataset_path, read_answerable
from quaestor.application.solver_options import SolverOverrides, run_options
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.errors import SettingsError, unknown_name
from quaestor.settings import Settings, load_settings
from quaestor.solvers.registry import solver_names


@dataclass(frozen=True, slots=True)
class PreparedTask:
    """A dataset, and the solver that answers it."""

    dataset: Dataset
    settings: Settings
    options: Mapping[str, JsonValue]
    conversations: Mapping[str, Conversation] = field(repr=False)


def prepare(dataset: str, solver: str | None, options: str | Sequence[str] | None = None) -> PreparedTask:
    """Load the inputs of a task.

    Args:
        options: Of the solver, each as `NAME=VALUE`; what Inspect splits at commas comes as several.
    """
    settings = load_settings({"solver": solver})
    if settings.solver not in solver_names():
        raise SettingsError(unknown_name("solver", settings.solver, solver_names()))
    pages = conversations_of(dataset_path(dataset))
    overrides = SolverOverrides(texts=_texts(options))
    by_id = {conversation.id: conversation for conversation in pages.conversations}
    return PreparedTask(pages, settings, run_options(settings, overrides, pages), by_id)


@lru_cache(maxsize=2)
def conversations_of(path: Path) -> Dataset:
    """Return the conversations of a file. Task, solver and scorer share them."""
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
