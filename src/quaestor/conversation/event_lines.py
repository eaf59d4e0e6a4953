"""Events as lines of text, and as the trace of a turn."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from pydantic import JsonValue

from quaestor.conversation.display import confidence_words
from quaestor.conversation.events import (
    AnswerClaimed,
    AnswerMeasured,
    CandidateChosen,
    CandidatePassedOver,
    Drafted,
    DraftSettled,
    Event,
    EvidenceFound,
    ExpertEvent,
    FormulaWritten,
    LookedUp,
    NoAnswerGiven,
    NotDrafted,
    Note,
    NotUnderstood,
    NumberPicked,
    PlanProposed,
    PlanRefused,
    ReplyRejected,
    StageAnswered,
    StageEvent,
    TakenApart,
    ToolCalled,
    Understood,
    ValuesNamed,
    VerdictGiven,
    VerdictMissing,
    WhyNoAnswer,
)
from quaestor.core.answer_value import print_amount

Worded = list[str]


def event_lines(events: Iterable[Event]) -> tuple[str, ...]:
    """Return events in words, some in several lines, none with a line break in it."""
    return tuple(" ".join(line.splitlines()) for event in events for line in _worded(event))


NO_ANSWER_WORDS: Mapping[WhyNoAnswer, str] = {
    "not_on_page": "not on the page",
    "ambiguous": "several answers fit",
    "no_question": "the question does not ask for a number on the page",
}
"""Why there is no answer, for people."""


def no_answer_words(reason: WhyNoAnswer, explanation: str) -> str:
    """Return the reason of a missing answer: `not on the page: no line "research"`."""
    return ": ".join(part for part in (NO_ANSWER_WORDS[reason], explanation.strip()) if part)


def _worded(event: Event) -> Worded:
    words: Callable[..., Worded] = _WORDS[type(event)]
    return words(event)


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _question_split(event: TakenApart) -> Worded:
    return [f'question {event.number} of {event.of} in "{event.asked}"']


def _understood(event: Understood) -> Worded:
    return [_json(event.reading)]


def _not_understood(event: NotUnderstood) -> Worded:
    return [f"not understood: {event.error}"]


def _tool_called(event: ToolCalled) -> Worded:
    return [f"tool call {event.call}: {event.tool}"]


def _reply_rejected(event: ReplyRejected) -> Worded:
    return [f"{event.phase}, reply {event.number}: {'; '.join(event.faults)}"]


def _answer_claimed(event: AnswerClaimed) -> Worded:
    steps = f" (steps {', '.join(map(str, event.steps))})" if event.steps else ""
    claimed = f"claimed: {print_amount(event.value, event.scale, event.unit)}{steps}"
    return [claimed, f"explained: {event.explanation}"] if event.explanation else [claimed]


def _no_answer_given(event: NoAnswerGiven) -> Worded:
    return [f"no answer: {no_answer_words(event.reason, event.explanation)}"]


def _values_named(event: ValuesNamed) -> Worded:
    return [_json(event.wanted)]


def _formula_written(event: FormulaWritten) -> Worded:
    written = f"formula: {event.formula or 'none'}"
    return [written, f"reasoned: {event.reasoning}"] if event.reasoning else [written]


def _plan_proposed(event: PlanProposed) -> Worded:
    return [f"plan {event.number}: {_json(event.plan)}"]


def _plan_refused(event: PlanRefused) -> Worded:
    return [f"{event.phase}, plan {event.number} cannot be run: {'; '.join(event.issues)}"]


def _looked_up(event: LookedUp) -> Worded:
    runner_up = f"; runner-up {event.runner_up} {event.runner_up_score or 0:g}" if event.runner_up else ""
    how = "" if event.score is None else f" (score {event.score:g}{runner_up})"
    return [f"step {event.step}: {event.words} -> {event.found}{how}"]


def _number_picked(event: NumberPicked) -> Worded:
    return [f"step {event.step}: pointed to {event.number} of {event.among} numbers"]


def _candidate_chosen(event: CandidateChosen) -> Worded:
    return [f"plans: {event.candidates:,}; chose {event.operation} ({event.share:.0%})"]


def _candidate_passed_over(event: CandidatePassedOver) -> Worded:
    return [f"passed over {event.operation}: {event.error}"]


def _drafted(event: Drafted) -> Worded:
    claim = (f"claims {event.says}",) if event.says else ()
    checked = [f"draft {event.draft}, checked: {'; '.join(event.checked)}"] if event.checked else []
    return [
        f"draft {event.draft}: {'; '.join((*event.steps, *claim))}",
        f"draft {event.draft}, recomputed: {event.result}",
        *checked,
    ]


def _not_drafted(event: NotDrafted) -> Worded:
    return [f"draft {event.draft}: none, {event.error}"]


def _evidence_found(event: EvidenceFound) -> Worded:
    return [f"draft {event.draft}, evidence: step {event.step} ({event.finding}): {event.text}"]


def _verdict_given(event: VerdictGiven) -> Worded:
    verdict = "approves" if event.approves else "objects: " + "; ".join((*event.issues, *event.changes))
    return [f"draft {event.draft}, {event.critic} critic {verdict}"]


def _verdict_missing(event: VerdictMissing) -> Worded:
    return [f"draft {event.draft}, {event.critic} critic gave no usable verdict: {event.error}"]


def _draft_settled(event: DraftSettled) -> Worded:
    if event.accepted:
        return [f"draft {event.draft} is accepted"]
    return [f"none of {event.drafts} drafts is accepted; draft {event.draft} has the fewest objections"]


def _expert_event(event: ExpertEvent) -> Worded:
    return [f"draft {event.draft}, {event.solver}: {line}" for line in _worded(event.event)]


def _stage_event(event: StageEvent) -> Worded:
    return [f"stage {event.stage}, {event.solver}: {line}" for line in _worded(event.event)]


def _stage_answered(event: StageAnswered) -> Worded:
    shown = event.shown or f"no answer{f' ({event.error})' if event.error else ''}"
    sure = f", {words}" if (words := confidence_words(event.confidence)) else ""
    asked = "" if event.least is None else f" (threshold {event.least:.0%})"
    outcome = "accepted" if event.taken else "not accepted"
    return [f"stage {event.stage}, {event.solver}: {shown}{sure}{asked}; {outcome}"]


def _answer_measured(event: AnswerMeasured) -> Worded:
    place = f"its result {event.rank}" if event.rank else "not among its results"
    facts = f" ({event.facts} factual)" if event.facts else ""
    counts = f"{event.findings} findings{facts}, {event.ties} ties, {event.repairs} repairs"
    samples = f"; {event.agreeing} of {event.samples} samples agree" if event.samples > 1 else ""
    return [f"the embedded solver gives this answer {event.agreement:.0%} ({place}); {counts}{samples}"]


def _note(event: Note) -> Worded:
    lines = event.text.splitlines() or [""]
    return [f"warning: {lines[0]}", *lines[1:]] if event.warning else lines


_WORDS: dict[type, Callable[..., Worded]] = {
    Note: _note,
    TakenApart: _question_split,
    Understood: _understood,
    NotUnderstood: _not_understood,
    ToolCalled: _tool_called,
    ReplyRejected: _reply_rejected,
    AnswerClaimed: _answer_claimed,
    NoAnswerGiven: _no_answer_given,
    ValuesNamed: _values_named,
    FormulaWritten: _formula_written,
    PlanProposed: _plan_proposed,
    PlanRefused: _plan_refused,
    LookedUp: _looked_up,
    NumberPicked: _number_picked,
    CandidateChosen: _candidate_chosen,
    CandidatePassedOver: _candidate_passed_over,
    Drafted: _drafted,
    NotDrafted: _not_drafted,
    EvidenceFound: _evidence_found,
    VerdictGiven: _verdict_given,
    VerdictMissing: _verdict_missing,
    DraftSettled: _draft_settled,
    ExpertEvent: _expert_event,
    StageEvent: _stage_event,
    StageAnswered: _stage_answered,
    AnswerMeasured: _answer_measured,
}


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
