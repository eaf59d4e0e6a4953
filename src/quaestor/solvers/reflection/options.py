"""The options of the reflection solver: bounds, who drafts, and the models of its roles.

Owns their reading. Opens no model: which one plays a role is found where models are.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

from quaestor.errors import SettingsError
from quaestor.solvers.base import Solver
from quaestor.solvers.options import read_bounds
from quaestor.solvers.reflection.loop import Bounds
from quaestor.solvers.reflection.solver import ReflectionSolver

ROLES = ("expert", "extraction_critic", "calculation_critic")
"""The names under which a turn may have a model for each role."""

WRITER = "model"
"""The expert that is no solver of its own: a model that writes its steps down."""

NO_MODEL = "embedded"
"""The expert that asks no model, so that the evidence alone may judge."""

_BOUNDS = tuple(item.name for item in fields(Bounds))
_OF_ROLES = tuple(f"{role}_{what}" for role in ROLES for what in ("model", "temperature"))
_OTHERS = ("model", "expert", "expert_options", "weights")


@dataclass(frozen=True, slots=True)
class RoleSetting:
    """What is set for a role.

    Attributes:
        model: The model's name; None for the run's.
        temperature: Of the sampling; None for the model's own.
    """

    model: str | None = None
    temperature: float | None = None


def make_reflection(
    options: Mapping[str, object], make_solver: Callable[[str, Mapping[str, object]], Solver]
) -> ReflectionSolver:
    """Returns the reflection solver.

    Args:
        options: `max_iterations`, `hard_limit` and `repairs`, whole numbers, see `Bounds`; `expert`, the name of the
            solver that drafts or `model`, with its `expert_options` and `weights`; for each of `ROLES` a `_model` and
            a `_temperature`. `model` names the run's, for the record.
        make_solver: Makes the solver that drafts.

    Raises:
        SettingsError: An unknown option, or one of the wrong kind.
        ModelError: The weights cannot be used.
    """
    role_settings(options)
    known = (*_BOUNDS, *_OF_ROLES, *_OTHERS)
    if unknown := [name for name in options if name not in known]:
        raise SettingsError(f"the reflection solver has no option {unknown[0]!r}: known are {', '.join(known)}")
    bounds = read_bounds(Bounds, {n: v for n, v in options.items() if n in _BOUNDS}, "the reflection solver")
    if bounds.hard_limit < bounds.max_iterations:
        raise SettingsError(
            f"the reflection solver cannot make {bounds.max_iterations} drafts with a hard_limit of {bounds.hard_limit}"
        )
    expert = expert_of(options)
    if expert == WRITER:
        return ReflectionSolver(bounds)
    if expert == ReflectionSolver.name:
        raise SettingsError("the reflection solver cannot be its own expert: take model or another solver")
    own = options.get("expert_options", {})
    if not isinstance(own, Mapping):
        raise SettingsError(f"'expert_options' of the reflection solver must be a table, not {own!r}")
    weights = {"weights": options["weights"]} if "weights" in options else {}
    return ReflectionSolver(bounds, make_solver(expert, {**own, **weights}))


def expert_of(options: Mapping[str, object]) -> str:
    """Returns who drafts.

    Raises:
        SettingsError: It is no name.
    """
    expert = options.get("expert", WRITER)
    if not isinstance(expert, str):
        raise SettingsError(
            f"'expert' of the reflection solver must be the name of a solver or {WRITER}, not {expert!r}"
        )
    return expert


def role_settings(options: Mapping[str, object]) -> dict[str, RoleSetting]:
    """Returns what is set for the roles of which anything is.

    Raises:
        SettingsError: A model that is no name, or a temperature that is no number.
    """
    found: dict[str, RoleSetting] = {}
    for role in ROLES:
        model, temperature = options.get(f"{role}_model"), options.get(f"{role}_temperature")
        if model is not None and not isinstance(model, str):
            raise SettingsError(f"'{role}_model' of the reflection solver must be the name of a model, not {model!r}")
        if isinstance(temperature, bool) or not isinstance(temperature, int | float | None):
            raise SettingsError(f"'{role}_temperature' of the reflection solver must be a number, not {temperature!r}")
        if model is not None or temperature is not None:
            found[role] = RoleSetting(model, None if temperature is None else float(temperature))
    return found
