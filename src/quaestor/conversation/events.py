"""Events of a turn, and their text, JSON and trace."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Discriminator, Field, JsonValue

from quaestor.conversation.answer import confidence_words
from quaestor.core import serial
from quaestor.core.answer_value import AnswerValue, print_amount
from quaestor.core.quantity import Scale


@dataclass(frozen=True, slots=True)
class StageAnswered:
    """A stage of a cascade has ended.

    Attributes:
        stage: Its number, from 1.
        shown: The answer as displayed; None if it found none.
        confidence: The confidence of the answer, or None.
        least: The minimum confidence; None for the last stage.
        usage: The usage of models (see `Usage.counts`); empty if there was none.
    """

    stage: int
    solver: str
    accepted: Annotated[bool, Field(alias="taken")]
    shown: str | None = None
    confidence: float | None = None
    least: float | None = None
    error: str | None = None
    seconds: float = 0.0
    usage: Mapping[str, int] = field(default_factory=dict)
    kind: Literal["stage_answered"] = field(default="stage_answered", kw_only=True)

    def _lines(self) -> list[str]:
        shown = self.shown or f"no answer{f' ({self.error})' if self.error else ''}"
        sure = f", {words}" if (words := confidence_words(self.confidence)) else ""
        threshold = "" if self.least is None else f" (threshold {self.least:.0%})"
        outcome = "accepted" if self.accepted else "not accepted"
        return [f"stage {self.stage}, {self.solver}: {shown}{sure}{threshold}; {outcome}"]


@dataclass(frozen=True, slots=True)
class AnswerMeasured:
    """Measures of a model's answer, from which a confidence is learned. None of them is a probability that it is right.

    Attributes:
        agreement: The embedded solver's probability of the result; 0 if it does not give that result.
        rank: The rank of the result among the embedded solver's, from 1; 0 if it is not among them.
        findings: The number of computed findings against the plan.
        facts: How many of them are facts rather than rules of reading.
        ties: Look-ups whose runner-up had about the same score.
        repairs: Earlier replies and plans that were rejected.
        agreeing: The number of samples with this result.
    """

    agreement: float
    rank: int
    findings: int = 0
    facts: int = 0
    ties: int = 0
    repairs: int = 0
    agreeing: int = 1
    samples: int = 1
    kind: Literal["answer_measured"] = field(default="answer_measured", kw_only=True)

    def _lines(self) -> list[str]:
        place = f"its result {self.rank}" if self.rank else "not among its results"
        facts = f" ({self.facts} factual)" if self.facts else ""
        counts = f"{self.findings} findings{facts}, {self.ties} ties, {self.repairs} repairs"
        samples = f"; {self.agreeing} of {self.samples} samples agree" if self.samples > 1 else ""
        return [f"the embedded solver gives this answer {self.agreement:.0%} ({place}); {counts}{samples}"]


@dataclass(frozen=True, slots=True)
class Drafted:
    """An expert made a draft.

    Attributes:
        draft: Its number in the turn, from 1.
        result: The recomputed result, as displayed.
        says: The answer claimed by the expert, or None.
        checked: The checks that were applied, whatever they found.
    """

    draft: int
    steps: tuple[str, ...]
    result: str
    says: str | None = None
    checked: tuple[str, ...] = ()
    kind: Literal["drafted"] = field(default="drafted", kw_only=True)

    def _lines(self) -> list[str]:
        claim = (f"claims {self.says}",) if self.says else ()
        checked = [f"draft {self.draft}, checked: {'; '.join(self.checked)}"] if self.checked else []
        return [
            f"draft {self.draft}: {'; '.join((*self.steps, *claim))}",
            f"draft {self.draft}, recomputed: {self.result}",
            *checked,
        ]


@dataclass(frozen=True, slots=True)
class NotDrafted:
    """An expert failed to make another draft.

    Attributes:
        draft: The number that it would have had.
    """

    draft: int
    error: str
    kind: Literal["not_drafted"] = field(default="not_drafted", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"draft {self.draft}: none, {self.error}"]


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    """A check found something against a draft.

    Attributes:
        finding: The kind of finding: `arithmetic`, `period`, ...
        step: The step of the draft, from 1.
    """

    draft: int
    finding: str
    step: int
    text: str
    kind: Literal["evidence_found"] = field(default="evidence_found", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"draft {self.draft}, evidence: step {self.step} ({self.finding}): {self.text}"]


@dataclass(frozen=True, slots=True)
class VerdictGiven:
    """A critic judged a draft.

    Attributes:
        critic: What the critic judges: `extraction`, `calculation`.
        approves: Whether the draft is right in this respect.
    """

    draft: int
    critic: str
    approves: bool
    issues: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    kind: Literal["verdict_given"] = field(default="verdict_given", kw_only=True)

    def _lines(self) -> list[str]:
        verdict = "approves" if self.approves else "objects: " + "; ".join((*self.issues, *self.changes))
        return [f"draft {self.draft}, {self.critic} critic {verdict}"]


@dataclass(frozen=True, slots=True)
class VerdictMissing:
    """A critic gave no usable verdict on a draft.

    Attributes:
        error: The fault of its last reply.
    """

    draft: int
    critic: str
    error: str
    kind: Literal["verdict_missing"] = field(default="verdict_missing", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"draft {self.draft}, {self.critic} critic gave no usable verdict: {self.error}"]


@dataclass(frozen=True, slots=True)
class DraftSettled:
    """One of the drafts became the answer.

    Attributes:
        accepted: Whether there are no objections to it; else it is the one with the fewest.
    """

    draft: int
    drafts: int
    accepted: bool
    kind: Literal["draft_settled"] = field(default="draft_settled", kw_only=True)

    def _lines(self) -> list[str]:
        if self.accepted:
            return [f"draft {self.draft} is accepted"]
        return [f"none of {self.drafts} drafts is accepted; draft {self.draft} has the fewest objections"]


# The events of a turn: one frozen type each, distinguished by `kind`.
#
# A model's output is stored as it was written, objects as JSON objects, so that readers of events need not parse
# sentences.


JsonObject = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Note:
    """Any event without a separate kind, as text.

    Attributes:
        text: One or more lines.
        warning: Whether it is a reason to doubt the answer.
    """

    text: str
    warning: bool = False
    kind: Literal["note"] = field(default="note", kw_only=True)

    def _lines(self) -> list[str]:
        lines = self.text.splitlines() or [""]
        return [f"warning: {lines[0]}", *lines[1:]] if self.warning else lines


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """This turn answers one of several questions that were asked in one, as in earlier versions.

    Attributes:
        full_question: All questions as typed.
        number: The number of this part, from 1.
    """

    full_question: Annotated[str, Field(alias="asked")]
    number: int
    of: int
    kind: Literal["taken_apart"] = field(default="taken_apart", kw_only=True)

    def _lines(self) -> list[str]:
        return [f'question {self.number} of {self.of} in "{self.full_question}"']


@dataclass(frozen=True, slots=True)
class Understood:
    """A model described how it understands the question.

    Attributes:
        reading: Its description as sent, without empty fields.
    """

    reading: JsonObject
    kind: Literal["understood"] = field(default="understood", kw_only=True)

    def _lines(self) -> list[str]:
        return [_json(self.reading)]


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """A model did not describe how it understands the question; the turn continues without a description.

    Attributes:
        error: The fault of its last reply.
    """

    error: str
    kind: Literal["not_understood"] = field(default="not_understood", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"not understood: {self.error}"]


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """A tool was called. The arguments and the result are in the turn's calls.

    Attributes:
        call: The number of the call in the turn, from 1.
    """

    tool: str
    call: int
    kind: Literal["tool_called"] = field(default="tool_called", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"tool call {self.call}: {self.tool}"]


@dataclass(frozen=True, slots=True)
class ReplyRejected:
    """A reply of a model could not be used; it is requested again if attempts are left.

    Attributes:
        wanted: The wanted output, such as `write_plan`.
        number: The number of the rejected reply in the phase, from 1.
    """

    phase: str
    wanted: str
    number: int
    faults: tuple[str, ...]
    kind: Literal["reply_rejected"] = field(default="reply_rejected", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"{self.phase}, reply {self.number}: {'; '.join(self.faults)}"]


@dataclass(frozen=True, slots=True)
class AnswerClaimed:
    """A model claimed an answer.

    Units: a number is in units of `scale`.

    Attributes:
        steps: The tool results that the answer is based on.
        explanation: How it found the answer, in its words, or None.
    """

    value: AnswerValue
    scale: Scale = Scale.ONE
    unit: str | None = None
    steps: tuple[int, ...] = ()
    explanation: str | None = None
    kind: Literal["answer_claimed"] = field(default="answer_claimed", kw_only=True)

    def _lines(self) -> list[str]:
        steps = f" (steps {', '.join(map(str, self.steps))})" if self.steps else ""
        claimed = f"claimed: {print_amount(self.value, self.scale, self.unit)}{steps}"
        return [claimed, f"explained: {self.explanation}"] if self.explanation else [claimed]


NoAnswerReason = Literal["not_on_page", "ambiguous"]
"""Why there is no answer: the page does not have it, or several numbers fit equally well."""

WhyNoAnswer = Literal["not_on_page", "ambiguous", "no_question"]
"""Why a turn has no answer: a model's reason, or that the question asks for no number."""


