"""Agent solver: a model states what is asked, then answers with tools, in one conversation or in two phases.

The model comes with each turn; the solver keeps no state between turns.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import prod

from pydantic import JsonValue
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models import ModelRequestParameters

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import (
    AnswerClaimed,
    JsonObject,
    NoAnswerGiven,
    NotUnderstood,
    Understood,
    as_object,
    convert_to_storable,
)
from quaestor.conversation.turn import ToolCall
from quaestor.core.answer_value import Text, YesNo
from quaestor.core.computing import compute_little
from quaestor.errors import ModelReplyError, PlanError
from quaestor.graph.facts import SentenceFact
from quaestor.llm.models import Connection
from quaestor.llm.structured.replies import (
    ParsedReply,
    RequestedCall,
    initial_messages,
    quoted,
    read_json,
    return_results,
)
from quaestor.llm.structured.request import ModelLoop, TypedRequest
from quaestor.llm.structured.schema import plain_schema
from quaestor.plan.execute import execute
from quaestor.plan.steps import Plan
from quaestor.prompts import render
from quaestor.solvers import briefing
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
from quaestor.solvers.agent.protocol import (
    ANSWER,
    UNDERSTAND,
    FinalAnswer,
    Understanding,
    answer_request,
    parse_calls,
    shorten,
    tool_list,
)
from quaestor.solvers.agent.spec import AgentLimits, read_advice
from quaestor.solvers.answering import answer_from_plan, answer_without_value, remarks_with, shows_more
from quaestor.solvers.base import Excerpt, Query, TurnContext, WidenedExcerpt
from quaestor.solvers.explaining import (
    NOTHING_BOUND,
    Explainer,
    may_be_explained,
    named_passages,
    passage_names,
    stated_by,
)
from quaestor.solvers.signs import SIGN_DROPPED, drops_sign_unasked
from quaestor.solvers.tools.toolbox import Toolbox

MOST_CALLS = 16
"""Limit of calls in one reply."""
_MOST_SAME = 2
Settled = GroundedAnswer | NoAnswerGiven
_LARGEST_STEP = 1 << 62
"""Stores hold 64-bit integers, but a model may write any number as a step."""
_LONGEST_QUERY = 2000
_STEP = re.compile(r"#\s*(\d{1,4})\b")
_GIVING = ("query_kg", "find_in_text", "calculate")
"""Tools whose results are steps."""
_DOUBTED = "An earlier call in this reply did not give one step, so the steps named here may be others"


class AgentSolver:
    """Solver that asks the model of the turn."""

    name = "agent"

    def __init__(self, limits: AgentLimits | None = None) -> None:
        """Read the advice file.

        Raises:
            SettingsError: The advice cannot be read.
        """
        self.limits = limits or AgentLimits()
        self._advice = read_advice(self.limits.advice)

    @cached_property
    def _system(self) -> str:
        return render("agent/system", advice=self._advice)

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the answer given by the plan of the model's tool calls, without a value if the model finds none.

        If the model finds none in an excerpt without having searched the document, it gets a wider excerpt once.

        The trace records how the model understands the question. `Answer.reason` notes where the number claimed by the
        model differs from the plan's, and which numbers no tool returned.
        """
        model = context.model_for()
        first = None
        if self.limits.two_phases:
            first = await self._understand(question, context, model)
        while True:
            sentences = await compute_little(briefing.near_sentences, question, context)
            page = await compute_little(page_variables, question, context)
            whole = bool(page["whole"])
            prompt = self._prompt(page, first, model, searching=context.search is not None)
            rounds = AnswerRounds(model, context, self.limits, sentences, first, whole)
            settled = await rounds.run("ANSWER", initial_messages(self._system, prompt))
            if not isinstance(settled, NoAnswerGiven):
                break
            if not await shows_more(context, question, settled.reason, settled.explanation):
                return answer_without_value(context, settled.reason, settled.explanation)
        thought = rounds.understanding.description if rounds.understanding else ""
        plan = replace(settled.plan, thought=thought)
        remarks = remarks_with(rounds.assumption, settled.remarks)
        return await compute_little(answer_from_plan, plan, context, question=question, reason=remarks)

    async def _understand(self, question: str, context: TurnContext, model: Connection) -> Understanding | None:
        """Ask the model how it understands a question, before it has tools; None if it does not say.

        A model without an understanding may still answer, so this is not an error.
        """
        prompt = await compute_little(lambda: render("agent/understand", **page_variables(question, context)))
        request = TypedRequest(
            model,
            Understanding,
            UNDERSTAND,
            "Say how you understand the question.",
            attempts=self.limits.repairs + 1,
            on_rejected=context.note_rejected,
        )
        try:
            found = await request.ask(prompt, "UNDERSTAND", self._system)
        except ModelReplyError as error:
            context.trace.append(NotUnderstood(str(error)))
            return None
        context.trace.append(Understood(list_understood_fields(found)))
        return found

    def _prompt(
        self, page: Mapping[str, object], understanding: Understanding | None, model: Connection, *, searching: bool
    ) -> str:
        return render(
            "agent/answer",
            **page,
            two_phases=self.limits.two_phases,
            understanding=json.dumps(list_understood_fields(understanding), ensure_ascii=False)
            if understanding
            else None,
            native=model.spec.profile.tools,
            tool=ANSWER,
            tools=tool_list(not self.limits.two_phases, bool(page["whole"]), searching=searching),
            schema=json.dumps(plain_schema(FinalAnswer)),
            iterations=self.limits.iterations,
            calls=MOST_CALLS,
            always_answer=self.limits.always_answer,
        )


