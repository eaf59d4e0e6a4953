"""Arguments and options of the commands, each defined once; flags for settings are derived from `Settings`.

A command takes a group of options as a parameter whose type is the group; `with_options` expands it for typer.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, ParamSpec, TypeVar, get_type_hints

import typer

from quaestor.options import option_field, option_help
from quaestor.settings import SETTING_NAMES, Setting, Settings, load_settings
from quaestor.solvers.agent.spec import AgentLimits
from quaestor.solvers.embedded.spec import EmbeddedOptions
from quaestor.solvers.reflection.spec import ReflectionOptions
from quaestor.solvers.spec import ConfidenceOptions

if TYPE_CHECKING:
    from quaestor.application.ask_service import AskRequest
    from quaestor.application.conversation_filter import ConversationFilter
    from quaestor.application.live_traces import TraceOptions
    from quaestor.application.solver_options import CassetteOptions, SolverOverrides

P = ParamSpec("P")
R = TypeVar("R")

_ABSTAIN = option_help(EmbeddedOptions, "abstain_below")


def _flag(name: str) -> Any:
    described = option_field(Settings, name).metadata
    flag, least = described["flag"], described["least"]
    return typer.Option(
        flag,
        help=described["help"].replace("[", "\\["),
        min=least,
        metavar=described["metavar"],
        show_default=flag.partition("/")[0].removeprefix("--") if "/" in flag else True,
    )


DatasetArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATASET",
        help="A dataset file, such as one of ConvFinQA or TAT-QA or of questions about files (see --documents), or "
        "`sample`.",
    ),
]
DatasetsArgument = Annotated[
    list[str],
    typer.Argument(metavar="DATASET...", help="ConvFinQA or TAT-QA files, or `sample`.", show_default=False),
]
RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="Run id, a unique prefix of one, or `latest`.", show_default=False)
]
RunsArgument = Annotated[
    list[str],
    typer.Argument(metavar="RUN", help="Run ids, unique prefixes, or `latest`.", show_default=False),
]
PageArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATASET#PAGE",
        help=(
            "A file or `sample`, followed by the id of a page or of one of its conversations; or a file with a "
            "single page."
        ),
    ),
]
ConversationArgument = Annotated[
    str,
    typer.Argument(metavar="CONVERSATION", help="Id of a conversation or of its page.", show_default=False),
]
TurnArgument = Annotated[
    int, typer.Argument(metavar="TURN", min=1, help="Number of the turn in the conversation, starting at 1.")
]
LabelledOption = Annotated[
    str | None, typer.Option("--dataset", help="Labelled file, if it has moved.", metavar="FILE")
]
AuditOption = Annotated[
    Path | None,
    typer.Option(
        "--audit", help="Audit of the reference answers: a file with one entry per line.", metavar="FILE.jsonl"
    ),
]
JudgeOption = Annotated[
    str | None,
    typer.Option(
        "--judge",
        help="Model that judges answers in prose to questions about files; its verdicts are saved next to the dataset. "
        "Without one, prose is compared roughly, by its words.",
        metavar="NAME",
    ),
]
DocumentsOption = Annotated[
    Path | None,
    typer.Option(
        "--documents",
        help="Folder of the files that the questions of the dataset are about; by default the folder of the dataset.",
        metavar="DIR",
    ),
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", min=1, help="Use only the first N conversations.", metavar="N")
]
TracesOption = Annotated[
    Path | None,
    typer.Option(
        "--traces",
        help="Write live traces to this folder: one file per conversation, one line per event.",
        metavar="DIR",
    ),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
StoreOption = Annotated[str | None, _flag("store")]
CacheOption = Annotated[bool | None, _flag("cache")]
OntologyOption = Annotated[str | None, _flag("ontology")]
EngineOption = Annotated[str | None, _flag("engine")]
AddressOption = Annotated[str | None, _flag("address")]


@dataclass(frozen=True)
class SettingOptions:
    """A group of options, some of which are settings with the same name."""

    @property
    def settings(self) -> dict[str, Setting | None]:
        """The settings among the options; None if not given."""
        return {item.name: getattr(self, item.name) for item in fields(self) if item.name in SETTING_NAMES}

    def load(self) -> Settings:
        """Return the settings, with these options applied."""
        return load_settings(self.settings)


@dataclass(frozen=True)
class OntologyOptions(SettingOptions):
    """Ontology, policy, store and cache."""

    ontology: OntologyOption = None
    policy: Annotated[Literal["strict", "extend"] | None, _flag("policy")] = None
    store: StoreOption = None
    cache: CacheOption = None


@dataclass(frozen=True)
class SolverOptions(SettingOptions):
    """The solver and its options. Each field except `solver` is a solver option of the same name."""

    solver: Annotated[str | None, _flag("solver")] = None
    expert: Annotated[
        str | None,
        typer.Option(
            "--expert", help=f"For the reflection solver: {option_help(ReflectionOptions, 'expert')}.", metavar="NAME"
        ),
    ] = None
    weights: Annotated[
        Path | None,
        typer.Option(
            "--weights",
            help=f"For the embedded solver: {option_help(EmbeddedOptions, 'weights')}.",
            metavar="DIR",
            exists=True,
            file_okay=False,
        ),
    ] = None
    abstain_below: Annotated[
        float | None,
        typer.Option(
            "--abstain-below",
            min=0,
            max=1,
            help=f"{_ABSTAIN[0].upper()}{_ABSTAIN[1:]}; solvers that use a model also need --option calibration=FILE.",
            metavar="P",
        ),
    ] = None
    samples: Annotated[
        int | None,
        typer.Option(
            "--samples",
            min=1,
            help=f"For solvers that use a model: {option_help(ConfidenceOptions, 'samples')}.",
            metavar="K",
        ),
    ] = None
    advice: Annotated[
        Path | None,
        typer.Option("--advice", help=f"For the agent solver: {option_help(AgentLimits, 'advice')}.", metavar="FILE"),
    ] = None
    option: Annotated[
        list[str] | None,
        typer.Option("--option", help="Set any option of the solver by name. Can be repeated.", metavar="NAME=VALUE"),
    ] = None

    @property
    def overrides(self) -> "SolverOverrides":
        """The options of the solver that override the settings."""
        from quaestor.application.solver_options import SolverOverrides

        named = {
            "weights": str(self.weights.resolve()) if self.weights else None,
            "abstain_below": self.abstain_below,
            "samples": self.samples,
            "expert": self.expert,
            "advice": str(self.advice.resolve()) if self.advice else None,
        }
        return SolverOverrides(named, _pairs(self.option or ()))

    def read_files(self, settings: Settings) -> list[Path]:
        """Return the input files named in options and settings, which must not be overwritten."""
        files = [Path(settings.ontology)] if settings.ontology else []
        files += [self.advice] if self.advice else []
        return files + (sorted(self.weights.iterdir()) if self.weights else [])


def _pairs(given: Sequence[str]) -> dict[str, str]:
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


@dataclass(frozen=True)
class ModelOptions(SettingOptions):
    """The model and its budget."""

    model: Annotated[str | None, _flag("model")] = None
    max_requests: Annotated[int | None, _flag("max_requests")] = None
    max_tokens: Annotated[int | None, _flag("max_tokens")] = None
    max_cost: Annotated[float | None, _flag("max_cost")] = None


@dataclass(frozen=True)
class RecordedModelOptions(ModelOptions):
    """The model, its budget, and a file to record or replay exchanges."""

    record: Annotated[
        Path | None, typer.Option("--record", help="Record all exchanges with the model in this file.", metavar="FILE")
    ] = None
    replay: Annotated[
        Path | None,
        typer.Option(
            "--replay", help="Replay the model's replies from this recording, without network access.", metavar="FILE"
        ),
    ] = None

    def cassette(self, used_files: Sequence[Path], *, force: bool) -> "CassetteOptions":
        """Return how exchanges with the model are recorded or replayed."""
        from quaestor.application.solver_options import CassetteOptions

        return CassetteOptions(self.record, self.replay, used_files, force)


@dataclass(frozen=True)
class AnswerOptions(ModelOptions, OntologyOptions, SolverOptions):
    """Options for answering a user's questions, in `ask`, `chat`, `serve` and `mcp`."""

    excerpt_tokens: Annotated[int | None, _flag("excerpt_tokens")] = None
    question_seconds: Annotated[float | None, _flag("question_seconds")] = None
    keep_asked: Annotated[bool | None, _flag("keep_asked")] = None

    def request(self, settings: Settings, **more: Any) -> "AskRequest":
        """Create a request from these options; `more` sets its other fields."""
        from quaestor.application.ask_service import AskRequest
        from quaestor.application.file_cache import file_cache

        return AskRequest(
            settings,
            self.overrides,
            model_named=self.model is not None,
            keep=settings.keep_asked,
            cache=file_cache(settings),
            **more,
        )


