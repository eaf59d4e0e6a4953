"""The records that a run store keeps: runs, examples (conversations), turns, prompts, corrections; ontologies, graphs.

Made so that SQLite and MongoDB give back the same: plain JSON values, aware times in whole milliseconds, numbers of
the benchmark as decimal text, whole numbers of at most 64 bits. Holds what was asked and answered; has no field for
a reference answer.
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
    """Return the time in UTC, in whole milliseconds (finer ones do not survive BSON)."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


class _CheckedRecord:
    """A record that holds nothing which one of the stores would give back otherwise."""

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
    """Refuse what JSON holds and BSON does not."""
    found = [value]
    for one in found:  # it grows meanwhile
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
    """One run of a solver over a dataset. Unique by `id`.

    Attributes:
        id: Readable and unique: `20261120-214455-embedded-3f9a07c1`.
        spec: The RunSpec as JSON.
        spec_digest: Its digest; a run is resumed under the same one only.
        dataset_digest: Over the documents and questions that were read.
        status: `running` (or killed while it ran), `complete`, `failed` (by a defect: conversations are missing),
            `stopped` (by a person or an outage). All but `complete` can be resumed.
        finished: When it last came to an end.
        kind: `run` over a dataset; `ask`: questions of a person about one page; `import`: answers of another program
            to a dataset, which have no plan and are verified by nobody.
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
    """One conversation of a run. Unique by `(run, conversation)`.

    Attributes:
        status: `pending` (begun, not ended), `complete`, `failed` (the solver broke off with a defect), `outage` (a
            service did not answer). All but `complete` are played again when the run is resumed.
        turns: How many of its turns came to their end.
        kg_stats: Counts of the document's graph, `instances` and `triples` among them, and its tables' `entityType`;
            empty if none was built.
        usage: What it used of models, all attempts included.
        attempt: Which time it is played, from 1; the store counts. Turns and prompts of this attempt count, those of
            earlier ones stay to be looked into.
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
    """What a runner claims a conversation with that several may want to play.

    Attributes:
        seconds: For how long, by the store's clock; 0 to MOST_SECONDS.
        seen: The last attempt at the conversation that the runner knows of, 0 if it knows of none: what another one
            has played since, to whatever end, is not to be played again.
        over: Who may hold it, and is known to be gone.
    """

    owner: str
    seconds: float
    seen: int = 0
    over: str | None = None


MOST_SECONDS = 3600.0
"""The longest that a claim holds. One that seems to hold for longer was made before a clock was put back."""


@dataclass(frozen=True, slots=True)
class TurnRecord(_CheckedRecord):
    """One turn of a conversation, as far as it is. Unique by `(run, conversation, attempt, index)`.

    Attributes:
        index: The turn's place in the conversation, from 0.
        answer: The Answer as `quaestor.core.serial` writes it.
        program: The plan as self-contained ConvFinQA program text, or None if it has none.
        number: The answer as `quaestor.core.answer_value.value_to_text` writes it, by the benchmark's convention:
            decimal text, `yes` or `no`, else JSON; None if there is none.
        verified: Whether the plan, executed again, gave the answer; never of an answer without a plan.
        finished: When the answer was there, or the turn broke off; None while it is being played.
        events: What happened between question and answer, as `quaestor.conversation.events` writes it.
        references: What the question referred to of the turns before it, as `quaestor.core.serial` writes it; empty in
            records of before it was kept.
        history: What the solver saw as the conversation so far: question and answer of each earlier turn.
        registers: The result of each step of the plan: value, scale, unit and sources.
        status: `understanding` (begun), `understanding_complete` (the solver has said what is asked) or `complete`. A
            turn that broke off keeps the one that it had, and has an error.
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
    """One request to a model and its reply, word for word. Unique by `(run, conversation, attempt, turn, number)`.

    Attributes:
        turn: The turn's place in the conversation, from 0.
        number: The request's place in the turn, from 0.
        phase: Which step of the solver asked, such as `UNDERSTAND` or `ANSWER_iteration_1`.
        response: What came back, or None if nothing did.
    """

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
    """What a person corrected in a conversation. Unique by `(run, conversation, attempt, number)`; never changed.

    Attributes:
        number: Its place among those of the conversation, from 1.
        act: What was done, as `quaestor.conversation.turn` has it, written by `quaestor.core.serial`.
        turns: How many questions were answered when it was made.
        reason: Why, in the author's words, or "".
        changes: The answers that it changed, likewise written.
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
    """A frozen ontology that is kept. Unique by `digest`."""

    digest: str
    created: datetime
    triples: int


@dataclass(frozen=True, slots=True)
class GraphKey:
    """What decides the graph of a page, and what it is kept under once it is frozen.

    Attributes:
        version: Of the quaestor that built it: another one may read a page otherwise.
    """

    document: str
    digest: str
    ontology: str
    version: str


@dataclass(frozen=True, slots=True)
class StoreCheck:
    """What was found of a store that was read whole.

    Attributes:
        problems: What is not as it was written, a line each; none if the store is whole.
    """

    problems: tuple[str, ...]
    contents: int
    unused: int


@dataclass(frozen=True, slots=True)
class VacuumResult:
    """What was given back.

    Attributes:
        contents: How many contents went that nothing referred to.
        left: How many records of runs that are gone went.
        before: Bytes of the file before; None of a server, which keeps its own house.
    """

    contents: int
    left: int = 0
    before: int | None = None
    after: int | None = None
