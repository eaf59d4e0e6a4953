"""Records of the run store: runs, examples (conversations), turns, prompts, corrections, ontologies and graphs.

Their values survive both SQLite and MongoDB unchanged: plain JSON values, timezone-aware times in whole milliseconds,
benchmark numbers as decimal text, and integers of at most 64 bits. They hold questions and answers, but have no field
for reference answers.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from pydantic import JsonValue

RunStatus = Literal["running", "complete", "failed", "stopped"]
RunKind = Literal["run", "ask", "import"]
ExampleStatus = Literal["pending", "complete", "failed", "outage"]
TurnStatus = Literal["understanding", "understanding_complete", "complete"]


def now() -> datetime:
    """Return the current UTC time in whole milliseconds, as BSON has no finer resolution."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


class _CheckedRecord:
    """Record that is checked for values that one of the stores would change."""

    __slots__: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if isinstance(value, datetime):
                _check_time(name, value)
            elif isinstance(value, dict | list):
                _check_json(name, value)


def _check_time(name: str, moment: datetime) -> None:
    if moment.utcoffset() is None or moment.microsecond % 1000:
        raise ValueError(
            f"{name} must be a timezone-aware time in whole milliseconds, not {moment!r}; use records.now()"
        )


def _check_json(name: str, value: object) -> None:
    """Raise a ValueError for JSON values that BSON does not support."""
    found = [value]
    for one in found:  # the list grows during the loop
        if type(one) is str:
            continue
        if isinstance(one, dict):
            if "\0" in "".join(one):
                raise ValueError(f"{name} has a key with a zero byte, which stores do not support")
            found.extend(one.values())
        elif isinstance(one, list):
            found.extend(one)
        elif isinstance(one, int) and not -(1 << 63) <= one < 1 << 63:
            raise ValueError(f"{name} holds {one}, which does not fit into 64 bits; store it as text")


@dataclass(frozen=True, slots=True)
class RunRecord(_CheckedRecord):
    """Run of a solver over a dataset. Unique by `id`.

    Attributes:
        id: Readable and unique: `20261120-214455-embedded-3f9a07c1`.
        spec: The RunSpec as JSON.
        spec_digest: Digest of the spec; a run can only be resumed with the same one.
        dataset_digest: Digest of the documents and questions.
        status: `running` (or killed while running), `complete`, `failed` (by a defect, with conversations missing) or
            `stopped` (by a person or an outage). All but `complete` can be resumed.
        finished: When it last ended.
        kind: `run` over a dataset; `ask`: a person's questions about one page; `import`: another program's answers to a
            dataset, without plans and verification.
    """

    id: str
    spec: dict[str, JsonValue]
    spec_digest: str
    dataset: str
    dataset_digest: str
    conversations: int
    started: datetime
    status: RunStatus = "running"
    finished: datetime | None = None
    kind: RunKind = "run"


@dataclass(frozen=True, slots=True)
class ConversationRecord(_CheckedRecord):
    """Conversation of a run. Unique by `(run, conversation)`.

    Attributes:
        status: `pending` (begun, not ended), `complete`, `failed` (by a defect of the solver) or `outage` (a service
            did not answer). All but `complete` are run again when the run is resumed.
        turns: Number of ended turns.
        kg_stats: Counts of the document's graph, among them `instances` and `triples`, and its tables' `entityType`;
            empty without a graph.
        usage: Model usage of all attempts.
        attempt: Number of the attempt, from 1, assigned by the store. Turns and prompts of this attempt are current;
            earlier ones remain for inspection.
    """

    run: str
    conversation: str
    document: str
    status: ExampleStatus = "pending"
    turns: int = 0
    started: datetime | None = None
    finished: datetime | None = None
    error: str | None = None
    kg_stats: dict[str, JsonValue] = field(default_factory=dict)
    usage: dict[str, int] = field(default_factory=dict)
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Claim:
    """A runner's claim on a conversation that several runners may want to run.

    Attributes:
        seconds: Duration by the store's clock; 0 to MOST_SECONDS.
        seen: Last attempt that the runner knows, or 0: if another runner has run the conversation since, with whatever
            result, it is not run again.
        over: Owner of a claim who is known to be gone.
    """

    owner: str
    seconds: float
    seen: int = 0
    over: str | None = None


