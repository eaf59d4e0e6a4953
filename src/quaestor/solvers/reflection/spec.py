"""Registry entry of the reflection solver: its limits, its expert, and the models of its roles.

It opens no models: the caller provides those of the roles.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quaestor.errors import SettingsError
from quaestor.options import option
from quaestor.solvers.spec import ConfidenceOptions, RoleModel, SolverSpec

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from quaestor.solvers.reflection.solver import ReflectionSolver

ROLES = ("expert", "extraction_critic", "calculation_critic")
"""Role names for which a turn may have separate models."""

WRITER = "model"
"""Name of the expert that is a model instead of another solver."""

_NAME = "reflection"


@dataclass(frozen=True, slots=True)
class ReflectionOptions(ConfidenceOptions):
    """Options of the reflection solver: number of drafts, expert, and models of its roles."""

    max_iterations: int = option(2, help="drafts that are always made, unless one is accepted", least=1)
    hard_limit: int = option(4, help="most drafts, as long as each improves on the one before", least=1)
    repairs: int = option(3, help="unusable replies that are asked for again", least=1)
    expert: str = option(WRITER, help="who drafts: 'model' or the name of a solver")
    expert_options: Mapping[str, object] | None = option(None, help="the options of the solver that drafts")
    weights: str | None = option(None, help="a folder of weights for the solver that drafts")
    expert_model: str | None = option(None, help="the model that drafts")
    expert_temperature: float | None = option(None, help="its sampling temperature")
    extraction_critic_model: str | None = option(None, help="the model that judges which numbers were taken")
    extraction_critic_temperature: float | None = option(None, help="its sampling temperature")
    calculation_critic_model: str | None = option(None, help="the model that judges what was computed with them")
    calculation_critic_temperature: float | None = option(None, help="its sampling temperature")

    def __post_init__(self) -> None:
        ConfidenceOptions.__post_init__(self)
        if self.hard_limit < self.max_iterations:
            drafts, most = self.max_iterations, self.hard_limit
            raise SettingsError(f"the reflection solver cannot make {drafts} drafts with a hard_limit of {most}")
        if self.expert == _NAME:
            raise SettingsError("the reflection solver cannot be its own expert; use model or another solver")

    @property
    def of_expert(self) -> Mapping[str, object]:
        """The options of the solver that drafts."""
        return {**(self.expert_options or {}), **({"weights": self.weights} if self.weights is not None else {})}


def _build(options: ReflectionOptions) -> "ReflectionSolver":
    from quaestor.solvers.reflection.solver import ReflectionSolver
    from quaestor.solvers.registry import make_solver

    if options.expert == WRITER:
        return ReflectionSolver(options)
    return ReflectionSolver(options, make_solver(options.expert, options.of_expert))


def _expert_specs(options: ReflectionOptions) -> "Sequence[tuple[SolverSpec[Any], DataclassInstance]]":
    """Return the spec and the options of the expert; empty if the expert is a model."""
    from quaestor.solvers.registry import solver_spec

    if options.expert == WRITER:
        return ()
    spec = solver_spec(options.expert)
    return [(spec, spec.read(options.of_expert))]


def _prompts(options: ReflectionOptions) -> tuple[str, ...]:
    folders = (folder for spec, own in _expert_specs(options) for folder in spec.prompts(own))
    return tuple(dict.fromkeys((_NAME, "structured", *folders)))


def _roles(options: ReflectionOptions) -> Mapping[str, RoleModel]:
    found = {
        role: RoleModel(getattr(options, f"{role}_model"), getattr(options, f"{role}_temperature")) for role in ROLES
    }
    return {role: wanted for role, wanted in found.items() if wanted != RoleModel()}


SPEC = SolverSpec(
    _NAME,
    "drafts by a model or another solver, revised with computed evidence and critics",
    _build,
    ReflectionOptions,
    takes_model=True,
    benchmark_defaults={"always_answer": True},
    # A critic is optional: without any the computed checks alone decide.
    needs_model=lambda options: all(spec.must_have_model(own) for spec, own in _expert_specs(options)),
    prompts=_prompts,
    prompt_additions=lambda options: "".join(spec.prompt_additions(own) for spec, own in _expert_specs(options)),
    roles=_roles,
    inner_option="expert",
)
