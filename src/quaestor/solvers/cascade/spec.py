"""Registry entry of the cascade: its stages, their thresholds and their options.

It opens no models: the caller provides those of the stages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quaestor.errors import SettingsError
from quaestor.options import option
from quaestor.solvers.spec import ConfidenceOptions, RoleModel, SolverSpec

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from quaestor.solvers.cascade.solver import CascadeSolver

_NAME = "cascade"
_WEIGHTS = "weights"


@dataclass(frozen=True, slots=True)
class CascadeOptions:
    """Options of the cascade. If `abstain_below` is set, answers without a confidence are withheld too."""

    stages: str = option("embedded,workflow", help="the solvers in order, separated by commas")
    thresholds: str | float = option(
        0.7,
        help="confidence that each stage but the last needs: one number for all, or one for each, separated by commas",
    )
    models: str | None = option(None, help="the model of each stage, separated by commas; empty for the run's own")
    show_doubts: bool = option(False, help="pass each stage the answer and confidence of the one before")
    abstain_below: float = option(0.0, help="withhold answers with a confidence below this", least=0, most=1)
    stages_options: Mapping[str, object] | None = option(None, help="the options of the stages, by solver name")
    weights: str | None = option(None, help="a folder of weights for the stages that use weights")

    def __post_init__(self) -> None:
        if len(self.names) < 2:
            raise SettingsError(f"a cascade needs at least two stages, such as embedded,workflow, not {self.stages!r}")
        if _NAME in self.names:
            raise SettingsError("a cascade cannot be a stage of a cascade; name its stages instead")
        if len(_split_list(self.models or "")) > len(self.names):
            raise SettingsError(f"{self.models!r} names more models than there are stages ({', '.join(self.names)})")
        _ = self.least
        if self.abstain_below and (unsaid := self._without_confidence()):
            raise SettingsError(
                f"answers of the stage {unsaid!r} have no confidence to withhold them by: name a calibration among its "
                "options, which `quaestor calibrate RUN` learns from a run with the option measure=true"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The solvers of the stages, in order."""
        return tuple(name for name in _split_list(self.stages) if name)

    @property
    def least(self) -> tuple[float, ...]:
        """The minimum confidence for each stage but the last."""
        listed, wanted = _split_list(str(self.thresholds)), len(self.names) - 1
        try:
            found = [float(one) for one in listed]
        except ValueError:
            found = [-1.0]
        if not all(0 <= one <= 1 for one in found):
            raise SettingsError(f"the thresholds of the cascade must be numbers from 0 to 1, not {self.thresholds!r}")
        found = found * wanted if len(found) == 1 else found
        if len(found) != wanted:
            raise SettingsError(
                f"{len(found)} thresholds for {wanted + 1} stages: give {wanted}, one for each but the last"
            )
        return tuple(found)

    @property
    def named_models(self) -> Mapping[str, str]:
        """The models of stages that have a separate one, by role name."""
        return {role_of(place): name for place, name in enumerate(_split_list(self.models or ""), start=1) if name}

    def of_stage(self, name: str) -> Mapping[str, object]:
        """Return the options for a solver of a stage."""
        from quaestor.solvers.registry import solver_spec

        own = (self.stages_options or {}).get(name, {})
        if not isinstance(own, Mapping):
            raise SettingsError(f"the options of the stage {name!r} must be a table, not {own!r}")
        takes_weights = self.weights is not None and _WEIGHTS in solver_spec(name).option_names
        return {**own, **({_WEIGHTS: self.weights} if takes_weights else {})}

    def _without_confidence(self) -> str | None:
        """The first stage that needs a model and has no calibration, so that its answers have no confidence."""
        for spec, read in _stage_specs(self):
            if isinstance(read, ConfidenceOptions) and read.calibration is None and spec.must_have_model(read):
                return spec.name
        return None


def role_of(stage: int) -> str:
    """Return the role name for the model of a stage, counted from 1."""
    return f"stage_{stage}"


def _split_list(words: str) -> list[str]:
    return [word.strip() for word in words.split(",")]


def _build(options: CascadeOptions) -> "CascadeSolver":
    from quaestor.solvers.cascade.solver import CascadeSolver, Stage
    from quaestor.solvers.registry import make_solver

    least = (*options.least, None)
    solvers = [make_solver(name, options.of_stage(name)) for name in options.names]
    stages = [Stage(*stage) for stage in zip(solvers, least, strict=True)]
    return CascadeSolver(stages, show_doubts=options.show_doubts, abstain_below=options.abstain_below)


def _stage_specs(options: CascadeOptions) -> "Sequence[tuple[SolverSpec[Any], DataclassInstance]]":
    """Return the spec and the options of each distinct stage."""
    from quaestor.solvers.registry import solver_spec

    specs = {name: solver_spec(name) for name in options.names}
    return [(spec, spec.read(options.of_stage(name))) for name, spec in specs.items()]


def _prompts(options: CascadeOptions) -> tuple[str, ...]:
    return tuple(dict.fromkeys(folder for spec, own in _stage_specs(options) for folder in spec.prompts(own)))


def _roles(options: CascadeOptions) -> Mapping[str, RoleModel]:
    """The models of stages, and those of roles that a stage itself has."""
    found: dict[str, RoleModel] = {}
    for spec, own in _stage_specs(options):
        found.update(spec.roles(own))
    return found | {role: RoleModel(model) for role, model in options.named_models.items()}


SPEC = SolverSpec(
    _NAME,
    "solvers one after the other: the next is asked if the one before is not sure enough",
    _build,
    CascadeOptions,
    takes_model=True,
    needs_model=lambda options: any(spec.must_have_model(own) for spec, own in _stage_specs(options)),
    prompts=_prompts,
    prompt_additions=lambda options: "\n".join(
        filter(None, (spec.prompt_additions(own) for spec, own in _stage_specs(options)))
    ),
    roles=_roles,
    inner_option="stages",
    inner_is_list=True,
)
