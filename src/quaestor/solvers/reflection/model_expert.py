"""Expert that is a model: it writes drafts, and revises them after objections."""

from collections.abc import Sequence

from quaestor.conversation.events import NoAnswerGiven
from quaestor.core.computing import compute
from quaestor.llm.structured.request import TypedRequest
from quaestor.prompts import render
from quaestor.solvers import briefing
from quaestor.solvers.answering import no_answer_reason, remarks_with
from quaestor.solvers.base import TurnContext
from quaestor.solvers.explaining import NOTHING_BOUND, AnswerKinds, Explainer
from quaestor.solvers.reflection.candidates import likely_lines, page_for_prompt
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
