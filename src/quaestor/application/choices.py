"""The solvers and models that users of a shared server can choose from.

Defines the ids by which they are chosen; an id contains neither a key nor the address of a server.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from quaestor.application.ask_service import AskRequest
from quaestor.application.solver_options import NO_OVERRIDES
from quaestor.errors import InputError, SettingsError, unknown_name
from quaestor.extras import require_extra
from quaestor.solvers.registry import solver_spec, solver_specs

DEFAULT = "default"
"""The id of the solver that answers if the user does not choose one."""


@dataclass(frozen=True, slots=True)
class SolverChoice:
    """A solver with its model that users can choose."""

    id: str
    name: str
    summary: str
    request: AskRequest
    asks_model: bool


def answerers(asking: AskRequest) -> tuple[SolverChoice, ...]:
    """Return the choices: the default first, then the other solvers, with each model that is configured."""
    named = solver_spec(asking.settings.solver)
    model = asking.settings.model if named.takes_model else None
    first = SolverChoice(DEFAULT, _label(named.name, model), named.summary, asking, model is not None)
    others = [found for found in _others(asking) if found.name != first.name]
    return (first, *others)


def find_answerer(asking: AskRequest, id: str) -> SolverChoice:
    """Return the choice with an id."""
    known = {found.id: found for found in answerers(asking)}
    if id not in known:
        raise InputError(unknown_name("solver", id, known))
    return known[id]


def _others(asking: AskRequest) -> Iterator[SolverChoice]:
    settings = asking.settings
    models = list(dict.fromkeys([*([settings.model] if settings.model else []), *settings.models]))
    try:
        require_extra("models", "a model")
    except SettingsError:
        models = []
    for spec in solver_specs():
        if not spec.takes_model:
            # Overrides are meant for the default solver; the settings have a separate table for this one.
            alone = replace(settings, solver=spec.name)
            request = replace(asking, settings=alone, overrides=NO_OVERRIDES, model_named=False)
            yield SolverChoice(spec.name, spec.name, spec.summary, request, False)
            continue
        for number, model in enumerate(models, start=1):
            named = replace(settings, solver=spec.name, model=model)
            request = replace(asking, settings=named, overrides=NO_OVERRIDES, model_named=True)
            yield SolverChoice(f"{spec.name}-{number}", _label(spec.name, model), spec.summary, request, True)


def _label(solver: str, model: str | None) -> str:
    """Return solver and model without the address of the server, which may be confidential."""
    return f"{solver} · {model.partition('@')[0]}" if model else solver
