"""Models as expert and critics: their prompts and replies; the turn decides which model serves a role."""

import asyncio
from collections.abc import Mapping, Sequence

from quaestor.conversation.events import NoAnswerGiven, Note
from quaestor.core.computing import compute
from quaestor.errors import ModelReplyError
from quaestor.llm.structured.request import TypedRequest
from quaestor.ontology.core import RuleKind
from quaestor.prompts import render
from quaestor.solvers import briefing
from quaestor.solvers.answering import no_answer_reason, remarks_with
from quaestor.solvers.base import TurnContext
from quaestor.solvers.explaining import NOTHING_BOUND, AnswerKinds, Explainer
from quaestor.solvers.reflection.candidates import likely_lines, page_for_prompt, sources_for_prompt
from quaestor.solvers.reflection.drafts import (
    Draft,
    NumberDraft,
    ParsedDraft,
    draft_words,
    examine_draft,
    parse_draft,
    without_grouped,
)
from quaestor.solvers.reflection.experts import DraftProposal, plan_steps, result_words
from quaestor.solvers.reflection.numbers import NumberIndex, sentence_code
from quaestor.solvers.reflection.solver import Duty, Verdict


class ModelExpert:
    """A model that writes drafts. All drafts of a turn belong to one conversation with the model."""

    revises = True

    def __init__(self, question: str, context: TurnContext, attempts: int, *, always_answer: bool = False) -> None:
        """Choose the prompts for the question."""
        self._question, self._context, self._attempts = question, context, attempts
        self._always_answer = always_answer
        self._numbers = NumberIndex(context.graph)
        self._explainer = Explainer(context, name=lambda _, one: sentence_code(one.section, one.index))
        self._kinds = AnswerKinds.of(context.read(question), context)
        self._talk = self._new_talk()
        self._parsed: ParsedDraft | None = None

    def _new_talk(self) -> TypedRequest[Draft]:
        return TypedRequest(
            self._context.model_for("expert"),
            Draft,
            "write_draft",
            "Steps and answer, for critics to judge.",
            attempts=self._attempts,
            on_rejected=self._context.note_rejected,
            check=self._check,
            doubt=self._doubt,
            shown=None if self._kinds.all else NumberDraft,
        )

    async def draft(self, number: int, objections: Sequence[str]) -> DraftProposal | NoAnswerGiven | None:
        """Return the model's next draft, or the reason for no answer."""
        draft = await self._ask(number, objections)
        if self._kinds.widen(draft.no_answer):
            self._talk = self._new_talk()
            draft = await self._ask(number, objections)
        if draft.no_answer is not None:
            return NoAnswerGiven(no_answer_reason(draft.no_answer), draft.reasoning)
        proposal = await compute(self._proposal, draft)
        return proposal if proposal.plan.steps else NoAnswerGiven("not_on_page", NOTHING_BOUND)

    async def _ask(self, number: int, objections: Sequence[str]) -> Draft:
        kinds = {"all_kinds": self._kinds.all, "explains": self._kinds.explained}
        system = render("reflection/expert_system", **kinds, always_answer=self._always_answer)
        return await self._talk.ask(await compute(self._prompt, objections), f"EXPERT_{number}", system)

    def _prompt(self, objections: Sequence[str]) -> str:
        context = self._context
        if self._talk.has_reply:
            return render("reflection/expert_again", objections=objections)
        return render(
            "reflection/expert",
            **briefing.prompt_variables(self._question, context),
            page=page_for_prompt(context.document, all_sentences=self._kinds.all),
            likely=likely_lines(self._question, context),
        )

    def _check(self, draft: Draft) -> Sequence[str]:
        if faults := self._kinds.faults(draft.no_answer):
            return faults
        turns = len(self._context.memory.turns)
        self._parsed = parse_draft(draft, self._question, self._numbers, self._context.document, turns)
        return self._parsed.faults

    def _doubt(self, draft: Draft) -> Sequence[str]:
        assert self._parsed is not None
        sentences = None if draft.no_answer is not None else draft.explanation
        return self._explainer.bind(sentences, self._parsed.plan.steps)

    def _proposal(self, draft: Draft) -> DraftProposal:
        context, understood = self._context, self._parsed
        assert understood is not None
        self._explainer.bind(draft.explanation, understood.plan.steps)
        plan, answer = self._explainer.settle(without_grouped(understood.plan), draft.verdict), understood.answer
        findings = understood.findings  # an explanation alone has no last operation to compare with the question
        if understood.plan.steps and not plan.explains_alone:
            findings = examine_draft(understood, self._question, context.memory, self._numbers)
        result, stated = result_words(plan, self._question, context), None if answer is None else answer.words
        remark = remarks_with(draft.assumption, self._explainer.remarks(plan))
        return DraftProposal(plan, draft_words(draft), plan_steps(plan), result, findings, remark, stated)


