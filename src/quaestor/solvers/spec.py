"""Specification of a solver for the registry: its name, options, defaults and factory."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from quaestor.core.renaming import renamed_fields
from quaestor.errors import SettingsError
from quaestor.options import option, option_names, read_options, require_valid_options

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from quaestor.solvers.base import Solver

O = TypeVar("O", bound="DataclassInstance")  # noqa: E741 - of options


@dataclass(frozen=True, slots=True)
class NoOptions:
    """Options of a solver without any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceOptions:
    """Options for the confidence of answers: whether to measure it, how to compute it, and when to abstain.

    Benchmarks count a missing answer as wrong, so a guess never costs anything there; a person should see that several
    answers fit.
    """

    measure: bool = option(False, help="record the measures from which `quaestor calibrate` learns a confidence")
    calibration: str | None = option(
        None, help="a file written by `quaestor calibrate`, which gives answers a confidence"
    )
    abstain_below: float = option(0.0, help="withhold answers with a confidence below this", least=0, most=1)
    samples: int = option(1, help="how often the model answers; the most frequent result counts", least=1)
    always_answer: bool = option(
        False, help="if several answers fit, give the likeliest one; on in runs over a dataset unless set"
    )

    def __post_init__(self) -> None:
        if self.abstain_below and self.calibration is None:
            raise SettingsError(
                "a model's answers have no confidence to withhold them by: name a calibration, which "
                "`quaestor calibrate RUN` learns from a run with the option measure=true"
            )

    @property
    def is_used(self) -> bool:
        """Whether any of these options is in use."""
        return self.measure or self.calibration is not None or self.samples > 1


@dataclass(frozen=True, slots=True)
class RoleModel:
    """Model for a single role."""

    model: str | None = None
    temperature: float | None = None


@renamed_fields(
    told="prompt_additions",
    asked="interactive_defaults",
    benchmarked="benchmark_defaults",
    any_kind="mixed_answer_defaults",
    around="inner_option",
    several="inner_is_list",
)
@dataclass(frozen=True, slots=True)
class SolverSpec(Generic[O]):
    """Entry of a solver in the registry.

    The module that contains it is imported to learn the solver's name and options: import the solver's dependencies in
    `build`.

    Attributes:
        options: The type of its options: a frozen dataclass whose fields all have defaults (see `options.option`).
        needs_model: Returns whether it requires a model with the given options; None to use `takes_model`.
        prompts: The folders of its prompt templates, as named in `quaestor.prompts.render`.
        roles: Models for single roles, by the role names used in a turn.
        inner_option: The option that names an inner solver, whose own settings are in the option
            `INNER_OPTION_options`.
        inner_is_list: Whether that option is a comma-separated list of solvers; `INNER_OPTION_options` then maps each
            name to its settings.
        writes_plans: Whether its turns record events of plans, whose attempts are metrics of a run.
        prompt_additions: Returns text that options add to prompts, such as the content of a file; part of the digest
            of prompts.
        interactive_defaults: Defaults for questions asked by a person.
        benchmark_defaults: Defaults for runs over a dataset.
        mixed_answer_defaults: Defaults for a dataset with answers other than numbers.
        loads: Modules that `build` imports; worker processes load them while the conversations are being read.
    """

    name: str
    summary: str
    build: "Callable[[O], Solver]"
    options: type[O] = NoOptions  # type: ignore[assignment]  # the default of a solver without options
    takes_model: bool = False
    needs_model: Callable[[O], bool] | None = None
    prompts: Callable[[O], tuple[str, ...]] = lambda _: ()
    roles: Callable[[O], Mapping[str, RoleModel]] = lambda _: {}
    inner_option: str | None = None
    inner_is_list: bool = False
    writes_plans: bool = False
    prompt_additions: Callable[[O], str] = lambda _: ""
    interactive_defaults: Mapping[str, bool | float | str] = field(default_factory=dict)
    benchmark_defaults: Mapping[str, bool | float | str] = field(default_factory=dict)
    mixed_answer_defaults: Mapping[str, bool | float | str] = field(default_factory=dict)
    loads: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The solver's name in messages."""
        return f"the {self.name} solver"

    @property
    def option_names(self) -> tuple[str, ...]:
        """The names of its options."""
        return option_names(self.options)

    def inner_names(self, options: Mapping[str, object]) -> tuple[str, ...]:
        """Return the values of the option `inner_option`: names of solvers, or of alternatives to one."""
        if self.inner_option is None:
            return ()
        named = str(options.get(self.inner_option, getattr(self.options(), self.inner_option)))
        return tuple(name.strip() for name in named.split(",")) if self.inner_is_list else (named,)

    def read(self, options: "Mapping[str, object] | DataclassInstance | None") -> O:
        """Validate options and fill in defaults.

        Args:
            options: An instance of the option type; or a mapping, as in settings and records, where a solver that
                takes a model ignores `model`, the name of the run's model; None for the defaults.
        """
        if options is None:
            options = {}
        if isinstance(options, Mapping):
            ignored = {"model"} - {*self.option_names} if self.takes_model else set()
            return read_options(self.options, {k: v for k, v in options.items() if k not in ignored}, self.words)
        if not isinstance(options, self.options):
            raise SettingsError(f"{self.words} takes {self.options.__name__}, not {type(options).__name__}")
        require_valid_options(options, self.words)
        return options

    def must_have_model(self, options: O) -> bool:
        """Return whether the solver requires a model with these options."""
        return self.takes_model if self.needs_model is None else self.needs_model(options)
