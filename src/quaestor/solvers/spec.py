"""The entry of a solver in the registry: its name, options and defaults, and how it is built."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Generic, TypeVar
from warnings import warn

from quaestor.errors import SettingsError
from quaestor.options import option, option_names, read_options, require_valid_options

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from quaestor.solvers.base import Solver

O = TypeVar("O", bound="DataclassInstance")  # noqa: E741 - of options

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NoOptions:
    """The options of a solver that has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceOptions:
    """How sure an answer is: whether that is measured, what it is computed by, and what becomes of unsure answers.

    Benchmarks count silence as wrong, so that a guess never hurts there; a person reads that several answers fit.
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
        """Refuse options that do not fit each other."""
        if self.abstain_below and self.calibration is None:
            raise SettingsError(
                "a model's answers have no confidence to withhold them by: name a calibration, which "
                "`quaestor calibrate RUN` learns from a run with the option measure=true"
            )

    @property
    def wanted(self) -> bool:
        """Whether anything of it is asked for."""
        return self.measure or self.calibration is not None or self.samples > 1


@dataclass(frozen=True, slots=True)
class RoleModel:
    """The model of a role that has one of its own.

    Attributes:
        model: The model's name; None for the run's.
        temperature: Of the sampling; None for the model's own.
    """

    model: str | None = None
    temperature: float | None = None


_RENAMED = {"told": "prompt_additions", "asked": "interactive_defaults", "benchmarked": "benchmark_defaults"}
_RENAMED |= {"any_kind": "mixed_answer_defaults", "around": "inner_option", "several": "inner_is_list"}
"""Fields of `SolverSpec` by the names that they had in version 0.2."""


def _warn_renamed(old: str) -> None:
    warn(f"the field {old!r} of SolverSpec is now {_RENAMED[old]!r}", DeprecationWarning, stacklevel=3)


def _accept_old_names(kind: type[T]) -> type[T]:
    """Let the fields of a class be given by their old names."""
    made = kind.__init__

    @wraps(made)
    def init(self: T, *args: object, **fields: object) -> None:
        for old in _RENAMED.keys() & fields.keys():
            _warn_renamed(old)
            fields[_RENAMED[old]] = fields.pop(old)
        made(self, *args, **fields)

    setattr(kind, "__init__", init)  # noqa: B010 - a method cannot be assigned
    return kind


@_accept_old_names
@dataclass(frozen=True, slots=True)
class SolverSpec(Generic[O]):
    """The entry of a solver in the registry.

    A module with one is imported to learn the solver's name and options: import what the solver itself needs in
    `build`.

    Attributes:
        name: The solver's name, and that of its entry point.
        summary: What it does, in a line.
        options: The type of its options: a frozen dataclass whose fields all have defaults (see `options.option`).
        takes_model: Whether it can ask a model.
        needs_model: Returns whether it must have a model, given its options; None if `takes_model` decides.
        prompts: The folders of its prompt templates, as `quaestor.prompts.render` names them.
        roles: The models of roles that have one of their own, by the names under which a turn has them.
        inner_option: The option that names a solver inside this one; the settings of that solver go to the option
            `INNER_OPTION_options`.
        inner_is_list: Whether that option names several solvers, separated by commas; `INNER_OPTION_options` then has
            the settings of each by its name.
        writes_plans: Whether its turns have events of plans, whose tries are figures of a run.
        prompt_additions: Returns the text that its options add to prompts, such as that of a file; part of the
            prompts' digest.
        interactive_defaults: Options for questions of a person, unless others are given.
        benchmark_defaults: Options for runs over a dataset, unless others are given.
        mixed_answer_defaults: Options for a dataset whose answers are not only numbers, unless others are given.
        loads: The modules that `build` needs; worker processes load them while the conversations are being read.
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

    if not TYPE_CHECKING:  # every name would be an attribute for type checkers

        def __getattr__(self, name: str) -> object:
            """Return a field by its old name."""
            if name not in _RENAMED:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            _warn_renamed(name)
            return getattr(self, _RENAMED[name])

    @property
    def words(self) -> str:
        """The solver's name in messages."""
        return f"the {self.name} solver"

    @property
    def option_names(self) -> tuple[str, ...]:
        """The names of its options."""
        return option_names(self.options)

    def inner_names(self, options: Mapping[str, object]) -> tuple[str, ...]:
        """Return the names that the option `inner_option` has: of solvers, or of what is used in place of one.

        Args:
            options: By name; the others have their defaults.
        """
        if self.inner_option is None:
            return ()
        named = str(options.get(self.inner_option, getattr(self.options(), self.inner_option)))
        return tuple(name.strip() for name in named.split(",")) if self.inner_is_list else (named,)

    def read(self, options: "Mapping[str, object] | DataclassInstance | None") -> O:
        """Return options, checked.

        Args:
            options: Of the spec's own type; or by name, as in settings and records, where a solver that takes a model
                ignores `model`, the name of the run's model; None for the defaults.

        Raises:
            SettingsError: There is no such option, or one is not what it may be.
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
        """Return whether it must have a model."""
        return self.takes_model if self.needs_model is None else self.needs_model(options)
