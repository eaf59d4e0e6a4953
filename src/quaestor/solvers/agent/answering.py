"""Rounds of tool calls until there is an answer."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from pydantic import JsonValue
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelMessage

from quaestor.conversation.events import (
    AnswerClaimed,
    JsonObject,
    NoAnswerGiven,
    NotUnderstood,
    ReplyRejected,
    holdable,
)
from quaestor.conversation.turn import ToolCall
from quaestor.core.answer_value import Text, YesNo
from quaestor.core.computing import compute_little
from quaestor.errors import ModelReplyError, PlanError
from quaestor.graph.facts import SentenceFact
from quaestor.llm.models import Connection
from quaestor.llm.structured.replies import ParsedReply, RequestedCall, answered, kept, quoted
from quaestor.llm.transcript import phase
from quaestor.plan.execute import execute
from quaestor.plan.steps import Plan
from quaestor.prompts import render
from quaestor.solvers.agent.claims import (
    ClaimedAnswer,
    GroundedAnswer,
    ground_answer,
    ground_list,
    ground_words,
    in_stated_scale,
    read_final,
    sets_caption_aside,
)
from quaestor.solvers.agent.messages import ANSWER, UNDERSTAND, FinalAnswer, Understanding
from quaestor.solvers.agent.protocol import answer_request, read_calls
from quaestor.solvers.agent.spec import AgentLimits
from quaestor.solvers.agent.telling import told as brief
from quaestor.solvers.agent.understanding import state
from quaestor.solvers.base import TurnContext
from quaestor.solvers.excerpts import Query
from quaestor.solvers.explaining import NOTHING_BOUND, Explainer, stated_by
from quaestor.solvers.signs import SIGN_DROPPED, drops_sign_unasked
from quaestor.solvers.tools.searching import SearchResult
from quaestor.solvers.tools.toolbox import Toolbox

MOST_CALLS = 16
"""Of one reply."""
_MOST_SAME = 2
Settled = GroundedAnswer | NoAnswerGiven
_LARGEST_STEP = 1 << 62
"""A model may write any number as a step; stores hold 64 bits."""
_PHASE = "ANSWER"
_LONGEST_QUERY = 2000
_STEP = re.compile(r"#\s*(\d{1,4})\b")
_GIVING = ("query_kg", "find_in_text", "calculate")
"""The tools that give steps."""
_DOUBTED = "An earlier call in this reply did not give one step, so the steps named here may be others"


@dataclass(slots=True)
class AnswerRounds:
    """The rounds of one turn.

    Attributes:
        sentences: The text that the model has before its eyes.
        understanding: As it was stated, or None.
        whole: Whether the prompt has all types, properties and instances of the page.
        assumption: What the answer takes for granted and the page does not say, in the model's words; or None.
    """

    connection: Connection
    context: TurnContext
    limits: AgentLimits
    messages: list[ModelMessage]
    sentences: Sequence[SentenceFact] = ()
    understanding: Understanding | None = None
    whole: bool = False
    _box: Toolbox = field(init=False)
    _explainer: Explainer = field(init=False)
    _seen: Counter[tuple[str, str]] = field(init=False, default_factory=Counter)
    _faults: int = field(init=False, default=0)
    _challenged: bool = field(init=False, default=False)
    _last: bool = field(init=False, default=False)
    assumption: str | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        context = self.context
        search = self._find if context.search is not None else None
        self._box = Toolbox(context.graph, context.ontology, context.memory, context.note_call, search)
        self._explainer = Explainer(context)
        self._box.draft.accept_numbers_of(context.question.text)
        places = {sentence.place for sentence in self.sentences}
        self._box.draft.know(mention for mention in context.graph.mentions if mention.place in places)

    @property
    def native(self) -> bool:
        """Whether the model makes tool calls itself."""
        return self.connection.spec.profile.tools

    def _find(self, query: Query) -> SearchResult:
        """Looks for more of a long document, which the turn is shown from then on."""
        blocks = self.context.widen(query)
        return SearchResult(blocks, self.context.document, self.context.graph)

    async def play(self) -> Settled:
        """Return the answer with its plan, or why there is none.

        Raises:
            ModelReplyError: No reply could be used within the bounds.
            OutageError: The model cannot be asked.
        """
        for number in range(1, self.limits.iterations + 1):
            self._last = number == self.limits.iterations
            with phase(f"{_PHASE}_iteration_{number}"):
                response = await model_request(
                    self.connection.model,
                    self.messages,
                    model_request_parameters=answer_request(
                        self.native,
                        not self.limits.two_phases,
                        self.whole,
                        self._last,
                        searching=self.context.search is not None,
                    ),
                )
            reading = read_calls(response)
            if reading.calls or reading.text:
                self.messages.append(kept(response))
            self._understood(reading)
            closing = number + 1 == self.limits.iterations
            # Tools go through the graph, in a long document also through an index in a file.
            off_the_loop = compute_little if self.context.search is None else asyncio.to_thread
            settled = await off_the_loop(self._calls if reading.calls else self._words, reading, closing)
            if settled is not None:
                return settled
        raise ModelReplyError(f"no answer within {self.limits.iterations} rounds; the model kept calling tools")

    def _understood(self, reading: ParsedReply) -> None:
        """Put the understanding on record that a reply states, once a turn; a first reply may do without."""
        if self.limits.two_phases or self.understanding is not None:
            return
        stated = next((called.arguments for called in reading.calls if called.tool == UNDERSTAND), None)
        try:
            if stated is None:
                raise ModelReplyError("the first reply does not say how the question is understood")
            self.understanding = state(self.context, stated, _queries(reading.calls))
        except ModelReplyError as error:
            if not any(isinstance(event, NotUnderstood) for event in self.context.trace.events):
                self.context.trace.append(NotUnderstood(str(error)))

    def _words(self, reading: ParsedReply, closing: bool) -> Settled | None:
        """Take a reply without calls: an answer in words, or nothing that can be used."""
        try:
            reading.require_whole()
            if not reading.text:
                raise ModelReplyError("the reply was empty")
            return self._settle(reading.text)
        except ModelReplyError as fault:
            self._fault(fault)
            self.messages.append(answered((), self._repair(f"This cannot be used: {fault}.", closing)))
        return None

    def _calls(self, reading: ParsedReply, closing: bool) -> Settled | None:
        """Make the calls of a reply, in order, up to an answer that stands."""
        results: list[tuple[RequestedCall, JsonValue]] = []
        before, unsure = len(self._box.draft.steps), False
        given: dict[int, int] = {}
        for place, written in enumerate(reading.calls):
            called = with_steps(written, given)
            doubted = unsure and any(step > before and step not in given for step in named_steps(written))
            if called.tool == UNDERSTAND and not self.limits.two_phases:
                results.append((called, "noted"))
            elif called.tool == ANSWER:
                try:
                    if doubted:
                        raise ModelReplyError(_DOUBTED)
                    return self._settle(called.arguments)
                except ModelReplyError as fault:
                    self._fault(fault)
                    results.append((called, _refusal(str(fault), "Answer again, or go on with the tools")))
            elif place >= MOST_CALLS:
                results.append((called, self._note(called, f"More than {MOST_CALLS} calls in one reply", "Call again")))
            elif doubted:
                results.append((called, self._note(called, _DOUBTED, "Look at the results, and call again")))
            else:
                result = self._result(called)
                if called.tool in _GIVING:
                    steps = _steps_of(result)
                    unsure = unsure or len(steps) != foreseen_steps(called)
                    given |= {} if unsure else dict(enumerate(steps, before + len(given) + 1))
                results.append((called, brief(result)))
        self.messages.append(answered(results, self._repair("", closing) if closing else ""))
        return None

    def _result(self, called: RequestedCall) -> Mapping[str, JsonValue]:
        key = (called.tool, called.text)
        self._seen[key] += 1
        if self._seen[key] <= _MOST_SAME:
            return self._box.call(called.tool, called.arguments)
        self._fault(ModelReplyError(f"the model repeats the call {called.tool}({quoted(called.text)[1:-1]})"))
        return self._note(
            called, f"This call was made {_MOST_SAME} times before, with the same result", "Use the result, or answer"
        )

    def _note(self, called: RequestedCall, error: str, suggestion: str) -> dict[str, JsonValue]:
        """Refuse a call without making it, and keep it on record all the same."""
        refusal = _refusal(error, suggestion)
        self.context.note_call(ToolCall.ended(called.tool[:100], called.text[:1000], refusal))
        return refusal

    def _settle(self, said: object) -> Settled:
        """Return an answer that stands, noting what the model claims.

        Raises:
            ModelReplyError: It cannot be used, or nothing bears it out and the model was not yet told so.
        """
        try:
            final, claims = read_final(said)
            told = self._explainer.bind(() if final.no_answer else final.sentences, self._box.draft.steps)
            if told and not self._last:
                raise ModelReplyError(told[0])
            if final.answer is None and not final.words and not self._explainer.bound.templates:
                return self._silence(final)
            settled = self._scaled(final, self._grounded(final, claims))
            plan = self._explainer.bound.plan(settled.plan)
            execute(plan, self._box.draft.history)
        except PlanError as error:
            raise ModelReplyError(f"the answer cannot be stored: {error}") from error
        if not settled.grounded and not (settled.assumes and final.assumption):
            self._challenge(f"{'; '.join(settled.remarks)}. Look it up or calculate it")
        remarks = [*settled.remarks, *self._explainer.remarks(plan, settled.remarks)]
        if drops_sign_unasked(settled.plan, self.context.question):
            self._challenge(f"{SIGN_DROPPED}. Calculate without absolute")
            remarks.append(SIGN_DROPPED)
        claim, steps = settled.claim, tuple(step for step in final.steps if abs(step) <= _LARGEST_STEP)
        self.context.trace.append(AnswerClaimed(claim.value, claim.scale, claim.unit, steps, final.note[:1000] or None))
        self.assumption = final.assumption
        return replace(settled, plan=plan, remarks=tuple(remarks))

    def _grounded(self, final: FinalAnswer, claims: Sequence[ClaimedAnswer]) -> GroundedAnswer:
        """Return the plan of an answer without its explanation, of one that explains alone an empty one."""
        asked, document = self.context.question.text, self.context.document

        def stated(verdict: ClaimedAnswer) -> GroundedAnswer:
            if final.words:
                return ground_words(self._box.draft, final.words, [verdict], document, asked)
            passages = self._explainer.bound.passages
            if not isinstance(verdict.value, YesNo) or not passages:
                raise ModelReplyError(f"nothing states {verdict.words}; calculate it, or copy what does in words")
            return GroundedAnswer(verdict, stated_by(passages, verdict.value), grounded=True)

        if (listed := ground_list(self._box.draft, final, stated)) is not None:
            return listed
        if final.words:
            return ground_words(self._box.draft, final.words, claims, document, asked)
        if final.answer is None:
            return GroundedAnswer(ClaimedAnswer(Text(final.note)), Plan(()), grounded=True)
        try:
            return ground_answer(self._box.draft, final, claims)
        except ModelReplyError:
            if not claims or not isinstance(claims[0].value, YesNo) or not self._explainer.bound.passages:
                raise
            return stated(claims[0])

    def _scaled(self, final: FinalAnswer, settled: GroundedAnswer) -> GroundedAnswer:
        """Return an answer in the scale that the model states, as far as the page does not say otherwise.

        Raises:
            ModelReplyError: Only the caption of a table says otherwise, and the model was not yet told so.
        """
        if final.scale is None or not settled.plan.steps:
            return settled
        result = execute(settled.plan, self._box.draft.history).result
        if sets_caption_aside(settled, result, final.scale, self.context.document):
            scale = result.scale.value
            self._challenge(f"{result.number:f} is in {scale} by the caption of its table. Leave scale out")
        return in_stated_scale(settled, result, final.scale, self.context.document)

    def _silence(self, final: FinalAnswer) -> NoAnswerGiven:
        """Return what a model says that gives no answer; what it has not looked for it may not find missing.

        Raises:
            ModelReplyError: It has not looked for anything.
        """
        if not self._box.calls and final.no_answer != "ambiguous":
            self._challenge("Nothing was looked up. Look for it with the tools")
        unbound = final.sentences and not final.no_answer
        return NoAnswerGiven(final.no_answer or "not_on_page", NOTHING_BOUND if unbound else final.note)

    def _challenge(self, doubt: str) -> None:
        """Tell a model once a turn that nothing bears out its answer.

        Raises:
            ModelReplyError: It was not yet told so.
        """
        if not self._challenged and not self._last:
            self._challenged = True
            raise ModelReplyError(f"{doubt}, or repeat the answer to confirm it")

    def _fault(self, fault: ModelReplyError) -> None:
        """Count a reply that cannot be used.

        Raises:
            ModelReplyError: There were too many of them.
        """
        self._faults += 1
        self.context.trace.append(ReplyRejected(_PHASE, ANSWER, self._faults, (str(fault),)))
        if self._faults > self.limits.repairs or self._last:
            raise ModelReplyError(f"gave up after {self._faults} unusable replies: {fault}") from fault

    def _repair(self, fault: str, closing: bool) -> str:
        return render("agent/repair", fault=fault, last=closing, native=self.native, tool=ANSWER)


def _steps_of(result: Mapping[str, JsonValue]) -> list[int]:
    """Return the steps that a call gave."""
    values = result.get("values") if "step" not in result else None
    told = [result, *(value for value in values if isinstance(value, dict))] if isinstance(values, list) else [result]
    return [step for one in told if isinstance(step := one.get("step"), int)]


def foreseen_steps(called: RequestedCall) -> int:
    """Return how many steps a model may expect of a call: one, or one for each of the values in its filters."""
    try:
        said = json.loads(called.text)
    except (ValueError, RecursionError):
        return 1
    filters = said.get("filters") if isinstance(said, dict) else None
    values = filters.values() if isinstance(filters, dict) else ()
    return prod(len(value) for value in values if isinstance(value, list))


def with_steps(called: RequestedCall, given: Mapping[int, int]) -> RequestedCall:
    """Return a call that names steps as a model could foresee them with those that they became.

    Args:
        given: Of the calls before it in the reply, by the number that each was to have.
    """
    if all(step == became for step, became in given.items()):
        return called

    def renamed(said: JsonValue) -> JsonValue:
        if isinstance(said, str):
            return _STEP.sub(lambda found: f"#{given.get(int(found[1]), int(found[1]))}", said)
        if isinstance(said, list):
            return [renamed(one) for one in said]
        if isinstance(said, dict):
            return {name: _renumbered(one, given) if name == "steps" else renamed(one) for name, one in said.items()}
        return said

    try:
        return replace(called, arguments=json.dumps(renamed(json.loads(called.text)), ensure_ascii=False))
    except (ValueError, RecursionError):
        return replace(called, arguments=str(renamed(called.text)))


def _renumbered(steps: JsonValue, given: Mapping[int, int]) -> JsonValue:
    return (
        [given.get(step, step) if type(step) is int else step for step in steps] if isinstance(steps, list) else steps
    )


def named_steps(called: RequestedCall) -> set[int]:
    """Return the steps of this turn that a call names, wherever it does: `#3`, or a number among its `steps`."""
    found = {int(digits) for digits in _STEP.findall(called.text)}
    try:
        said = json.loads(called.text)
    except (ValueError, RecursionError):
        return found
    steps = said.get("steps") if isinstance(said, dict) else None
    return found | {step for step in steps if type(step) is int} if isinstance(steps, list) else found


def _queries(calls: Sequence[RequestedCall]) -> list[JsonObject]:
    """Return the arguments of the queries among some calls, as far as they are objects."""
    found = []
    for called in calls[:MOST_CALLS]:
        if called.tool == "query_kg":
            try:
                said = holdable(json.loads(called.text[:_LONGEST_QUERY]))
            except (ValueError, RecursionError):
                continue
            if isinstance(said, dict):
                found.append(said)
    return found


def _refusal(error: str, suggestion: str) -> dict[str, JsonValue]:
    return {"success": False, "error": error, "suggestion": suggestion}