@dataclass(frozen=True)
class AskOptions(AnswerOptions, RecordedModelOptions):
    """Options for questions about files, in `ask` and `chat`."""

    def used_files(self, settings: Settings, files: Sequence[str]) -> list[Path]:
        """Return the files that are read or written when answering questions about `files`."""
        from quaestor.application.resolve import page_file, store_file

        stored = store_file(settings.store)
        return [*map(page_file, files), *self.read_files(settings), *([stored] if stored else [])]


@dataclass(frozen=True)
class McpOptions(AnswerOptions):
    """Options of `mcp`, with the trusted proxies."""

    trusted_proxies: Annotated[str | None, _flag("trusted_proxies")] = None


@dataclass(frozen=True)
class ServeOptions(McpOptions):
    """Options of `serve`, with its limits."""

    serve_upload_mb: Annotated[int | None, _flag("serve_upload_mb")] = None
    serve_request_kb: Annotated[int | None, _flag("serve_request_kb")] = None
    serve_requests_per_minute: Annotated[int | None, _flag("serve_requests_per_minute")] = None
    serve_questions: Annotated[int | None, _flag("serve_questions")] = None
    serve_conversations: Annotated[int | None, _flag("serve_conversations")] = None


@dataclass(frozen=True)
class SpreadOptions(SettingOptions):
    """Workers, engine and cluster address."""

    workers: Annotated[int | None, _flag("workers")] = None
    engine: EngineOption = None
    address: AddressOption = None


