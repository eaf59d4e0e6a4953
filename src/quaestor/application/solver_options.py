"""The options and the model of a solver: from its defaults, its table in the settings, and the caller's overrides."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pydantic import JsonValue

from quaestor.datasets.dataset import Dataset
from quaestor.errors import SettingsError, unknown_name
from quaestor.extras import require_extra
from quaestor.llm.session import ModelConfig
from quaestor.options import read_text, require_option
from quaestor.settings import Settings
from quaestor.solvers.registry import solver_names, solver_spec, solver_specs

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


@dataclass(frozen=True, slots=True)
class CassetteOptions:
    """Whether exchanges with a model are recorded in a file, or replayed from one."""

    record: Path | None = None
    replay: Path | None = None
    inputs: Sequence[Path] = ()
    force: bool = False

    @property
    def is_used(self) -> bool:
        """Whether to record or replay."""
        return self.record is not None or self.replay is not None

    def require_free(self, *, go_on: bool = False) -> None:
        """Raise an error if the recording must not be written."""
        if self.record is not None:
            from quaestor.application.files import OutputFile

            used = [*self.inputs, *([self.replay] if self.replay else [])]
            OutputFile(self.record, used, self.force or go_on).require_free()


NO_CASSETTE = CassetteOptions()


@contextmanager
def solver_access(
    settings: Settings,
    options: Mapping[str, object],
    cassette: CassetteOptions = NO_CASSETTE,
    *,
    model_named: bool = False,
    go_on: bool = False,
) -> Iterator[ModelConfig | None]:
    """Yield the configuration of the solver's model, or None; an optional model is used only if `model_named`."""
    for name, where in ((settings.solver, ""), *((table, f"in table [solvers.{table}]") for table in settings.solvers)):
        if name not in solver_names():
            raise SettingsError(unknown_name("solver", name, solver_names(), where))
    spec = solver_spec(settings.solver)
    if spec.must_have_model(spec.read(options)) or (model_named and spec.takes_model):
        with model_access(settings, cassette, go_on=go_on) as config:
            yield _with_roles(config, settings, options)
        return
    if model_named or cassette.is_used:
        model_solvers = " or ".join(sorted(spec.name for spec in solver_specs() if spec.takes_model))
        raise SettingsError(
            f"the solver {settings.solver!r} does not use a model: choose {model_solvers}, or leave out the model"
        )
    yield None


def _with_roles(config: ModelConfig, settings: Settings, options: Mapping[str, object]) -> ModelConfig:
    """Return a configuration with the models of roles that use a different one."""
    solver = solver_spec(settings.solver)
    wanted_roles = solver.roles(solver.read(options))
    if not wanted_roles:
        return config
    from quaestor.llm.budget import find_price
    from quaestor.llm.naming import find_model

    roles = {}
    for role, wanted in wanted_roles.items():
        spec = find_model(wanted.model, settings.models) if wanted.model else config.spec
        roles[role] = spec if wanted.temperature is None else replace(spec, temperature=wanted.temperature)
    prices = {spec.name: find_price(spec, settings.prices) for spec in roles.values()}
    return replace(config, roles=roles, prices=prices)


@contextmanager
def model_access(
    settings: Settings, cassette: CassetteOptions = NO_CASSETTE, *, go_on: bool = False
) -> Iterator[ModelConfig]:
    """Yield the configuration of the model in the settings."""
    require_extra("models", "using a model")
    from quaestor.llm.budget import Budget, find_price
    from quaestor.llm.cassette import CassettePlayer, CassetteRecorder
    from quaestor.llm.models import Cassette
    from quaestor.llm.naming import find_model

    if settings.model is None:
        raise SettingsError(
            "no model is set: set an option, QUAESTOR_MODEL or quaestor.toml, for example to anthropic:NAME"
        )
    if cassette.record and cassette.replay:
        raise SettingsError("recording and replay cannot be combined: the replayed replies are already recorded")
    spec = find_model(settings.model, settings.models)
    money = None if settings.max_cost is None else Decimal(str(settings.max_cost))
    with ExitStack() as stack:
        recording: Cassette | None = None
        if cassette.record:
            cassette.require_free(go_on=go_on)
            recording = stack.enter_context(CassetteRecorder(cassette.record, go_on=go_on, replace=cassette.force))
        elif cassette.replay:
            recording = CassettePlayer(cassette.replay)
        tracing = None
        if settings.tracing:
            from quaestor.llm.tracing import start_tracing

            tracing = start_tracing()
            stack.callback(tracing.shutdown)
        yield ModelConfig(
            spec,
            Budget(settings.max_requests, settings.max_tokens, money),
            find_price(spec, settings.prices),
            recording,
            tracing,
        )
