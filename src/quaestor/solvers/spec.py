"""What a solver says of itself: all that the rest of the package knows of it besides that it solves."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from quaestor.errors import SettingsError
from quaestor.options import option_names, read_options, require_valid_options

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from quaestor.solvers.base import Solver

O = TypeVar("O", bound="DataclassInstance")  # noqa: E741 - of options


@dataclass(frozen=True, slots=True)
class NoOptions:
    """The options of a solver that has none."""


@dataclass(frozen=True, slots=True)
class RoleModel:
    """The model of a role that has one of its own.

    Attributes:
        model: The model's name; None for the run's.
        temperature: Of the sampling; None for the model's own.
    """

    model: str | None = None
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class SolverSpec(Generic[O]):
    """A solver by name.

    A module that holds one is imported to learn what a solver is called and takes: what the solver itself needs is
    imported in `build`.

    Attributes:
        name: What people call it; of its entry point too.
        summary: What it does, in a line.
        options: The type of its options: a frozen dataclass whose fields all have defaults (see `options.option`).
        takes_model: Whether it asks a model, or asks one if it is given one.
        needs_model: Whether it cannot do without one, with some options; None where `takes_model` says it.
        prompts: The folders of templates that it asks a model with, as `quaestor.prompts.render` names them.
        roles: The models of roles that have one of their own, by the names under which a turn has them.
        around: The option that names another solver that this one is built around; that solver's own settings go to
            the option `AROUND_options`.
        several: Whether that option names several, between commas; `AROUND_options` then has the settings of each by
            its name.
        writes_plans: Whether its turns are events of plans, whose tries are figures of a run.
        asked: Options that hold where a person asks, and no benchmark does, unless something else is said.
        benchmarked: Options that hold over a dataset, unless something else is said.
        any_kind: Options that hold over a dataset whose questions ask for all kinds of answers, unless something else
            is said; where a person asks, `asked` says them.
        told: What its options add to what a model is told, such as the text of a file; part of the prompts' digest.
        loads: The modules that `build` needs: what worker processes load while the conversations that they are to play
            are being read.
    """

    name: str
    summary: str
    build: "Callable[[O], Solver]"
    options: type[O] = NoOptions  # type: ignore[assignment]  # the default of a solver without options
    takes_model: bool = False
    needs_model: Callable[[O], bool] | None = None
    prompts: Callable[[O], tuple[str, ...]] = lambda _: ()
    roles: Callable[[O], Mapping[str, RoleModel]] = lambda _: {}
    around: str | None = None
    several: bool = False
    writes_plans: bool = False
    told: Callable[[O], str] = lambda _: ""
    asked: Mapping[str, bool | float | str] = field(default_factory=dict)
    benchmarked: Mapping[str, bool | float | str] = field(default_factory=dict)
    any_kind: Mapping[str, bool | float | str] = field(default_factory=dict)
    loads: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """What it is called in messages."""
        return f"the {self.name} solver"

    @property
    def option_names(self) -> tuple[str, ...]:
        """The names of its options."""
        return option_names(self.options)

    def inside(self, options: Mapping[str, object]) -> tuple[str, ...]:
        """Return the names that the option `around` has: of solvers, or of what is in for one.

        Args:
            options: By name; what they do not say is as by default.
        """
        if self.around is None:
            return ()
        named = str(options.get(self.around, getattr(self.options(), self.around)))
        return tuple(name.strip() for name in named.split(",")) if self.several else (named,)

    def read(self, options: "Mapping[str, object] | DataclassInstance | None") -> O:
        """Return options, checked.

        Args:
            options: Of the spec's own type; or by name, as settings and records have them, where `model` names the
                run's model for the record and is left aside by a solver that takes one; None for the defaults.

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
        """Return whether it cannot do without a model."""
        return self.takes_model if self.needs_model is None else self.needs_model(options)
