"""What happens in a turn, as events: kinds, drafts, stages and what is measured; in words, as JSON and as a trace."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Discriminator, JsonValue

from quaestor.conversation.answer import confidence_words
from quaestor.core import serial
from quaestor.core.answer_value import AnswerValue, print_amount
from quaestor.core.quantity import Scale


@dataclass(frozen=True, slots=True)
class StageAnswered:
    """A stage of a cascade has ended.

    Attributes:
        stage: Which, from 1.
        taken: Whether its answer is the turn's.
        shown: The answer for people; None if it found none.
        confidence: How sure it is, if it gives one.
        least: How sure it had to be; None of the last stage.
        error: Why it found no answer, if it failed.
        seconds: How long it took.
        usage: What it asked of models, as `Usage.counts` has it; nothing of nothing.
    """

    stage: int
    solver: str
    taken: bool
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
        asked = "" if self.least is None else f" (threshold {self.least:.0%})"
        outcome = "accepted" if self.taken else "not accepted"
        return [f"stage {self.stage}, {self.solver}: {shown}{sure}{asked}; {outcome}"]


@dataclass(frozen=True, slots=True)
class AnswerMeasured:
    """What a confidence is learned from was counted of a model's answer. None of it is a probability that it is right.

    Attributes:
        agreement: What the embedded solver gives its result, as a probability; 0 if that does not think of it.
        rank: Which of the embedded solver's results it is, from 1; 0 if it is none of them.
        findings: What computed evidence has against the plan.
        facts: How many of these no reading can explain.
        ties: Look-ups whose runner-up fitted as well, or nearly.
        repairs: Replies and plans that were refused before.
        agreeing: How many of the samples came to this result.
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
        draft: Which of the turn, from 1.
        steps: Its steps for people, in order.
        result: What they come to, recomputed, for people.
        says: What the expert claims as the answer, if it claims one.
        checked: What was computed about it, whatever was found.
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
    """An expert made no other draft.

    Attributes:
        draft: Which of the turn it would have been.
    """

    draft: int
    error: str
    kind: Literal["not_drafted"] = field(default="not_drafted", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"draft {self.draft}: none, {self.error}"]


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    """Something was computed that speaks against a draft.

    Attributes:
        finding: What sort of thing: `arithmetic`, `period`, ...
        step: Which step of the draft, from 1.
        text: What is wrong and what would be right.
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
        critic: What it judges: `extraction`, `calculation`.
        approves: Whether the draft is right as far as that goes.
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
    """A critic gave no usable verdict about a draft.

    Attributes:
        critic: What it judges: `extraction`, `calculation`.
        error: What was wrong with its last reply.
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
        accepted: Whether it has no objections; else it is the one with fewest.
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
# What a model wrote is kept as it wrote it, a whole object as a JSON object; who reads
# an event back needs no parser of sentences.


JsonObject = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Note:
    """Anything that has no kind of its own, in words for people.

    Attributes:
        text: One line or several.
        warning: Whether a reader should doubt the answer because of it.
    """

    text: str
    warning: bool = False
    kind: Literal["note"] = field(default="note", kw_only=True)

    def _lines(self) -> list[str]:
        lines = self.text.splitlines() or [""]
        return [f"warning: {lines[0]}", *lines[1:]] if self.warning else lines


@dataclass(frozen=True, slots=True)
class TakenApart:
    """This turn answers one of several questions that a person asked in one, as turns of earlier versions do.

    Attributes:
        asked: The words as they were put.
        number: Which of its questions this is, from 1.
    """

    asked: str
    number: int
    of: int
    kind: Literal["taken_apart"] = field(default="taken_apart", kw_only=True)

    def _lines(self) -> list[str]:
        return [f'question {self.number} of {self.of} in "{self.asked}"']


