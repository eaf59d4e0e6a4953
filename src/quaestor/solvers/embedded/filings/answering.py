"""Answers to questions about whole filings, from their facts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from quaestor.conversation.answer import Answer, OtherReading
from quaestor.conversation.display import show_number
from quaestor.core.caching import BoundedCache
from quaestor.errors import PlanError
from quaestor.facts.table import FactTable, build_facts
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.solvers.answering import answer_from_plan, answer_without_value
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.filings.deciding import Decision, Result, decide
from quaestor.solvers.embedded.filings.turns import FilingWeights, PastTurn, understand_turn

_LINES = 40_000
_READINGS = 3
"""How many likely readings are offered when none is likely enough."""

_tables = BoundedCache[str, FactTable](_LINES, lambda table: len(table.lines))


class FilingAnswerer:
    """Answers questions about one document that is longer than a page."""

    def __init__(self, weights: FilingWeights, *, decline: bool) -> None:
        """Take what was learned.

        Args:
            weights: What was learned.
            decline: Whether to offer likely readings instead of an answer that is not likely enough.
        """
        self._weights, self._decline = weights, decline

    def answer(self, question: str, context: TurnContext) -> Answer | None:
        """Return the answer to a question; None if no plan fits it."""
        table = facts_of(context)
        understood = understand_turn(question, list(_past_turns(context)), table, self._weights)
        decision = decide(understood, self._weights.confidence)
        answers = list(_answers(decision, question, context))
        if not answers:
            return None
        first, *others = answers
        if self._decline and decision.declines:
            return _offer_readings(answers, decision, context)
        readings = tuple(map(_other_reading, others[: _READINGS - 1]))
        return replace(first, confidence=decision.right, answerable=decision.answerable, other_readings=readings)


def facts_of(context: TurnContext) -> FactTable:
    """Return the facts of the document of a turn; those of the last few documents are kept."""
    whole = context.document.whole or context.document
    return _tables.get(whole.digest, lambda: build_facts(whole))


def _past_turns(context: TurnContext) -> Iterator[PastTurn]:
    for turn in context.memory.turns:
        answer = turn.answer
        # A question that was not answered goes on from its likeliest reading.
        offered = answer.other_readings[0].plan if answer.value is None and answer.other_readings else None
        yield PastTurn(turn.question, answer.plan or offered)


def _answers(decision: Decision, question: str, context: TurnContext) -> Iterator[Answer]:
    for result in decision.results[:_READINGS]:
        try:
            yield _answer(result, question, context)
        except PlanError:
            continue


def _answer(result: Result, question: str, context: TurnContext) -> Answer:
    answer = answer_from_plan(result.proposal.plan, context, question=question, confidence=result.share)
    lines = dict.fromkeys(series.line.label for series in result.proposal.series)
    return replace(answer, grounds="; ".join(f'line "{label}"' for label in lines if label) or None)


def _other_reading(answer: Answer) -> OtherReading:
    assert answer.plan is not None
    return OtherReading(answer.plan, show_number(answer), answer.description, answer.confidence)


def _offer_readings(answers: list[Answer], decision: Decision, context: TurnContext) -> Answer:
    """Return no answer, with the likeliest readings to choose from."""
    offered = tuple(map(_other_reading, answers))
    listed = "; ".join(f"{place}. {reading.description}: {reading.shown}" for place, reading in enumerate(offered, 1))
    none = answer_without_value(
        context, "ambiguous", f"no line of the document is clearly meant. Did you mean: {listed}?"
    )
    return replace(none, other_readings=offered, confidence=decision.right, answerable=decision.answerable)


def join_plans(plans: Sequence[Plan]) -> Plan:
    """Return one plan whose result lists the results of several."""
    steps: list[Extract | Compute] = []
    ends: list[Ref] = []
    for plan in plans:
        shift = len(steps)
        steps += [_shifted(step, shift) for step in plan.steps]
        ends.append(Ref(len(steps)))
    return Plan((*steps, Compute(len(steps) + 1, "items", tuple(ends))))


def _shifted(step: Extract | Compute, shift: int) -> Extract | Compute:
    if isinstance(step, Extract):
        return replace(step, id=step.id + shift)
    operands = tuple(
        replace(operand, step=operand.step + shift) if isinstance(operand, Ref) and operand.step > 0 else operand
        for operand in step.operands
    )
    return replace(step, id=step.id + shift, operands=operands)