@dataclass(frozen=True, slots=True)
class NoAnswerGiven:
    """A model, or a rule without exceptions, found that no answer can be given.

    Attributes:
        explanation: What is missing or what fits, in the model's words, or "".
    """

    reason: WhyNoAnswer
    explanation: str = ""
    kind: Literal["no_answer_given"] = field(default="no_answer_given", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"no answer: {no_answer_words(self.reason, self.explanation)}"]


@dataclass(frozen=True, slots=True)
class ValuesNamed:
    """First of two phases: a model named the values for the calculation.

    Attributes:
        wanted: The values with their queries, as sent.
    """

    wanted: JsonObject
    kind: Literal["values_named"] = field(default="values_named", kw_only=True)

    def _lines(self) -> list[str]:
        return [_json(self.wanted)]


@dataclass(frozen=True, slots=True)
class FormulaWritten:
    """Second of two phases: a model wrote a formula over the values.

    Attributes:
        formula: Arithmetic over their names; None if the model finds no answer.
    """

    formula: str | None
    reasoning: str = ""
    kind: Literal["formula_written"] = field(default="formula_written", kw_only=True)

    def _lines(self) -> list[str]:
        written = f"formula: {self.formula or 'none'}"
        return [written, f"reasoned: {self.reasoning}"] if self.reasoning else [written]


