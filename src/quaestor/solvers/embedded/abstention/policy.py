"""What is told instead of the likeliest answer, where a person asks and the page likely does not say.

The rules that need none are in `declining`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from quaestor.conversation.answer import Answer
from quaestor.questions.no_numbers import why_no_number
from quaestor.retrieval.company_name import names_no_company
from quaestor.solvers.embedded.abstention.answerability import AnswerabilityModel
from quaestor.solvers.embedded.abstention.empty_cells import other_line_taken
from quaestor.solvers.embedded.abstention.other_kinds import other_kind_answered
from quaestor.solvers.embedded.abstention.other_times import is_of_unread_year, other_time_answered
from quaestor.solvers.embedded.abstention.rules import AbstentionRules, without_turns
from quaestor.solvers.embedded.decode.readings import AskedTurn, ConversationReader
from quaestor.solvers.embedded.selection.ellipsis import whole_question

_OF_SEVERAL = 0.5
"""What an answer's confidence is multiplied by where any of several companies may be meant."""


@dataclass(frozen=True, slots=True)
class AbstentionPolicy:
    """Weighs the likeliest answer against silence.

    Attributes:
        reader: Ranks the plans, by which the probability is told.
        doubter: Tells how likely the page holds the answer.
        decliner: Says that it does not; None where every question has an answer.
    """

    reader: ConversationReader
    doubter: AnswerabilityModel
    decliner: AbstentionRules | None

    def doubted(self, first: Answer, asked: AskedTurn) -> Answer:
        """Return an answer with the probability that the page holds one; a list is no surer than that.

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
        """Return the answer without a value, where the likeliest one is not to be given; else None.

        Args:
            first: The likeliest answer, with the probability that the page holds one.
            asked: The question, the page and the conversation.
        """
        if self.decliner is None:
            return None
        if first.plan is None or first.kind == "text":
            return self.decliner.unfounded(first, asked.context) if first.plan is None else None
        if self._rests_on_nothing(asked):
            return self.decliner.unfounded(without_turns([len(asked.context.memory.answers) - 1]), asked.context)
        lacking = next(self._lacking(first, asked), None)
        if lacking is not None:
            return self.decliner.of_another_kind(first, lacking, asked.context)
        missing = self.doubter.missing(first, asked.question, asked.page.leaves, asked.context)
        if missing is not None:
            return self.decliner.doubted(first, missing, asked.context)
        return self.decliner.of_another_line(first, asked.question, asked.context)

    def _lacking(self, first: Answer, asked: AskedTurn) -> Iterator[str]:
        """Yield what is certainly not there of what is asked for: a kind, a line, a time."""
        document = asked.context.document
        if kind := other_kind_answered(asked.worded, first, asked.page.leaves, document):
            yield kind
        if line := other_line_taken(asked.question, first.plan, asked.context):
            yield line
        if is_of_unread_year(asked.question, first.plan, document):
            yield "the columns of its table have no years that could be read"
        if time := other_time_answered(asked.question, first.plan, asked.page.leaves, document):
            yield f"this line has no number for {time}"

    def _rests_on_nothing(self, asked: AskedTurn) -> bool:
        """Whether a question goes on from one about a thing that the document does not have."""
        memory = asked.context.memory
        if asked.question.names or not memory.answers or memory.answers[-1].value is not None:
            return False
        before = memory.asked[-1]
        return not why_no_number(before) and self.doubter.names_what_is_unknown(before, asked.page.leaves)


def _chooses(asked: AskedTurn) -> bool:
    """Whether a question chooses among cells or lines: how sure such a choice is has been learned for itself."""
    return whole_question(asked.question, asked.context.memory.asked).wants.selection is not None
