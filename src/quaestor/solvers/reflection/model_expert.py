"""The expert that is a model: it writes its steps down, and is shown what was wrong with the last ones."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from quaestor.conversation.events.kinds import NoAnswerGiven
from quaestor.core.computing import compute
from quaestor.solvers.answer_kinds import remarks_with, why_none
from quaestor.solvers.base import TurnContext
from quaestor.solvers.reflection.draft_lists import without_grouped
from quaestor.solvers.reflection.drafts import Draft, draft_words, parse_draft
from quaestor.solvers.reflection.evidence import examine_draft
from quaestor.solvers.reflection.numbers import NumberIndex
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

    def __post_init__(self) -> None:
        """Begin the talk that all drafts of the turn belong to."""
        self._role = ExpertRole(self.question, self.context, self.attempts, always_answer=self.always_answer)

    async def draft(self, number: int, objections: Sequence[str]) -> DraftProposal | NoAnswerGiven | None:
        """Return the model's next draft, or what it says of why there is no answer.

        Raises:
            ModelReplyError: No reply could be used.
            OutageError: The model cannot be asked.
        """
        draft = await self._role.draft(number, objections)
        if draft.no_answer is not None:
            return NoAnswerGiven(why_none(draft.no_answer), draft.reasoning)
        return await compute(self._proposal, draft)

    def _proposal(self, draft: Draft) -> DraftProposal:
        context, numbers = self.context, NumberIndex(self.context.graph)
        understood = parse_draft(draft, self.question, numbers, context.document)
        findings = examine_draft(understood, self.question, context.memory, numbers)
        plan, answer = without_grouped(understood.plan), understood.answer
        result, says = result_words(plan, self.question, context), None if answer is None else answer.words
        remark = remarks_with(draft.assumption)
        return DraftProposal(plan, draft_words(draft), plan_steps(plan), result, findings, remark, says)
