"""Who can be asked in a place that several people come to: the solvers that work as it was set up, each with its model.

Owns the names by which they are chosen; neither a key nor an address of a server is among them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from quaestor.application.ask_service import AskRequest
from quaestor.application.solver_options import NO_OVERRIDES
from quaestor.errors import InputError, SettingsError, unknown_name
from quaestor.extras import require_extra
from quaestor.solvers.registry import solver_spec, solver_specs

DEFAULT = "default"
"""Names who answers where nobody chooses."""


@dataclass(frozen=True, slots=True)
class SolverChoice:
    """Somebody who can be asked."""

    id: str
    name: str
    summary: str
    request: AskRequest
    asks: bool


def answerers(asking: AskRequest) -> tuple[SolverChoice, ...]:
    """Return who can be asked: first who answers by default, then the others as far as there are models for them."""
    named = solver_spec(asking.settings.solver)
    model = asking.settings.model if named.takes_model else None
    first = SolverChoice(DEFAULT, _label(named.name, model), named.summary, asking, model is not None)
    others = [found for found in _others(asking) if found.name != first.name]
    return (first, *others)


def find_answerer(asking: AskRequest, id: str) -> SolverChoice:
    """Return who is chosen."""
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
            # Options of the default solver are none of another one's; its own table in the settings holds.
            alone = replace(settings, solver=spec.name)
            request = replace(asking, settings=alone, overrides=NO_OVERRIDES, model_named=False)
            yield SolverChoice(spec.name, spec.name, spec.summary, request, False)
            continue
        for number, model in enumerate(models, start=1):
            named = replace(settings, solver=spec.name, model=model)
            request = replace(asking, settings=named, overrides=NO_OVERRIDES, model_named=True)
            yield SolverChoice(f"{spec.name}-{number}", _label(spec.name, model), spec.summary, request, True)


def _label(solver: str, model: str | None) -> str:
    """Solver and model without the address of a server, which may hold what is nobody's business."""
    return f"{solver} · {model.partition('@')[0]}" if model else solver