@dataclass(frozen=True, slots=True)
class PlanProposed:
    """A model wrote a whole plan.

    Attributes:
        number: The number of the plan in the turn, from 1.
        plan: The plan as sent.
    """

    number: int
    plan: JsonObject
    kind: Literal["plan_proposed"] = field(default="plan_proposed", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"plan {self.number}: {_json(self.plan)}"]


@dataclass(frozen=True, slots=True)
class PlanRefused:
    """A well-formed plan cannot be run.

    Attributes:
        number: The number of the plan in the turn, from 1.
    """

    phase: str
    number: int
    issues: tuple[str, ...]
    kind: Literal["plan_refused"] = field(default="plan_refused", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"{self.phase}, plan {self.number} cannot be run: {'; '.join(self.issues)}"]


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The words of a step were matched to a number of the page.

    Attributes:
        step: The step of the plan, from 1.
        score: The quality of the match, 0 to 100; None if it was not scored.
        runner_up: The second best match, or None.
    """

    step: int
    words: str
    found: str
    score: float | None = None
    runner_up: str | None = None
    runner_up_score: float | None = None
    kind: Literal["looked_up"] = field(default="looked_up", kw_only=True)

    def _lines(self) -> list[str]:
        runner_up = f"; runner-up {self.runner_up} {self.runner_up_score or 0:g}" if self.runner_up else ""
        how = "" if self.score is None else f" (score {self.score:g}{runner_up})"
        return [f"step {self.step}: {self.words} -> {self.found}{how}"]


@dataclass(frozen=True, slots=True)
class NumberPicked:
    """A model chose one of several numbers that match the words of a step.

    Attributes:
        step: The step of the plan, from 1.
        number: The position of the number in the list, from 1.
    """

    step: int
    number: int
    among: int
    kind: Literal["number_picked"] = field(default="number_picked", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"step {self.step}: pointed to {self.number} of {self.among} numbers"]


@dataclass(frozen=True, slots=True)
class CandidateChosen:
    """The best of the ranked plans was chosen.

    Attributes:
        share: Its probability among them.
    """

    candidates: int
    operation: str
    share: float
    kind: Literal["candidate_chosen"] = field(default="candidate_chosen", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"plans: {self.candidates:,}; chose {self.operation} ({self.share:.0%})"]


@dataclass(frozen=True, slots=True)
class CandidatePassedOver:
    """A likely plan was skipped because it has no result."""

    operation: str
    error: str
    kind: Literal["candidate_passed_over"] = field(default="candidate_passed_over", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"passed over {self.operation}: {self.error}"]


@dataclass(frozen=True, slots=True)
class ExpertEvent:
    """An event of another solver while it made a draft."""

    draft: int
    solver: str
    event: "Event"
    kind: Literal["expert_event"] = field(default="expert_event", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"draft {self.draft}, {self.solver}: {line}" for line in self.event._lines()]


@dataclass(frozen=True, slots=True)
class StageEvent:
    """An event of a stage of a cascade.

    Attributes:
        stage: The number of the stage, from 1.
    """

    stage: int
    solver: str
    event: "Event"
    kind: Literal["stage_event"] = field(default="stage_event", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"stage {self.stage}, {self.solver}: {line}" for line in self.event._lines()]


Event = Annotated[
    Note | QuestionPart | Understood | NotUnderstood | ToolCalled | ReplyRejected | AnswerClaimed | NoAnswerGiven
    | ValuesNamed | FormulaWritten | PlanProposed | PlanRefused | LookedUp | NumberPicked | CandidateChosen
    | CandidatePassedOver | Drafted | NotDrafted | EvidenceFound | VerdictGiven | VerdictMissing | DraftSettled
    | ExpertEvent | StageEvent | StageAnswered | AnswerMeasured,
    Discriminator("kind"),
]  # fmt: skip
"""Any event of a turn. Solvers of other packages use `Note` for events without a kind."""


def event_lines(events: Iterable[Event]) -> tuple[str, ...]:
    """Return events as lines of text, without line breaks inside."""
    return tuple(" ".join(line.splitlines()) for event in events for line in event._lines())


NO_ANSWER_WORDS: Mapping[WhyNoAnswer, str] = {
    "not_on_page": "not on the page",
    "ambiguous": "several answers fit",
    "no_question": "the question does not ask for a number on the page",
}
"""Reasons for a missing answer, in words."""


def no_answer_words(reason: WhyNoAnswer, explanation: str) -> str:
    """Return the reason for a missing answer: `not on the page: no line "research"`."""
    return ": ".join(part for part in (NO_ANSWER_WORDS[reason], explanation.strip()) if part)


_LARGEST = 1 << 63


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def as_object(record: object) -> JsonObject:
    """Convert a dataclass to a JSON object that every store accepts, without None values.

    Integers of more than 64 bits and non-finite numbers, which models may write, become text.
    """
    written = convert_to_storable(serial.dump(record, compact=True))
    assert isinstance(written, dict)
    return written


def convert_to_storable(value: JsonValue) -> JsonValue:
    """Convert JSON to a form that every store accepts: integers of more than 64 bits and non-finite numbers as text."""
    if isinstance(value, dict):
        return {key.replace("\0", " "): convert_to_storable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [convert_to_storable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and not -_LARGEST <= value < _LARGEST:
        return str(value)
    return value


def dump_events(events: Sequence[Event]) -> list[JsonValue]:
    """Return events as JSON objects, in order."""
    written: list[JsonValue] = serial.dump(tuple(events), tuple[Event, ...])
    return written


def load_events(stored: Sequence[JsonValue]) -> tuple[Event, ...]:
    """Load the result of `dump_events`.

    Raises:
        StoredValueError: The data was not written by it.
    """
    read_as: type[tuple[Event, ...]] = tuple[Event, ...]
    return serial.restore(read_as, list(stored))


class Trace:
    """The events of a turn so far. Events can only be added and read."""

    __slots__ = ("_events", "_on_event")

    def __init__(self, on_event: Callable[[Event], None] | None = None) -> None:
        """Create an empty trace.

        Args:
            on_event: Called with each added event, in the thread that adds it.
        """
        self._events: list[Event] = []
        self._on_event = on_event

    def append(self, event: Event) -> None:
        """Add an event."""
        self._events.append(event)
        if self._on_event is not None:
            self._on_event(event)

    def extend(self, events: Iterable[Event]) -> None:
        """Add several events in order."""
        for event in events:
            self.append(event)

    @property
    def events(self) -> tuple[Event, ...]:
        """The events so far, in order."""
        return tuple(self._events)

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self._events)
