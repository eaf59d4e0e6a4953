"""Choices as answers: executed, with how sure they are and what led to them."""

from collections.abc import Iterator
from dataclasses import replace

from quaestor.conversation.answer import Answer
from quaestor.conversation.events.kinds import CandidateChosen, CandidatePassedOver
from quaestor.core.words import words
from quaestor.errors import PlanError
from quaestor.plan.steps import Compute
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.model.loading import EmbeddedWeights
from quaestor.solvers.embedded.page.features import PageFeatures
from quaestor.solvers.embedded.selection.choosing import ChosenPlan, chosen_plans
from quaestor.solvers.embedded.state.dialogue import DialogueState

_SHOWN = 6
"""So many labels of a group are named in the grounds."""


def chosen_answers(
    question: Question, context: TurnContext, page: PageFeatures, state: DialogueState, weights: EmbeddedWeights
) -> Iterator[Answer]:
    """Yields the answers to a question that asks for a choice, the likeliest first; none to any other question.

    Args:
        question: As asked, with what it leaves out of those before.
        context: The turn's.
        page: The numbers of the page.
        state: The conversation before.
        weights: What was learned.
    """
    seen, plans = [], [*chosen_plans(question, context.document, page, state, weights, context.weights)]
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
        confidence = weights.choices.confidence(chosen.evidence)
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
