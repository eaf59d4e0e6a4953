"""The expert that is a model: it writes its steps down, and is shown what was wrong with the last ones."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from quaestor.core import serial
from quaestor.core.computing import compute
from quaestor.solvers.base import TurnContext
from quaestor.solvers.reflection.drafts import Draft, parse_draft
from quaestor.solvers.reflection.evidence import examine_draft
from quaestor.solvers.reflection.numbers import NumberIndex
from quaestor.solvers.reflection.proposals import DraftProposal, plan_steps, result_words
from quaestor.solvers.reflection.roles import ask_expert


@dataclass
class ModelExpert:
    """A model that writes steps down.

    Attributes:
        question: As asked.
        context: The turn.
        attempts: Replies until a draft can be used.
    """

    question: str
    context: TurnContext
    attempts: int
    revises = True
    _last: Draft | None = field(init=False, default=None)

    async def draft(self, number: int, objections: Sequence[str]) -> DraftProposal | None:
        """Returns the model's next draft.

        Raises:
            ModelReplyError: No reply could be used.
            OutageError: The model cannot be asked.
        """
        draft = await ask_expert(self.question, self.context, number, self.attempts, self._last, objections)
        self._last = draft
        return await compute(self._proposal, draft)

    def _proposal(self, draft: Draft) -> DraftProposal:
        context, numbers = self.context, NumberIndex(self.context.graph)
        understood = parse_draft(draft, self.question, numbers)
        findings = examine_draft(understood, self.question, context.memory, numbers)
        words = json.dumps(serial.dump(draft, compact=True), ensure_ascii=False, indent=1)
        plan = understood.plan
        result, says = result_words(plan, context), understood.answer.words
        return DraftProposal(plan, words, plan_steps(plan), result, findings, says=says)
