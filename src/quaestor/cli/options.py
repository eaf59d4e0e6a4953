"""The arguments and options that several commands share, each worded once. `quaestor.cli.groups` puts them together."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from quaestor.solvers.agent.spec import AgentLimits
from quaestor.solvers.confidence.options import ConfidenceOptions
from quaestor.solvers.embedded.spec import EmbeddedOptions
from quaestor.solvers.options import option_help
from quaestor.solvers.reflection.spec import ReflectionOptions

_ADVICE = option_help(AgentLimits, "advice")
_WEIGHTS = option_help(EmbeddedOptions, "weights")
_ABSTAIN = option_help(EmbeddedOptions, "abstain_below")
_SAMPLES = option_help(ConfidenceOptions, "samples")
_EXPERT = option_help(ReflectionOptions, "expert")

DatasetArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATASET",
        help="A dataset file, such as one of ConvFinQA or TAT-QA or of questions about files (see --documents), or "
        "`sample`.",
    ),
]
JudgeOption = Annotated[
    str | None,
    typer.Option(
        "--judge",
        help="Model that judges answers in prose to questions about files; its verdicts are kept beside the dataset. "
        "Without one, prose is compared roughly, by its words.",
        metavar="NAME",
    ),
]
DocumentsOption = Annotated[
    Path | None,
    typer.Option(
        "--documents",
        help="Folder of the files that the questions of the dataset are about; by default they lie beside it.",
        metavar="DIR",
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
SolverOption = Annotated[
    str | None, typer.Option("--solver", help="Solver that answers the questions.", metavar="NAME")
]
ExpertOption = Annotated[
    str | None,
    typer.Option("--expert", help=f"For the reflection solver: {_EXPERT}.", metavar="NAME"),
]
SolverOptionOption = Annotated[
    list[str] | None,
    typer.Option("--option", help="Set any option of the solver by name. Can be repeated.", metavar="NAME=VALUE"),
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", min=1, help="Use only the first N conversations.", metavar="N")
]
ConversationsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--conversation",
        help="Use only this conversation, or all conversations of this page. Can be repeated.",
        metavar="ID",
    ),
]
SampleOption = Annotated[
    int | None, typer.Option("--sample", min=1, help="Use N randomly drawn conversations (see --seed).", metavar="N")
]
SeedOption = Annotated[int | None, typer.Option("--seed", help="Random seed for --sample; 0 by default.", metavar="S")]
ResumeOption = Annotated[
    str | None, typer.Option("--resume", help="Resume this run instead of starting a new one.", metavar="RUN")
]
StoreOption = Annotated[
    str | None,
    typer.Option("--store", help="Run store: sqlite:///PATH, a path or mongodb://HOST/DATABASE.", metavar="URI"),
]
CacheOption = Annotated[
    bool | None,
    typer.Option("--cache/--no-cache", help="Cache parsed files next to the store.", show_default="cache"),
]
OntologyOption = Annotated[
    str | None,
    typer.Option(
        "--ontology",
        help="Frozen ontology: a Turtle file, or the digest of one in the store.",
        metavar="FILE.ttl|DIGEST",
    ),
]
PolicyOption = Annotated[
    Literal["strict", "extend"] | None,
    typer.Option(
        "--policy",
        help="How to handle a label that is not in the ontology: strict reports an error, extend adds a property.",
    ),
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
ExcerptTokensOption = Annotated[
    int | None,
    typer.Option(
        "--excerpt-tokens",
        min=300,
        help="Approximate number of tokens of a long document to answer each question from.",
        metavar="N",
    ),
]
QuestionSecondsOption = Annotated[
    float | None,
    typer.Option(
        "--question-seconds",
        min=0.1,
        help="How many seconds of computing a question may take; waiting for a model does not count.",
        metavar="SECONDS",
    ),
]
UploadOption = Annotated[
    int | None, typer.Option("--upload-mb", min=1, help="Maximum size of an uploaded file, in megabytes.", metavar="N")
]
RequestOption = Annotated[
    int | None,
    typer.Option("--request-kb", min=1, help="Maximum size of any other API request, in kilobytes.", metavar="N"),
]
RateOption = Annotated[
    int | None,
    typer.Option(
        "--requests-per-minute",
        min=0,
        help="API requests allowed per client address and minute; 0 means unlimited.",
        metavar="N",
    ),
]
AtOnceOption = Annotated[
    int | None,
    typer.Option("--questions", min=1, help="Maximum number of questions in progress at a time.", metavar="N"),
]
OpenOption = Annotated[
    int | None, typer.Option("--conversations", min=1, help="Maximum number of open conversations.", metavar="N")
]
ProxiesOption = Annotated[
    str | None,
    typer.Option(
        "--trusted-proxies",
        help="Addresses and networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted, such as "
        "10.0.0.1,10.1.0.0/16; none by default.",
        metavar="ADDRESS,...",
    ),
]
KeepOption = Annotated[
    bool | None,
    typer.Option("--keep/--no-keep", help="Save questions and answers in the run store.", show_default="keep"),
]
TracesOption = Annotated[
    Path | None,
    typer.Option(
        "--traces",
        help="Write live traces to this folder: one file per conversation, one line per event.",
        metavar="DIR",
    ),
]
OutputOption = Annotated[
    Path | None, typer.Option("--output", help="Write one JSON object per turn to this file.", metavar="FILE.jsonl")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
WeightsOption = Annotated[
    Path | None,
    typer.Option(
        "--weights", help=f"For the embedded solver: {_WEIGHTS}.", metavar="DIR", exists=True, file_okay=False
    ),
]
AdviceOption = Annotated[
    Path | None,
    typer.Option("--advice", help=f"For the agent solver: {_ADVICE}.", metavar="FILE"),
]
AbstainOption = Annotated[
    float | None,
    typer.Option(
        "--abstain-below",
        min=0,
        max=1,
        help=f"{_ABSTAIN[0].upper()}{_ABSTAIN[1:]}; solvers that use a model also need --option calibration=FILE.",
        metavar="P",
    ),
]
SamplesOption = Annotated[
    int | None,
    typer.Option("--samples", min=1, help=f"For solvers that use a model: {_SAMPLES}.", metavar="K"),
]
WorkersOption = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="Number of conversations (for `read`, files) at once.", metavar="N"),
]
EngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help=(
            "How to distribute the work: inline (this process), processes or ray (a cluster). By default chosen "
            "for the solver."
        ),
        metavar="NAME",
    ),
]
AddressOption = Annotated[
    str | None,
    typer.Option(
        "--address",
        help="Ray cluster to use with --engine ray; by default a local one is started.",
        metavar="HOST:PORT",
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        help=(
            "Model to use: anthropic:NAME, openai:NAME, vllm:NAME, ollama:NAME or llama.cpp:NAME, each with an "
            "optional @URL; or the name of a \\[models.NAME] table in quaestor.toml."
        ),
        metavar="NAME",
    ),
]
RecordOption = Annotated[
    Path | None, typer.Option("--record", help="Record all exchanges with the model in this file.", metavar="FILE")
]
ReplayOption = Annotated[
    Path | None,
    typer.Option(
        "--replay", help="Replay the model's replies from this recording, without network access.", metavar="FILE"
    ),
]
MaxRequestsOption = Annotated[
    int | None, typer.Option("--max-requests", min=1, help="Stop the run after N model requests.", metavar="N")
]
MaxTokensOption = Annotated[
    int | None,
    typer.Option("--max-tokens", min=1, help="Stop the run after N tokens, input and output together.", metavar="N"),
]
MaxCostOption = Annotated[
    float | None,
    typer.Option("--max-cost", min=0, help="Stop the run when its cost reaches this many US dollars.", metavar="USD"),
]