def page_variables(question: str, context: TurnContext) -> dict[str, object]:
    """Return the variables of prompts: the page, the conversation and the sentences near the question."""
    page = briefing.outline(context)
    explains = may_be_explained(context.read(question), context)
    names = passage_names(context.document.whole or context.document) if explains else {}
    sentences = [
        f"{names[sentence.section, sentence.index]}: {sentence.text}" if explains else f"- {sentence.text}"
        for sentence in briefing.near_sentences(question, context)
    ]
    return {
        "page": page,
        "whole": page["whole"],
        "sentences": sentences,
        **briefing.prompt_variables(question, context),
    }


def list_understood_fields(understanding: Understanding) -> JsonObject:
    """Return the fields of an understanding that are not empty."""
    return {name: value for name, value in as_object(understanding).items() if value not in ("", [], {})}


class AnswerRounds(ModelLoop[Settled]):
    """Rounds of tool calls in one turn, until the model answers or states why it cannot."""

    _gave_up = "gave up after {} unusable replies"

    def __init__(
        self,
        connection: Connection,
        context: TurnContext,
        limits: AgentLimits,
        sentences: Sequence[SentenceFact],
        understanding: Understanding | None,
        whole: bool,
    ) -> None:
        super().__init__(connection, ANSWER, context.note_rejected, replies=limits.iterations, repairs=limits.repairs)
        self.context, self.limits, self.understanding, self.whole = context, limits, understanding, whole
        self.assumption: str | None = None
        self.native = connection.spec.profile.tools
        # Named by position in the whole document, so that a search that adds sentences renames none.
        passages = passage_names(context.document.whole or context.document)
        self._explainer = Explainer(context, name=lambda _, sentence: passages[sentence.section, sentence.index])
        self._explains = may_be_explained(context.question, context)
        self._seen: Counter[tuple[str, str]] = Counter()
        self._challenged = False
        search = self._find if context.search is not None else None
        self._box = Toolbox(context.graph, context.ontology, context.memory, context.note_call, search)
        self._box.draft.accept_numbers_of(context.question.text)
        places = {sentence.place for sentence in sentences}
        self._box.draft.know(mention for mention in context.graph.mentions if mention.place in places)

    def _find(self, query: Query) -> WidenedExcerpt:
        blocks = self.context.widen(query)
        return WidenedExcerpt(Excerpt(self.context.document), self.context.graph, blocks)

    def _phase_of(self, number: int) -> str:
        return f"ANSWER_iteration_{number}"

    def _parameters(self) -> ModelRequestParameters:
        searching, stating = self.context.search is not None, not self.limits.two_phases
        return answer_request(self.native, stating, self.whole, not self.left, searching=searching)

    async def _take(self, reply: ParsedReply) -> Settled | ModelRequest:
        reply = reply if reply.calls else replace(reply, calls=parse_calls(reply.text))
        self._note_understanding(reply)
        # Tools read the graph and, in a long document, an index file.
        off_the_loop = compute_little if self.context.search is None else asyncio.to_thread
        return await off_the_loop(self._calls if reply.calls else self._words, reply)

    def _note_understanding(self, reply: ParsedReply) -> None:
        """Record the understanding stated in a reply, once per turn; the first reply may omit it."""
        if self.limits.two_phases or self.understanding is not None:
            return
        stated = next((called.arguments for called in reply.calls if called.tool == UNDERSTAND), None)
        try:
            if stated is None:
                raise ModelReplyError("the first reply does not say how the question is understood")
            self.understanding = read_json(Understanding, stated)
            lookups = _queries(reply.calls)
            record = list_understood_fields(self.understanding)
            self.context.trace.append(Understood({**record, "lookups": list(lookups)} if lookups else record))
        except ModelReplyError as error:
            if not any(isinstance(event, NotUnderstood) for event in self.context.trace.events):
                self.context.trace.append(NotUnderstood(str(error)))

    def _words(self, reply: ParsedReply) -> Settled | ModelRequest:
        """Handle a reply without calls: an answer in words, or an unusable reply."""
        try:
            reply.require_whole()
            if not reply.text:
                raise ModelReplyError("the reply was empty")
            return self._settle(reply.text)
        except ModelReplyError as fault:
            self.reject([str(fault)])
            return return_results((), self._repair(f"This cannot be used: {fault}."))

    def _calls(self, reply: ParsedReply) -> Settled | ModelRequest:
        """Execute the calls of a reply in order, up to a usable answer."""
        results: list[tuple[RequestedCall, JsonValue]] = []
        before, unsure = len(self._box.draft.steps), False
        given: dict[int, int] = {}
        for place, written in enumerate(reply.calls):
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
                    self.reject([str(fault)])
                    results.append((called, _refusal(str(fault), "Answer again, or go on with the tools")))
            elif place >= MOST_CALLS:
                results.append((called, self._note(called, f"More than {MOST_CALLS} calls in one reply", "Call again")))
            elif doubted:
                results.append((called, self._note(called, _DOUBTED, "Look at the results, and call again")))
            else:
                result = self._result(called)
                if called.tool in _GIVING:
                    steps = _steps_of(result)
                    unsure = unsure or len(steps) != count_expected_steps(called)
                    given |= {} if unsure else dict(enumerate(steps, before + len(given) + 1))
                results.append((called, shorten(result, self._names())))
        return return_results(results, self._repair() if self._is_last_reply else "")

    def _names(self) -> Mapping[str, str]:
        """Return the names of the sentences shown now, if the question may be explained."""
        named = named_passages(self.context.document, self._explainer.name) if self._explains else {}
        return {sentence.text: name for name, sentence in named.items()}

    def _result(self, called: RequestedCall) -> Mapping[str, JsonValue]:
        key = (called.tool, called.text)
        self._seen[key] += 1
        if self._seen[key] <= _MOST_SAME:
            return self._box.call(called.tool, called.arguments)
        self.reject([f"the model repeats the call {called.tool}({quoted(called.text)[1:-1]})"])
        return self._note(
            called, f"This call was made {_MOST_SAME} times before, with the same result", "Use the result, or answer"
        )

    def _note(self, called: RequestedCall, error: str, suggestion: str) -> dict[str, JsonValue]:
        """Refuse a call without executing it, but record it."""
        refusal = _refusal(error, suggestion)
        self.context.note_call(ToolCall.ended(called.tool[:100], called.text[:1000], refusal))
        return refusal

    def _settle(self, written: object) -> Settled:
        try:
            final, claims = read_final(written)
            faults = self._explainer.bind(() if final.no_answer else final.sentences, self._box.draft.steps)
            if faults and self.left:
                raise ModelReplyError(faults[0])
            if final.answer is None and not final.words and not self._explainer.bound.templates:
                return self._silence(final)
            settled = self._scale_answer(final, self._ground_answer(final, claims))
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

    def _ground_answer(self, final: FinalAnswer, claims: Sequence[ClaimedAnswer]) -> GroundedAnswer:
        """Return the plan of an answer without its explanation; empty if the explanation is the whole answer."""
        question, document = self.context.question.text, self.context.document

        def stated(verdict: ClaimedAnswer) -> GroundedAnswer:
            if final.words:
                return ground_words(self._box.draft, final.words, [verdict], document, question)
            passages = self._explainer.bound.passages
            if not isinstance(verdict.value, YesNo) or not passages:
                raise ModelReplyError(f"nothing states {verdict.words}; calculate it, or copy what does in words")
            return GroundedAnswer(verdict, stated_by(passages, verdict.value), grounded=True)

        if (listed := ground_list(self._box.draft, final, stated)) is not None:
            return listed
        if final.words:
            return ground_words(self._box.draft, final.words, claims, document, question)
        if final.answer is None:
            return GroundedAnswer(ClaimedAnswer(Text(final.note)), Plan(()), grounded=True)
        try:
            return ground_answer(self._box.draft, final, claims)
        except ModelReplyError:
            if not claims or not isinstance(claims[0].value, YesNo) or not self._explainer.bound.passages:
                raise
            return stated(claims[0])

    def _scale_answer(self, final: FinalAnswer, settled: GroundedAnswer) -> GroundedAnswer:
        """Apply the scale stated by the model, unless the page contradicts it."""
        if final.scale is None or not settled.plan.steps:
            return settled
        result = execute(settled.plan, self._box.draft.history).result
        if sets_caption_aside(settled, result, final.scale, self.context.document):
            scale = result.scale.value
            self._challenge(f"{result.number:f} is in {scale} by the caption of its table. Leave scale out")
        return in_stated_scale(settled, result, final.scale, self.context.document)

    def _silence(self, final: FinalAnswer) -> NoAnswerGiven:
        """Return the reason why the model gives no answer; it must have looked something up first."""
        if not self._box.calls and final.no_answer != "ambiguous":
            self._challenge("Nothing was looked up. Look for it with the tools")
        unbound = final.sentences and not final.no_answer
        return NoAnswerGiven(final.no_answer or "not_on_page", NOTHING_BOUND if unbound else final.note)

    def _challenge(self, doubt: str) -> None:
        """Ask the model to reconsider its answer, at most once per turn."""
        if not self._challenged and self.left:
            self._challenged = True
            raise ModelReplyError(f"{doubt}, or repeat the answer to confirm it")

    @property
    def _is_last_reply(self) -> bool:
        return self.left == 1

    def _repair(self, fault: str = "") -> str:
        return render("agent/repair", fault=fault, last=self._is_last_reply, native=self.native, tool=ANSWER)


