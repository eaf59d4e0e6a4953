"""Builds the configuration of a solver's model from settings and options."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from quaestor.errors import SettingsError, unknown_name
from quaestor.extras import require_extra
from quaestor.llm.session import ModelConfig
from quaestor.settings import Settings
from quaestor.solvers.registry import solver_names, solver_spec, solver_specs


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