_DUTIES: Mapping[Duty, str] = {
    "extraction": "whether the right numbers were taken from the page",
    "calculation": "whether the right calculation was made with the numbers taken",
}
_BOTH = ", and ".join(_DUTIES.values())


class CriticRoles:
    """The critics of one turn: two, or a single one with both duties if checks find no fault in the first draft."""

    def __init__(self, question: str, context: TurnContext, attempts: int) -> None:
        """Create the critics; `attempts` limits the replies to one request."""
        self._question, self._context = question, context
        self._once: bool | None = None
        self._talks = {
            duty: TypedRequest(
                context.model_for(f"{duty}_critic"),
                Verdict,
                "give_verdict",
                "Whether the draft is correct, and if not, what to change.",
                attempts=attempts,
                on_rejected=context.note_rejected,
                check=_unexplained,
            )
            for duty in _DUTIES
        }

    async def judge(self, proposal: DraftProposal, number: int) -> Mapping[Duty, Verdict | str]:
        """Ask the critics concurrently for verdicts on a draft; return a verdict or an error message for each.

        A draft without a calculation needs only the extraction critic.

        Raises:
            OutageError: A critic is not available.
        """
        if self._once is None:
            one_model = len({id(talk.connection) for talk in self._talks.values()}) == 1
            self._once = one_model and proposal.computes and not proposal.findings
        duties = [duty for duty in _DUTIES if duty == "extraction" or (proposal.computes and not self._once)]
        if not proposal.computes:
            note = f"draft {number} calculates nothing, so the calculation critic is skipped"
            self._context.trace.append(Note(note))
        prompts = [await compute(self._prompt, duty, proposal) for duty in duties]
        requests = [
            asyncio.create_task(self._verdict(duty, number, prompt))
            for duty, prompt in zip(duties, prompts, strict=True)
        ]
        try:
            verdicts = await asyncio.gather(*requests)
        finally:  # if one fails, cancel the other
            for task in requests:
                task.cancel()
            await asyncio.gather(*requests, return_exceptions=True)
        return dict(zip(duties, verdicts, strict=True))

    def _prompt(self, duty: Duty, proposal: DraftProposal) -> str:
        # The extraction critic needs the whole page; the calculation critic only what the draft uses.
        document, begun = self._context.document, self._talks[duty].has_reply
        own = {
            "draft": proposal.words,
            "result": proposal.result,
            "findings": proposal.findings,
            "checked": proposal.checked,
            "computes": proposal.computes,
        }
        if duty == "calculation":
            own["page"] = sources_for_prompt(document, proposal.plan)
        else:
            words = any(step.text is not None for step in proposal.plan.extracts)
            own["page"] = None if begun else page_for_prompt(document, all_sentences=words)
        if begun:
            return render("reflection/critic_again", **own)
        # The extraction critic needs no rules of calculation.
        kinds: Sequence[RuleKind] = ("calculation", "transformation", "scale")
        if duty == "extraction" and not self._once:
            kinds = ("scale",)
        return render("reflection/critic", **briefing.prompt_variables(self._question, self._context, *kinds), **own)

    async def _verdict(self, duty: Duty, number: int, prompt: str) -> Verdict | str:
        role, task = ("both", _BOTH) if self._once else (duty, _DUTIES[duty])
        system = render("reflection/critic_system", role=role, duty=task)
        try:
            return await self._talks[duty].ask(prompt, f"{duty.upper()}_CRITIC_{number}", system)
        except ModelReplyError as error:
            return str(error)


def _unexplained(verdict: Verdict) -> Sequence[str]:
    if verdict.is_correct or any(issue.strip() for issue in verdict.issues):
        return ()
    return ("a draft that is not correct needs at least one issue",)