def _steps_of(result: Mapping[str, JsonValue]) -> list[int]:
    values = result.get("values") if "step" not in result else None
    given = [result, *(value for value in values if isinstance(value, dict))] if isinstance(values, list) else [result]
    return [step for one in given if isinstance(step := one.get("step"), int)]


def _arguments(called: RequestedCall) -> JsonValue:
    """Parse the arguments of a call; return the text if they are not JSON."""
    try:
        read: JsonValue = json.loads(called.text)
    except (ValueError, RecursionError):
        return called.text
    return read


def count_expected_steps(called: RequestedCall) -> int:
    """Return how many steps a model may expect from a call: one, or one per combination of the filters' values."""
    given = _arguments(called)
    filters = given.get("filters") if isinstance(given, dict) else None
    values = filters.values() if isinstance(filters, dict) else ()
    return prod(len(value) for value in values if isinstance(value, list))


def with_steps(called: RequestedCall, given: Mapping[int, int]) -> RequestedCall:
    """Replace step numbers that a model predicted within one reply by the actual ones."""
    if all(step == became for step, became in given.items()):
        return called

    def renamed(value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return _STEP.sub(lambda found: f"#{given.get(int(found[1]), int(found[1]))}", value)
        if isinstance(value, list):
            return [renamed(one) for one in value]
        if isinstance(value, dict):
            return {name: renumbered(one) if name == "steps" else renamed(one) for name, one in value.items()}
        return value

    def renumbered(steps: JsonValue) -> JsonValue:
        if not isinstance(steps, list):
            return steps
        return [given.get(step, step) if type(step) is int else step for step in steps]

    new = renamed(_arguments(called))
    return replace(called, arguments=new if isinstance(new, str) else json.dumps(new, ensure_ascii=False))


def named_steps(called: RequestedCall) -> set[int]:
    """Return the steps of this turn that a call refers to, as `#3` or as numbers in its `steps`."""
    given = _arguments(called)
    steps = given.get("steps") if isinstance(given, dict) else None
    listed = {step for step in steps if type(step) is int} if isinstance(steps, list) else set()
    return listed | {int(digits) for digits in _STEP.findall(called.text)}


def _queries(calls: Sequence[RequestedCall]) -> list[JsonObject]:
    """Return the arguments of the queries among the calls, if they are objects."""
    query_calls = (called for called in calls[:MOST_CALLS] if called.tool == "query_kg")
    objects = (convert_to_storable(_arguments(called)) for called in query_calls if len(called.text) <= _LONGEST_QUERY)
    return [one for one in objects if isinstance(one, dict)]


def _refusal(error: str, suggestion: str) -> dict[str, JsonValue]:
    return {"success": False, "error": error, "suggestion": suggestion}