@dataclass(frozen=True)
class RunOptions(SpreadOptions, RecordedModelOptions, OntologyOptions, SolverOptions):
    """Options that select the conversations of a dataset and how to answer them."""

    documents: DocumentsOption = None
    limit: LimitOption = None
    conversation: Annotated[
        list[str] | None,
        typer.Option(
            "--conversation",
            help="Use only this conversation, or all conversations of this page. Can be repeated.",
            metavar="ID",
        ),
    ] = None
    sample: Annotated[
        int | None,
        typer.Option("--sample", min=1, help="Use N randomly drawn conversations (see --seed).", metavar="N"),
    ] = None
    sample_seed: Annotated[
        int | None, typer.Option("--seed", help="Random seed for --sample; 0 by default.", metavar="S")
    ] = None
    resume: Annotated[
        str | None, typer.Option("--resume", help="Resume this run instead of starting a new one.", metavar="RUN")
    ] = None
    traces: TracesOption = None

    @property
    def conversation_filter(self) -> "ConversationFilter":
        """Selects the conversations to answer."""
        from quaestor.application.conversation_filter import ConversationFilter

        return ConversationFilter(self.limit, tuple(self.conversation or ()), self.sample, self.sample_seed)


def trace_options(
    folder: Path | None, used_files: Sequence[Path], *, force: bool, go_on: bool = False
) -> "TraceOptions | None":
    """Return the options for live traces, or None if they are not written."""
    if folder is None:
        return None
    from quaestor.application.live_traces import TraceOptions

    return TraceOptions(folder, used_files, force, go_on=go_on)


@dataclass(frozen=True)
class OutputOptions:
    """Output file and format of the results."""

    output: Annotated[
        Path | None, typer.Option("--output", help="Write one JSON object per turn to this file.", metavar="FILE.jsonl")
    ] = None
    force: ForceOption = False
    json: JsonOption = False


def with_options(command: Callable[P, R]) -> Callable[..., R]:
    """Return a command for typer that takes each option of its groups as a separate parameter."""
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

    @wraps(command)
    def collect_groups(**values: object) -> R:
        for name, group in groups.items():
            values[name] = group(**{option.name: values.pop(option.name) for option in fields(group)})
        return command(**values)  # type: ignore[call-arg, arg-type]  # the arguments of the signature below

    signature = inspect.Signature([parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters])
    collect_groups.__signature__ = signature  # type: ignore[attr-defined]  # read by inspect
    collect_groups.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return collect_groups


def command_group(help: str) -> typer.Typer:
    """Return a group of commands, which prints its help if it is called without a command."""

    def print_help_alone(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            print(context.get_help())
            raise typer.Exit

    return typer.Typer(help=help, invoke_without_command=True, callback=print_help_alone)
