"""The options of a solver: its defaults, its table in the settings, and the caller's overrides."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pydantic import JsonValue

from quaestor.datasets.dataset import Dataset
from quaestor.errors import SettingsError
from quaestor.llm.session import ModelConfig
from quaestor.options import read_text, require_option
from quaestor.settings import Settings
from quaestor.solvers.registry import solver_names, solver_spec

if TYPE_CHECKING:
    from quaestor.solvers.registry import AnySpec


@dataclass(frozen=True, slots=True)
class SolverOverrides:
    """Options that override the solver's table in the settings."""

    options: Mapping[str, JsonValue] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


NO_OVERRIDES = SolverOverrides()


def solver_options(settings: Settings, overrides: SolverOverrides = NO_OVERRIDES) -> dict[str, JsonValue]:
    """Return the solver's options from settings and overrides."""
    options = _table(settings, settings.solver)
    given = {name: value for name, value in overrides.options.items() if value is not None}
    spec = solver_spec(settings.solver)
    for name in given:
        require_option(spec.options, name, spec.words)
    if twice := sorted(given.keys() & overrides.texts.keys()):
        raise SettingsError(f"option {twice[0]!r} is given more than once")
    texts = {name: read_text(spec.options, name, text, spec.words) for name, text in overrides.texts.items()}
    options |= given | cast("dict[str, JsonValue]", texts)
    return _with_inner_options(spec, options, lambda name, own: {**own, **_table(settings, name)})


def interactive_options(settings: Settings, overrides: SolverOverrides = NO_OVERRIDES) -> dict[str, JsonValue]:
    """Return the options of the solver, and of solvers inside it, for a person's questions."""
    spec = solver_spec(settings.solver)
    options = {**spec.interactive_defaults, **solver_options(settings, overrides)}
    return _with_inner_options(spec, options, lambda name, own: {**_mixed_answer_defaults(name), **own})


def dataset_options(settings: Settings, dataset: Dataset) -> dict[str, JsonValue]:
    """Return the default options of the solver for a dataset.

    They are empty if the dataset asks for numbers only and the solver does not use a model, so that such a run keeps
    its digest. If some questions have no answer, the defaults are those for a person's questions.
    """
    if dataset.unanswerable:
        spec = solver_spec(settings.solver)
        return {**spec.mixed_answer_defaults, **spec.interactive_defaults}
    return _defaults(settings.solver, dataset)


def run_options(settings: Settings, overrides: SolverOverrides, dataset: Dataset) -> dict[str, JsonValue]:
    """Return the options of the solver, and of solvers inside it, for a run over a dataset."""
    spec = solver_spec(settings.solver)
    options = dataset_options(settings, dataset) | solver_options(settings, overrides)
    return _with_inner_options(spec, options, lambda name, own: {**_defaults(name, dataset), **own})


def _defaults(solver: str, dataset: Dataset) -> dict[str, JsonValue]:
    any_kind = {} if dataset.answers == "numbers" else _mixed_answer_defaults(solver)
    return {**solver_spec(solver).benchmark_defaults, **any_kind} if solver in solver_names() else {}


def _mixed_answer_defaults(solver: str) -> dict[str, JsonValue]:
    return dict(solver_spec(solver).mixed_answer_defaults) if solver in solver_names() else {}


def _with_inner_options(
    spec: "AnySpec", options: Mapping[str, JsonValue], own: Callable[[str, dict[str, JsonValue]], dict[str, JsonValue]]
) -> dict[str, JsonValue]:
    """Return options extended by those of the solvers inside a solver."""
    key, found = f"{spec.inner_option}_options", dict(options)
    given = options.get(key)
    values = given if isinstance(given, dict) else {}
    for name in spec.inner_names(options):
        before = values.get(name) if spec.inner_is_list else values
        if after := own(name, before if isinstance(before, dict) else {}):
            values = {**values, name: after} if spec.inner_is_list else after
            found[key] = values
    return found


def _table(settings: Settings, solver: str) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for name, value in settings.solvers.get(solver, {}).items():
        if not isinstance(value, str | int | float):
            raise SettingsError(f"{name!r} in [solvers.{solver}] must be text, a number, true or false, not {value!r}")
        found[name] = value
    return found


def named_model(options: dict[str, JsonValue], config: ModelConfig | None) -> dict[str, JsonValue]:
    """Add the name of the model to the options, for the run's record."""
    return options | ({"model": config.spec.name} if config else {})


def is_trained_on(dataset: Path, solver: str, options: Mapping[str, JsonValue]) -> bool:
    """Return whether the weights of a solver were trained on a file, so that a score on it is not representative."""
    from quaestor.solvers.embedded.trees import SHIPPED_WEIGHTS

    if "weights" not in solver_spec(solver).option_names:
        return False
    folder = options.get("weights")
    card = (Path(folder) if isinstance(folder, str) else SHIPPED_WEIGHTS) / "card.json"
    try:
        files = json.loads(card.read_text(encoding="utf-8"))["files"]
        return hashlib.sha256(dataset.read_bytes()).hexdigest() in files.values()
    except (OSError, ValueError, KeyError, AttributeError):
        return False
