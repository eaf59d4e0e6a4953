"""Options that commands take together, as one value: defined here once, spread out for typer by `with_options`.

A command that has a parameter of one of these types takes all its options.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar, get_type_hints

import typer

from quaestor.cli.options import (
    AbstainOption,
    AddressOption,
    AdviceOption,
    AtOnceOption,
    CacheOption,
    ConversationsOption,
    DocumentsOption,
    EngineOption,
    ExpertOption,
    ForceOption,
    JsonOption,
    LimitOption,
    MaxCostOption,
    MaxRequestsOption,
    MaxTokensOption,
    ModelOption,
    OntologyOption,
    OpenOption,
    OutputOption,
    PolicyOption,
    RateOption,
    RecordOption,
    ReplayOption,
    RequestOption,
    ResumeOption,
    SampleOption,
    SamplesOption,
    SeedOption,
    SolverOption,
    SolverOptionOption,
    StoreOption,
    TracesOption,
    UploadOption,
    WeightsOption,
    WorkersOption,
)
from quaestor.settings import Setting

if TYPE_CHECKING:
    from quaestor.application.choosing import Choice
    from quaestor.application.live_traces import TraceOptions
    from quaestor.application.models import CassetteOptions
    from quaestor.application.solver_options import SolverOverrides
    from quaestor.settings import Settings

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class SolverOptions:
    """Who answers. A field but `solver` is an option of the solver by its own name."""

    solver: SolverOption = None
    expert: ExpertOption = None
    weights: WeightsOption = None
    abstain_below: AbstainOption = None
    samples: SamplesOption = None
    advice: AdviceOption = None
    option: SolverOptionOption = None

    @property
    def overrides(self) -> "SolverOverrides":
        """What it says of the solver itself, above the settings."""
        from quaestor.application.solver_options import SolverOverrides

        weights = str(self.weights.resolve()) if self.weights else None
        advice = str(self.advice.resolve()) if self.advice else None
        named = {
            "weights": weights,
            "abstain_below": self.abstain_below,
            "samples": self.samples,
            "expert": self.expert,
            "advice": advice,
        }
        return SolverOverrides(named, _pairs(self.option or ()))


def _pairs(given: Sequence[str]) -> dict[str, str]:
    """Return `NAME=VALUE` by name."""
    pairs: dict[str, str] = {}
    for pair in given:
        name, separator, value = pair.partition("=")
        name = name.strip().replace("-", "_")
        if not separator or not name:
            raise typer.BadParameter(f"invalid option {pair!r}: use NAME=VALUE", param_hint="--option")
        if name in pairs:
            raise typer.BadParameter(f"{name!r} is given more than once", param_hint="--option")
        pairs[name] = value
    return pairs


@dataclass(frozen=True, slots=True)
class OntologyOptions:
    """What pages are read with, and where it and everything else is kept."""

    ontology: OntologyOption = None
    policy: PolicyOption = None
    store: StoreOption = None
    cache: CacheOption = None

    @property
    def settings(self) -> dict[str, Setting | None]:
        """All of it is a setting too."""
        return {"ontology": self.ontology, "policy": self.policy, "store": self.store, "cache": self.cache}


@dataclass(frozen=True, slots=True)
class ServeLimits:
    """How much a server takes."""

    upload_mb: UploadOption = None
    request_kb: RequestOption = None
    requests_per_minute: RateOption = None
    questions: AtOnceOption = None
    conversations: OpenOption = None

    @property
    def settings(self) -> dict[str, Setting | None]:
        """All of it is a setting too."""
        return {f"serve_{field.name}": getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Which model is asked, what becomes of the exchanges, and what may be used."""

    model: ModelOption = None
    record: RecordOption = None
    replay: ReplayOption = None
    max_requests: MaxRequestsOption = None
    max_tokens: MaxTokensOption = None
    max_cost: MaxCostOption = None

    def cassette(self, used: Sequence[Path], *, force: bool) -> "CassetteOptions":
        """Return what becomes of the exchanges with the model.

        Args:
            used: The other files of the command.
            force: Whether a recording may replace a file.
        """
        from quaestor.application.models import CassetteOptions

        return CassetteOptions(self.record, self.replay, used, force)

    @property
    def settings(self) -> dict[str, Setting | None]:
        """What of it is a setting too."""
        return {
            "model": self.model,
            "max_requests": self.max_requests,
            "max_tokens": self.max_tokens,
            "max_cost": self.max_cost,
        }


