"""What a solver is built with: its table in the settings, and above that what the caller says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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
    """Options of the solver in force that are above its table in the settings.

    Attributes:
        options: By name; None is one that was not given.
        texts: More options, as a person wrote their values; what each is, the solver's own spec says.
    """

    options: Mapping[str, JsonValue] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


NO_OVERRIDES = SolverOverrides()


def solver_options(settings: Settings, overrides: SolverOverrides = NO_OVERRIDES) -> dict[str, JsonValue]:
    """Return what the solver in force is built with.

    Raises:
        SettingsError: A table has a value that no option takes, an option is given that the solver does not take, or
            one is given twice.
    """
    options = _table(settings, settings.solver)
    given = {name: value for name, value in overrides.options.items() if value is not None}
    spec = solver_spec(settings.solver)
    for name in given:
        require_option(spec.options, name, spec.words)
    if twice := sorted(given.keys() & overrides.texts.keys()):
        raise SettingsError(f"option {twice[0]!r} is given more than once")
    texts = {name: read_text(spec.options, name, text, spec.words) for name, text in overrides.texts.items()}
    options |= given | cast("dict[str, JsonValue]", texts)
    return _with_inside(spec, options, lambda name, own: {**own, **_table(settings, name)})


def dataset_options(settings: Settings, dataset: Dataset) -> dict[str, JsonValue]:
    """Return what the solver in force is built with over a dataset, unless its settings or the caller say otherwise.

    Where a dataset asks for numbers alone and the solver asks no model that is nothing, so such a run has the digest
    that it always had. Where some questions have no answer it is what it is for a person.
    """
    spec = solver_spec(settings.solver)
    return {**spec.any_kind, **spec.asked} if dataset.unanswerable else _defaults(settings.solver, dataset)


def run_options(settings: Settings, overrides: SolverOverrides, dataset: Dataset) -> dict[str, JsonValue]:
    """Return what the solver in force is built with over a dataset, the solvers inside it included.

    Raises:
        SettingsError: As `solver_options` does.
    """
    options = dataset_options(settings, dataset) | solver_options(settings, overrides)
    return _with_inside(solver_spec(settings.solver), options, lambda name, own: {**_defaults(name, dataset), **own})


def inner_options(settings: Settings, options: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return options with those that the solver inside has where answers may be of any kind, if they say none.

    Args:
        options: What the solver in force is built with; of one that is built around no other nothing changes.
    """
    spec = solver_spec(settings.solver)
    return _with_inside(spec, options, lambda name, own: {**_any_kind(name), **own})


def _defaults(solver: str, dataset: Dataset) -> dict[str, JsonValue]:
    any_kind = {} if dataset.answers == "numbers" else _any_kind(solver)
    return {**solver_spec(solver).benchmarked, **any_kind} if solver in solver_names() else {}


def _any_kind(solver: str) -> dict[str, JsonValue]:
    return dict(solver_spec(solver).any_kind) if solver in solver_names() else {}


def _with_inside(
    spec: "AnySpec", options: Mapping[str, JsonValue], own: Callable[[str, dict[str, JsonValue]], dict[str, JsonValue]]
) -> dict[str, JsonValue]:
    """Return options with those of the solvers that a solver is built around."""
    key, found = f"{spec.around}_options", dict(options)
    given = options.get(key)
    values = given if isinstance(given, dict) else {}
    for name in spec.inside(options):
        before = values.get(name) if spec.several else values
        if after := own(name, before if isinstance(before, dict) else {}):
            values = {**values, name: after} if spec.several else after
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
    """Return the options with the name of the model, for the record."""
    return options | ({"model": config.spec.name} if config else {})
