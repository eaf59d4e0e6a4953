"""Choices as answers: executed, with how sure they are and what led to them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from quaestor.conversation.answer import Answer
from quaestor.conversation.events.kinds import CandidateChosen, CandidatePassedOver
from quaestor.core.answer_value import AnswerValue
from quaestor.core.words import words
from quaestor.errors import PlanError
from quaestor.plan.steps import Compute
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.embedded.decode.readings import AskedTurn
from quaestor.solvers.embedded.model.loading import EmbeddedWeights
from quaestor.solvers.embedded.selection.choosing import ChosenPlan, chosen_plans
from quaestor.solvers.embedded.selection.ellipsis import whole_question

_STATED = frozenset({"employee", "person", "customer", "location"})
"""What a filing states the number of: nobody counts the lines of a table for that."""
_SHOWN = 6
"""So many labels of a group are named in the grounds."""


@dataclass(frozen=True, slots=True)
class ChosenCells:
    """Answers questions that ask for a choice among cells."""

    weights: EmbeddedWeights

    def answers(self, asked: AskedTurn, least: float) -> Iterator[Answer]:
        """Yield the answers to a question that asks for a choice, the likeliest first; none to any other question.

        Args:
            asked: The question, the page and the conversation.
            least: Answers that are less sure than this share of the first are left out.
        """
        question = whole_question(asked.worded, asked.context.memory.asked)
        selection = question.wants.selection
        if selection is None or (asked.reading.filing and selection.form == "count" and selection.noun in _STATED):
            return
        found = list(self._chosen(question, asked))
        enough = least * (found[0].confidence or 0.0) if found else 0.0
        yield from (answer for answer in found if answer is found[0] or (answer.confidence or 0.0) >= enough)

    def _chosen(self, question: Question, asked: AskedTurn) -> Iterator[Answer]:
        context, seen = asked.context, list[AnswerValue | None]()
        plans = [*chosen_plans(question, context.document, asked.page, asked.state, self.weights, context.weights)]
        for chosen in plans:
            operation = chosen.plan.steps[-1].operation if isinstance(chosen.plan.steps[-1], Compute) else "extract"
            try:
                answer = answer_from_plan(chosen.plan, context, question=question.text)
            except PlanError as error:
                context.trace.append(CandidatePassedOver(operation, str(error)))
                continue
            if answer.value in seen:
                continue
            seen.append(answer.value)
            context.trace.append(CandidateChosen(len(plans), operation, chosen.evidence.share))
            confidence = self.weights.choices.confidence(chosen.evidence)
            yield replace(answer, confidence=confidence, grounds=_grounds(chosen, question, context.question))


def _grounds(chosen: ChosenPlan, question: Question, asked: Question) -> str:
    """What led to a choice, such as `row "net income"; of 2019, 2018 and 2017; "highest"`."""
    parts = [] if question.text == asked.text or not asked.text else [f'read as "{question.text}"']
    if chosen.group is not None:
        kind = "row" if chosen.group.across or chosen.group.headings else "column"
        said = [word for word in words(question.lowered) if set(stems(word)) & set(stems(chosen.group.text))]
        parts.append(f'{kind} "{" ".join(dict.fromkeys(said)) or chosen.group.text}"')
        parts.append(f"of {_listed(chosen.group.labels)}")
    if chosen.members is not None and chosen.members.heading:
        parts.append(f'lines of "{chosen.members.heading}"')
    selection = question.wants.selection
    spans = () if selection is None else selection.condition.spans
    condition = [selection.text[start:end].strip() for start, end in spans] if selection is not None else []
    return "; ".join([*parts, *(f'"{said}"' for said in condition)])


def _listed(labels: tuple[str, ...]) -> str:
    shown = labels[:_SHOWN]
    more = len(labels) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
