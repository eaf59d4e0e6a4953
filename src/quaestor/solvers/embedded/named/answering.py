"""A measure of a filing as an answer: its plan executed, how it was read and how sure that is; or what it lacks.

Which lines and times are taken, `quaestor.retrieval.measures` says.
"""

from collections.abc import Mapping
from dataclasses import replace

from quaestor.conversation.answer import Answer
from quaestor.conversation.events.kinds import CandidateChosen
from quaestor.conversation.period_words import period_words
from quaestor.errors import PlanError
from quaestor.graph.facts import extract_number
from quaestor.ontology.measures import in_words
from quaestor.plan.execute import execute
from quaestor.plan.expressions import parse_expression
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import Extract
from quaestor.questions.measures import AskedMeasure, asked_measure
from quaestor.questions.question import Question
from quaestor.retrieval.measures.binding import MissingInputs, ResolvedMeasure, bound_measure
from quaestor.retrieval.measures.moments import Moment
from quaestor.solvers.answering import answer_from_plan, answer_without_value
from quaestor.solvers.base import TurnContext

_DIRECT, _MADE = 0.9, 0.7
"""How sure an answer is whose figures are one line each, and one of which is made of several or of other figures."""
_UNNAMED_TIME = 0.7
"""What it has of that where only a year is named and the document is of a part of one."""
_TYPES = {
    "change": "change",
    "percentage_change": "percentage_change",
    "growth_rate": "percentage_change",
    "average": "average",
    "average_change": "average",
    "higher": "comparison",
    "lower": "comparison",
}
_FORMS = {
    "change": "change in {}",
    "percentage_change": "percentage change in {}",
    "growth_rate": "compound annual growth rate of {}",
    "average": "average {}",
    "average_change": "average yearly change in {}",
    "higher": "whether {} is higher",
    "lower": "whether {} is lower",
}


def named_measure(question: str, context: TurnContext, *, decline: bool) -> Answer | None:
    """Return the answer to a question for a measure of a filing; None if it asks for anything else.

    Args:
        decline: Whether to say so where a figure is lacking.
    """
    if context.document.is_page:
        return None
    asked = asked_measure(context.read(question), context.memory.asked)
    bound = bound_measure(context.document, asked) if asked is not None else None
    if bound is None:
        return None
    found = _lacking(bound) if isinstance(bound, MissingInputs) else _answered(bound, question, context)
    if isinstance(found, Answer):
        context.trace.append(CandidateChosen(1, bound.asked.form, 1.0))
        return found
    return replace(answer_without_value(context, "not_on_page", found), answerable=0.0) if decline else None


def _answered(bound: ResolvedMeasure, question: str, context: TurnContext) -> Answer | str:
    """The answer of a bound measure, or why there is none."""
    asked, measure = bound.asked, bound.asked.measure
    printed = {number.source: number for number in reversed(context.graph.observations)}
    variables = {name: extract_number(1, printed[cell]) for name, cell in bound.cells.items() if cell in printed}
    try:
        if asked.form == "growth_rate" and not all(_is_positive(term, variables, context) for term in bound.terms):
            return f"{_definition(asked)}; it has no growth rate because it is not positive in both years"
        answer = answer_from_plan(parse_expression(bound.formula, variables), context, question=question)
        shift = _shift(answer, context.read(question))
        if shift:
            formula = f"({bound.formula}) {'*' if shift > 0 else '/'} {10 ** abs(shift)}"
            answer = answer_from_plan(parse_expression(formula, variables), context, question=question)
    except PlanError as error:
        return f"{_definition(asked)}; {error}"
    partly = any(moment.flow is not None and not moment.is_year for moment in bound.times)
    named = not partly or asked.months > 0 or any(period.kind != "year" for period in asked.periods)
    looked_up = answer.plan is not None and isinstance(answer.plan.steps[-1], Extract)
    own = measure.metric_type if measure is not None and not looked_up else answer.metric_type
    return replace(
        answer,
        unit=answer.unit or (None if looked_up else _unit(asked)),
        description=_description(bound),
        entity=asked.called,
        metric_type=own if asked.form == "change" and own == "percentage" else _TYPES.get(asked.form, own),
        confidence=(_DIRECT if bound.direct else _MADE) * (1.0 if named else _UNNAMED_TIME),
        grounds=f'"{asked.called}" is read as {bound.read_as}',
    )


def _unit(asked: AskedMeasure) -> str | None:
    """What a ratio counts: a current ratio of 0.87 is not a percentage. None if its operands say it."""
    if (
        asked.measure is None
        or asked.measure.metric_type != "ratio"
        or asked.form not in ("value", "change", "average")
    ):
        return None
    return "days" if "days" in asked.measure.label.split() else "times"


def _shift(answer: Answer, question: Question) -> int:
    """The power of ten that brings an amount to the scale that is asked for: "in thousands"; 0 if none is needed."""
    power, counts = question.power, Dimension(answer.scale, answer.unit, in_ones=answer.in_ones)
    return 0 if power is None or answer.number is None or not counts.money else counts.exponent - int(power)


def _is_positive(term: str, variables: Mapping[str, Extract], context: TurnContext) -> bool:
    number = execute(parse_expression(term, variables), context.memory.registers).result.number
    return number is not None and number > 0


def _description(bound: ResolvedMeasure) -> str:
    asked = bound.asked
    called = _FORMS.get(asked.form, "{}").format(asked.called)
    first, last = bound.times[0], bound.times[-1]
    of = _time(first) if first == last else f"{_time(first)} to {_time(last)}"
    return f"{called[:1].upper()}{called[1:]}, {of}: {bound.read_as}"


def _time(moment: Moment) -> str:
    period = moment.flow or moment.balance
    return "" if period is None else period_words(period)


def _lacking(unbound: MissingInputs) -> str:
    """What is said where a measure is not computed: what it would be made of, and what of that is not there."""
    asked = unbound.asked
    definition = _definition(asked)
    if unbound.lacking:
        lines = " and ".join(f'"{figure.label}"' for figure in unbound.lacking)
        where = {figure.statement for figure in unbound.lacking}
        statement = f"its {where.pop()} has" if len(where) == 1 and "" not in where else "the document has"
        return f"{definition}; {statement} no line for {lines}"
    return f"{definition}; {unbound.reason}" if definition != asked.said else f"{asked.said}: {unbound.reason}"


def _definition(asked: AskedMeasure) -> str:
    if asked.measure is None or not asked.measure.formula:
        return asked.said
    return f"{asked.called} is {in_words(asked.measure.formula)}"