@dataclass(frozen=True, slots=True)
class SpreadOptions:
    """How work is spread: over how many, by what."""

    workers: WorkersOption = None
    engine: EngineOption = None
    address: AddressOption = None

    @property
    def settings(self) -> dict[str, Setting | None]:
        """All of it is a setting too."""
        return {"workers": self.workers, "engine": self.engine, "address": self.address}


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What is played, and how."""

    documents: DocumentsOption = None
    limit: LimitOption = None
    conversation: ConversationsOption = None
    sample: SampleOption = None
    seed: SeedOption = None
    resume: ResumeOption = None
    workers: WorkersOption = None
    engine: EngineOption = None
    address: AddressOption = None
    traces: TracesOption = None

    @property
    def spread(self) -> "SpreadOptions":
        """How it is spread."""
        return SpreadOptions(self.workers, self.engine, self.address)

    def trace_options(self, used: Sequence[Path], *, force: bool) -> "TraceOptions | None":
        """Return where traces are written, if anywhere.

        Args:
            used: The other files of the command.
            force: Whether traces may replace files.
        """
        from quaestor.application.live_traces import TraceOptions

        return TraceOptions(self.traces, used, force, go_on=self.resume is not None) if self.traces else None

    @property
    def choice(self) -> "Choice":
        """Which conversations are played."""
        from quaestor.application.choosing import Choice

        return Choice(self.limit, tuple(self.conversation or ()), self.sample, self.seed)


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """Where the results go."""

    output: OutputOption = None
    force: ForceOption = False
    json: JsonOption = False


def named_files(solver: SolverOptions, settings: "Settings") -> list[Path]:
    """Return the files that options or settings name and a command reads: none of them may be written."""
    files = [Path(settings.ontology)] if settings.ontology else []
    files += [solver.advice] if solver.advice else []
    return files + (sorted(solver.weights.iterdir()) if solver.weights else [])


def with_options(command: Callable[P, R]) -> Callable[..., R]:
    """Return a command whose parameters that are groups of options are spread out, for typer to read.

    Args:
        command: Takes arguments that typer knows, and dataclasses of this module.

    Raises:
        TypeError: Two groups have an option of the same name.
    """
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type] = {}
    hints = get_type_hints(command, include_extras=True)
    for parameter in inspect.signature(command).parameters.values():
        group = hints[parameter.name]
        if not (isinstance(group, type) and is_dataclass(group)):
            parameters.append(parameter.replace(annotation=group))
            continue
        groups[parameter.name] = group
        of_fields = get_type_hints(group, include_extras=True)
        for option in fields(group):
            default = inspect.Parameter.empty if option.default is MISSING else option.default
            kind = inspect.Parameter.KEYWORD_ONLY
            parameters.append(inspect.Parameter(option.name, kind, default=default, annotation=of_fields[option.name]))
    names = [parameter.name for parameter in parameters]
    if repeated := {name for name in names if names.count(name) > 1}:
        raise TypeError(f"{command.__name__} defines options more than once: {', '.join(sorted(repeated))}")

    @wraps(command)
    def spread(**given: object) -> R:
        for name, group in groups.items():
            given[name] = group(**{option.name: given.pop(option.name) for option in fields(group)})
        return command(**given)  # type: ignore[call-arg, arg-type]  # just what the signature of the command says

    signature = inspect.Signature([parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters])
    spread.__signature__ = signature  # type: ignore[attr-defined]  # how inspect is told
    spread.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return spread


def print_help_alone(context: typer.Context) -> None:
    """Print the help of a group of commands that is named without one of them: nothing went wrong."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit
