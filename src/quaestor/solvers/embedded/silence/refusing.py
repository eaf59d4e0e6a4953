"""What is told instead of the likeliest answer, where a person asks and the page likely does not say.

Owns the order of what is looked at once there is an answer. The rules that need none stand in `declining`.
"""

from dataclasses import dataclass, replace

from quaestor.conversation.answer import Answer
from quaestor.retrieval.company_name import names_no_company
from quaestor.solvers.embedded.decode.readings import AskedTurn, ConversationReader
from quaestor.solvers.embedded.selection.ellipsis import whole_question
from quaestor.solvers.embedded.silence.declining import Decliner
from quaestor.solvers.embedded.silence.doubting import Doubter
from quaestor.solvers.embedded.silence.empty_cells import other_line_taken
from quaestor.solvers.embedded.silence.other_kinds import other_kind_answered
from quaestor.solvers.embedded.silence.other_times import other_time_answered

_OF_SEVERAL = 0.5
"""What an answer's confidence is multiplied by where any of several companies may be meant."""


@dataclass(frozen=True, slots=True)
class Refuser:
    """Weighs the likeliest answer against silence.

    Attributes:
        reader: Ranks the plans, by which the probability is told.
        doubter: Tells how likely the page holds the answer.
        decliner: Says that it does not; None where every question has an answer.
    """

    reader: ConversationReader
    doubter: Doubter
    decliner: Decliner | None

    def doubted(self, first: Answer, asked: AskedTurn) -> Answer:
        """Returns an answer with the probability that the page holds one; a list is no surer than that.

        Args:
            first: The likeliest answer. What rests on no number of the page has a probability of its own, or none.
            asked: The question, the page and the conversation.
        """
        if first.plan is None or first.kind == "text":
            return first
        holds = self.doubter.holds(self.reader.choices(asked), asked.context)
        sure = first.confidence
        if first.kind == "list" and sure is not None and holds is not None and not _chooses(asked):
            sure *= holds
        if sure is not None and not asked.context.memory.turns and not asked.context.document.is_page:
            sure *= _OF_SEVERAL if names_no_company(asked.question.text, asked.context.document) else 1.0
        return replace(first, answerable=holds, confidence=sure)

    def refused(self, first: Answer, asked: AskedTurn) -> Answer | None:
        """Returns the answer without a value, where the likeliest one is not to be given; else None.

        Args:
            first: The likeliest answer, with the probability that the page holds one.
            asked: The question, the page and the conversation.
        """
        if self.decliner is None:
            return None
        if first.plan is None or first.kind == "text":
            return self.decliner.unfounded(first, asked.context) if first.plan is None else None
        other = other_kind_answered(asked.worded, first, asked.page.leaves, asked.context.document)
        other = other or other_line_taken(asked.question, first.plan, asked.context)
        if other is not None:
            return self.decliner.of_another_kind(first, other, asked.context)
        time = other_time_answered(asked.question, first.plan, asked.page.leaves, asked.context.document)
        if time is not None:
            return self.decliner.of_another_time(first, time, asked.context)
        missing = self.doubter.missing(first, asked.question, asked.page.leaves, asked.context)
        if missing is not None:
            return self.decliner.doubted(first, missing, asked.context)
        return self.decliner.of_another_line(first, asked.question, asked.context)


def _chooses(asked: AskedTurn) -> bool:
    """Whether a question chooses among cells or lines: how sure such a choice is has been learned for itself."""
    return whole_question(asked.question, asked.context.memory.asked).wants.selection is not None
