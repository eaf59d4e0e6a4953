"""The expert that is a model: it writes its steps down, and is shown what was wrong with the last ones."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from quaestor.conversation.events import NoAnswerGiven
from quaestor.core.computing import compute
from quaestor.solvers.answer_kinds import remarks_with, why_none
from quaestor.solvers.base import TurnContext
from quaestor.solvers.explaining import NOTHING_BOUND, Explainer
from quaestor.solvers.reflection.draft_lists import without_grouped
from quaestor.solvers.reflection.drafts import Draft, draft_words, parse_draft
from quaestor.solvers.reflection.evidence import examine_draft
from quaestor.solvers.reflection.numbers import NumberIndex, sentence_code
from quaestor.solvers.reflection.proposals import DraftProposal, plan_steps, result_words
from quaestor.solvers.reflection.roles import ExpertRole


@dataclass
class ModelExpert:
    """A model that writes steps down.

    Attributes:
        attempts: Replies until a draft can be used.
        always_answer: Whether it takes the likeliest of several numbers that fit.
    """

    question: str
    context: TurnContext
    attempts: int
    always_answer: bool = False
    revises = True
    _role: ExpertRole = field(init=False)
    _explainer: Explainer = field(init=False)

    def __post_init__(self) -> None:
        """Begin the talk that all drafts of the turn belong to."""
        self._explainer = Explainer(self.context, name=lambda _, one: sentence_code(one.section, one.index))
        self._role = ExpertRole(
            self.question, self.context, self.attempts, doubt=self._doubt, always_answer=self.always_answer
        )

    async def draft(self, number: int, objections: Sequence[str]) -> DraftProposal | NoAnswerGiven | None:
        """Return the model's next draft, or what it says of why there is no answer.

        Raises:
            ModelReplyError: No reply could be used.
            OutageError: The model cannot be asked.
        """
        draft = await self._role.draft(number, objections)
        if draft.no_answer is not None:
            return NoAnswerGiven(why_none(draft.no_answer), draft.reasoning)
        proposal = await compute(self._proposal, draft)
        return proposal if proposal.plan.steps else NoAnswerGiven("not_on_page", NOTHING_BOUND)

    def _doubt(self, draft: Draft) -> Sequence[str]:
        if not draft.explanation or draft.no_answer is not None:
            return ()
        numbers = NumberIndex(self.context.graph)
        understood = parse_draft(draft, self.question, numbers, self.context.document)
        return self._explainer.bind(draft.explanation, understood.plan.steps)

    def _proposal(self, draft: Draft) -> DraftProposal:
        context, numbers = self.context, NumberIndex(self.context.graph)
        understood = parse_draft(draft, self.question, numbers, context.document)
        self._explainer.bind(draft.explanation, understood.plan.steps)
        plan, answer = self._explainer.settle(without_grouped(understood.plan), draft.verdict), understood.answer
        findings = understood.findings  # what is explained alone has no last step that a question could ask for
        if understood.plan.steps and not plan.explains_alone:
            findings = examine_draft(understood, self.question, context.memory, numbers)
        result, says = result_words(plan, self.question, context), None if answer is None else answer.words
        remark = remarks_with(draft.assumption, self._explainer.remarks(plan))
        return DraftProposal(plan, draft_words(draft), plan_steps(plan), result, findings, remark, says)