MOST_SECONDS = 3600.0
"""Longest duration of a claim. One that seems to last longer was made before the clock was set back."""


@dataclass(frozen=True, slots=True)
class TurnRecord(_CheckedRecord):
    """Turn of a conversation, possibly unfinished. Unique by `(run, conversation, attempt, index)`.

    Attributes:
        index: Index in the conversation, from 0.
        answer: The Answer, serialised by `quaestor.core.serial`.
        program: The plan as self-contained ConvFinQA program text, or None if it has none.
        number: The answer by the benchmark's convention, written as by `quaestor.core.answer_value.value_to_text`:
            decimal text, `yes` or `no`, else JSON; None without an answer.
        verified: Whether executing the plan again gave the answer; always False without a plan.
        finished: When the turn was answered or failed; None while it is running.
        events: Events between question and answer, as `quaestor.conversation.events` writes them.
        references: The question's references to earlier turns, serialised by `quaestor.core.serial`; empty in older
            records.
        history: The conversation so far as the solver saw it: question and answer of each earlier turn.
        registers: The result of each step of the plan: value, scale, unit and sources.
        status: `understanding` (begun), `understanding_complete` (the solver has interpreted the question) or
            `complete`. A failed turn keeps its last status, and has an error.
    """

    run: str
    conversation: str
    index: int
    question: str
    answer: dict[str, JsonValue]
    program: str | None
    number: str | None
    verified: bool
    started: datetime
    finished: datetime | None
    error: str | None = None
    sources: list[JsonValue] = field(default_factory=list)
    events: list[JsonValue] = field(default_factory=list)
    references: dict[str, JsonValue] = field(default_factory=dict)
    tool_calls: list[JsonValue] = field(default_factory=list)
    usage: dict[str, int] = field(default_factory=dict)
    history: list[JsonValue] = field(default_factory=list)
    registers: list[JsonValue] = field(default_factory=list)
    status: TurnStatus = "complete"
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class PromptRecord(_CheckedRecord):
    """Request to a model and its reply, word for word. Unique by `(run, conversation, attempt, turn, number)`."""

    run: str
    conversation: str
    turn: int
    number: int
    phase: str
    model: str
    prompt: str
    response: str | None
    started: datetime
    finished: datetime
    usage: dict[str, int] = field(default_factory=dict)
    error: str | None = None
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class CorrectionRecord(_CheckedRecord):
    """A person's correction of a conversation. Unique by `(run, conversation, attempt, number)`; never changed.

    Attributes:
        number: Number of the correction in the conversation, from 1.
        act: The act, as defined by `quaestor.conversation.turn`, serialised by `quaestor.core.serial`.
        turns: Number of questions answered at the time.
        reason: The author's reason, or "".
        changes: The changed answers, also serialised.
    """

    run: str
    conversation: str
    number: int
    act: dict[str, JsonValue]
    turns: int
    author: str
    made: datetime
    reason: str = ""
    changes: list[JsonValue] = field(default_factory=list)
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class OntologyRecord:
    """Stored frozen ontology. Unique by `digest`."""

    digest: str
    created: datetime
    triples: int


@dataclass(frozen=True, slots=True)
class GraphKey:
    """Key of a page's frozen graph: everything that the graph depends on."""

    document: str
    digest: str
    ontology: str
    version: str


@dataclass(frozen=True, slots=True)
class StoreCheck:
    """Result of checking a whole store."""

    problems: tuple[str, ...]
    contents: int
    unused: int


@dataclass(frozen=True, slots=True)
class VacuumResult:
    """Result of a vacuum."""

    contents: int
    left: int = 0
    before: int | None = None
    after: int | None = None