@dataclass(frozen=True, slots=True)
class Understood:
    """A model described how it understands the question.

    Attributes:
        reading: Its description, as it is on the wire, without what it left empty.
    """

    reading: JsonObject
    kind: Literal["understood"] = field(default="understood", kw_only=True)

    def _lines(self) -> list[str]:
        return [_json(self.reading)]


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """A model did not describe how it understands the question; the turn goes on without.

    Attributes:
        error: What was wrong with its last reply.
    """

    error: str
    kind: Literal["not_understood"] = field(default="not_understood", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"not understood: {self.error}"]


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """A tool was called. What it was given and what it returned are in the turn's calls.

    Attributes:
        call: Which of the turn's calls it is, from 1.
    """

    tool: str
    call: int
    kind: Literal["tool_called"] = field(default="tool_called", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"tool call {self.call}: {self.tool}"]


@dataclass(frozen=True, slots=True)
class ReplyRejected:
    """A reply of a model could not be used; if there are attempts left it was asked again.

    Attributes:
        phase: What the requests are on record as.
        wanted: What was to be returned, such as `write_plan`.
        number: Which rejected reply of the phase, from 1.
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
    """A model claimed an answer, with its grounds.

    Units: a number is in units of `scale`.

    Attributes:
        scale: The multiplier that it states.
        unit: What it claims is counted, or None.
        steps: The tool results that it rests the answer on.
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
"""Why there is no answer: the page does not have it, or more than one number fits and nothing tells which."""

WhyNoAnswer = Literal["not_on_page", "ambiguous", "no_question"]
"""Why a turn has no answer: as models say it, or because no number is asked for."""


@dataclass(frozen=True, slots=True)
class NoAnswerGiven:
    """A model, or a rule that is certain, found that no answer can be given.

    Attributes:
        explanation: What is missing or what fits, in its words, or "".
    """

    reason: WhyNoAnswer
    explanation: str = ""
    kind: Literal["no_answer_given"] = field(default="no_answer_given", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"no answer: {no_answer_words(self.reason, self.explanation)}"]


@dataclass(frozen=True, slots=True)
class ValuesNamed:
    """First of two phases: a model named the values that the answer is computed from.

    Attributes:
        wanted: The values with their queries, as they are on the wire.
    """

    wanted: JsonObject
    kind: Literal["values_named"] = field(default="values_named", kw_only=True)

    def _lines(self) -> list[str]:
        return [_json(self.wanted)]


@dataclass(frozen=True, slots=True)
class FormulaWritten:
    """Second of two phases: a model wrote a formula over the values.

    Attributes:
        formula: Arithmetic over their names; None if it finds no answer.
        reasoning: Why, in its words, or "".
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
        number: Which plan of the turn, from 1.
        plan: As it is on the wire.
    """

    number: int
    plan: JsonObject
    kind: Literal["plan_proposed"] = field(default="plan_proposed", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"plan {self.number}: {_json(self.plan)}"]


@dataclass(frozen=True, slots=True)
class PlanRefused:
    """A plan without a fault in its form cannot be run.

    Attributes:
        number: Which plan of the turn, from 1.
    """

    phase: str
    number: int
    issues: tuple[str, ...]
    kind: Literal["plan_refused"] = field(default="plan_refused", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"{self.phase}, plan {self.number} cannot be run: {'; '.join(self.issues)}"]


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The words of a step led to a number of the page.

    Attributes:
        step: Which step of the plan, from 1.
        score: How well the words match it, 0 to 100; None if they were not weighed.
        runner_up: What fits next best, or None.
        runner_up_score: How well; None without one.
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
    """A model pointed at one of several numbers that the words of a step fit.

    Attributes:
        step: Which step of the plan, from 1.
        number: Its place among them, from 1.
    """

    step: int
    number: int
    among: int
    kind: Literal["number_picked"] = field(default="number_picked", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"step {self.step}: pointed to {self.number} of {self.among} numbers"]


