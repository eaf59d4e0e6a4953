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
    typer.Argument(metavar="DATASET", help="A ConvFinQA file, or `sample` for the one that comes along."),
]
DatasetsArgument = Annotated[
    list[str],
    typer.Argument(metavar="DATASET...", help="ConvFinQA or TAT-QA files, or `sample`.", show_default=False),
]
RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="A run's id, the beginning of one, or `latest`.", show_default=False)
]
RunsArgument = Annotated[
    list[str],
    typer.Argument(metavar="RUN", help="Ids, beginnings of ids, or `latest`.", show_default=False),
]
SolverOption = Annotated[str | None, typer.Option("--solver", help="Which solver answers.", metavar="NAME")]
ExpertOption = Annotated[
    str | None,
    typer.Option("--expert", help=f"Of the reflection solver: {_EXPERT}.", metavar="NAME"),
]
SolverOptionOption = Annotated[
    list[str] | None,
    typer.Option("--option", help="Any option of the solver, by its name. May be given again.", metavar="NAME=VALUE"),
]
LimitOption = Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N conversations.", metavar="N")]
ConversationsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--conversation",
        help="Only this conversation; the id of a page names all that are about it. May be given again.",
        metavar="ID",
    ),
]
SampleOption = Annotated[
    int | None, typer.Option("--sample", min=1, help="Only N conversations, drawn by --seed.", metavar="N")
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", help="Which sample is drawn; 0 where it is not given.", metavar="S")
]
ResumeOption = Annotated[
    str | None, typer.Option("--resume", help="Go on with this run instead of a new one.", metavar="RUN")
]
StoreOption = Annotated[
    str | None,
    typer.Option("--store", help="The run store: sqlite:///PATH, a path or mongodb://HOST/DATABASE.", metavar="URI"),
]
CacheOption = Annotated[
    bool | None,
    typer.Option("--cache/--no-cache", help="Keep what was read of files beside the store.", show_default="cache"),
]
OntologyOption = Annotated[
    str | None,
    typer.Option("--ontology", help="A frozen ontology, a file or one of the store's.", metavar="FILE.ttl|DIGEST"),
]
PolicyOption = Annotated[
    Literal["strict", "extend"] | None,
    typer.Option("--policy", help="What becomes of a label that the ontology does not have: an error, or a property."),
]
PageArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATASET#PAGE",
        help="A file or `sample`, and the id of a page or of a conversation about it; or a file that holds one page.",
    ),
]
ConversationArgument = Annotated[
    str,
    typer.Argument(metavar="CONVERSATION", help="The id of a conversation, or of its page.", show_default=False),
]
TurnArgument = Annotated[int, typer.Argument(metavar="TURN", min=1, help="Its place in the conversation, from 1.")]
ExcerptTokensOption = Annotated[
    int | None,
    typer.Option(
        "--excerpt-tokens",
        min=300,
        help="About how many tokens of a long document a question is answered from.",
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
    int | None, typer.Option("--upload-mb", min=1, help="Megabytes of a file that is handed over.", metavar="N")
]
RequestOption = Annotated[
    int | None, typer.Option("--request-kb", min=1, help="Kilobytes of any other request of a program.", metavar="N")
]
RateOption = Annotated[
    int | None,
    typer.Option(
        "--requests-per-minute", min=0, help="How often programs of one address may ask; 0 is no limit.", metavar="N"
    ),
]
AtOnceOption = Annotated[
    int | None,
    typer.Option("--questions", min=1, help="How many questions may be under way at once.", metavar="N"),
]
OpenOption = Annotated[
    int | None, typer.Option("--conversations", min=1, help="How many conversations are held open.", metavar="N")
]
ProxiesOption = Annotated[
    str | None,
    typer.Option(
        "--trusted-proxies",
        help="Addresses and networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed, such as "
        "10.0.0.1,10.1.0.0/16; by default nobody's.",
        metavar="ADDRESS,...",
    ),
]
KeepOption = Annotated[
    bool | None,
    typer.Option("--keep/--no-keep", help="Keep questions and answers in the run store.", show_default="keep"),
]
TracesOption = Annotated[
    Path | None,
    typer.Option(
        "--traces",
        help="Write what happens to this folder as it happens: a file a conversation, a line for each thing.",
        metavar="DIR",
    ),
]
OutputOption = Annotated[
    Path | None, typer.Option("--output", help="Write one JSON object a turn to this file.", metavar="FILE.jsonl")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace files that are there already.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
WeightsOption = Annotated[
    Path | None,
    typer.Option("--weights", help=f"Of the embedded solver: {_WEIGHTS}.", metavar="DIR", exists=True, file_okay=False),
]
AdviceOption = Annotated[
    Path | None,
    typer.Option("--advice", help=f"Of the agent: {_ADVICE}.", metavar="FILE"),
]
AbstainOption = Annotated[
    float | None,
    typer.Option(
        "--abstain-below",
        min=0,
        max=1,
        help=f"{_ABSTAIN[0].upper()}{_ABSTAIN[1:]}; a model's need --option calibration=FILE.",
        metavar="P",
    ),
]
SamplesOption = Annotated[
    int | None,
    typer.Option("--samples", min=1, help=f"Of solvers that ask a model: {_SAMPLES}.", metavar="K"),
]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", min=1, help="How many conversations at once.", metavar="N")
]
EngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help="What spreads the work: inline (this process), processes or ray (many machines); by default what suits "
        "the solver.",
        metavar="NAME",
    ),
]
AddressOption = Annotated[
    str | None,
    typer.Option(
        "--address",
        help="The Ray cluster of --engine ray that this machine is a part of; by default one is started here.",
        metavar="HOST:PORT",
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="The model to ask: anthropic:NAME, openai:NAME, vllm:NAME, ollama:NAME, llama.cpp:NAME, any of them "
        "with @URL, or a \\[models.NAME] table of quaestor.toml.",
        metavar="NAME",
    ),
]
RecordOption = Annotated[
    Path | None, typer.Option("--record", help="Write all exchanges with the model to this file.", metavar="FILE")
]
ReplayOption = Annotated[
    Path | None,
    typer.Option("--replay", help="Take the model's replies from this recording, without a network.", metavar="FILE"),
]
MaxRequestsOption = Annotated[
    int | None, typer.Option("--max-requests", min=1, help="Stop the run after N requests to the model.", metavar="N")
]
MaxTokensOption = Annotated[
    int | None, typer.Option("--max-tokens", min=1, help="Stop the run after N tokens, read or written.", metavar="N")
]
MaxCostOption = Annotated[
    float | None, typer.Option("--max-cost", min=0, help="Stop the run after this many US dollars.", metavar="USD")
]
ProposalsOption = Annotated[
    Path | None,
    typer.Option(
        "--proposals",
        help="Only write what the model proposes to this file, to be reviewed.",
        metavar="FILE.json",
        dir_okay=False,
    ),
]
AcceptOption = Annotated[
    Path | None,
    typer.Option("--accept", help="Build with the proposals of this file that are accepted.", metavar="FILE.json"),
]