@dataclass(frozen=True, slots=True)
class CandidateChosen:
    """A plan was chosen from all that were ranked.

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
    """A likely plan was left aside: it has no result."""

    operation: str
    error: str
    kind: Literal["candidate_passed_over"] = field(default="candidate_passed_over", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"passed over {self.operation}: {self.error}"]


@dataclass(frozen=True, slots=True)
class ExpertEvent:
    """Something happened while another solver made a draft."""

    draft: int
    solver: str
    event: "Event"
    kind: Literal["expert_event"] = field(default="expert_event", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"draft {self.draft}, {self.solver}: {line}" for line in self.event._lines()]


@dataclass(frozen=True, slots=True)
class StageEvent:
    """Something happened while a stage of a cascade looked for an answer.

    Attributes:
        stage: Which, from 1.
    """

    stage: int
    solver: str
    event: "Event"
    kind: Literal["stage_event"] = field(default="stage_event", kw_only=True)

    def _lines(self) -> list[str]:
        return [f"stage {self.stage}, {self.solver}: {line}" for line in self.event._lines()]


Event = Annotated[
    Note | TakenApart | Understood | NotUnderstood | ToolCalled | ReplyRejected | AnswerClaimed | NoAnswerGiven
    | ValuesNamed | FormulaWritten | PlanProposed | PlanRefused | LookedUp | NumberPicked | CandidateChosen
    | CandidatePassedOver | Drafted | NotDrafted | EvidenceFound | VerdictGiven | VerdictMissing | DraftSettled
    | ExpertEvent | StageEvent | StageAnswered | AnswerMeasured,
    Discriminator("kind"),
]  # fmt: skip
"""Anything that can happen in a turn. A solver of another package that needs a word of its own takes a `Note`."""


def event_lines(events: Iterable[Event]) -> tuple[str, ...]:
    """Return events in words, some in several lines, none with a line break in it."""
    return tuple(" ".join(line.splitlines()) for event in events for line in event._lines())


NO_ANSWER_WORDS: Mapping[WhyNoAnswer, str] = {
    "not_on_page": "not on the page",
    "ambiguous": "several answers fit",
    "no_question": "the question does not ask for a number on the page",
}
"""Why there is no answer, for people."""


def no_answer_words(reason: WhyNoAnswer, explanation: str) -> str:
    """Return the reason of a missing answer: `not on the page: no line "research"`."""
    return ": ".join(part for part in (NO_ANSWER_WORDS[reason], explanation.strip()) if part)


_LARGEST = 1 << 63


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def as_object(record: object) -> JsonObject:
    """Return a dataclass as a JSON object that every store can hold, without what is None.

    A whole number of more than 64 bits and a number that is not finite become text: a model may write either.
    """
    written = holdable(serial.dump(record, compact=True))
    assert isinstance(written, dict)
    return written


def holdable(value: JsonValue) -> JsonValue:
    """Return JSON as every store can hold it: whole numbers of more than 64 bits, and infinite ones, as text."""
    if isinstance(value, dict):
        return {key.replace("\0", " "): holdable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [holdable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and not -_LARGEST <= value < _LARGEST:
        return str(value)
    return value


def dump_events(events: Sequence[Event]) -> list[JsonValue]:
    """Return events as JSON objects, in their order."""
    written: list[JsonValue] = serial.dump(tuple(events), tuple[Event, ...])
    return written


def load_events(stored: Sequence[JsonValue]) -> tuple[Event, ...]:
    """Return the events that `dump_events` wrote.

    Raises:
        StoredValueError: It did not write this.
    """
    read_as: type[tuple[Event, ...]] = tuple[Event, ...]
    return serial.restore(read_as, list(stored))


class Trace:
    """The events of a turn so far. They can be added to and read, not changed, reordered or removed."""

    __slots__ = ("_events", "_on_event")

    def __init__(self, on_event: Callable[[Event], None] | None = None) -> None:
        """Begin without any.

        Args:
            on_event: Called with each as it is added, in the thread that adds it.
        """
        self._events: list[Event] = []
        self._on_event = on_event

    def append(self, event: Event) -> None:
        """Add what happened last."""
        self._events.append(event)
        if self._on_event is not None:
            self._on_event(event)

    def extend(self, events: Iterable[Event]) -> None:
        """Add several, in their order."""
        for event in events:
            self.append(event)

    @property
    def events(self) -> tuple[Event, ...]:
        """All of them so far, in their order."""
        return tuple(self._events)

    def __iter__(self) -> Iterator[Event]:
        """Yield those that are there now; what is added meanwhile is not among them."""
        return iter(self.events)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._events)
