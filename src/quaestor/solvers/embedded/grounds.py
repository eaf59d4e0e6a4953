"""The grounds of an answer and its runner-up, each in one line that a user can check.

They refer to the question, the page or earlier answers, not to scores.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from quaestor.conversation.answer import Answer, OtherReading
from quaestor.conversation.display import show_number
from quaestor.core.provenance import CellRef
from quaestor.core.words import words
from quaestor.ontology.core import question_words
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.page import NumberMatrix
from quaestor.solvers.embedded.page_numbers import CandidateNumber
from quaestor.solvers.embedded.turn_state import TurnView

CLOSE = 0.5
"""Least probability of a runner-up that is mentioned, as a share of the answer's probability."""


def explain_answer(answer: Answer, question: Question, turn: TurnView, context: TurnContext) -> str | None:
    """Return the reason for an answer, such as `row "net revenue"; year 2008; "change in" asks for the change`."""
    if answer.plan is None:
        return None
    places = map(turn.leaves.find, answer.plan.extracts)
    found = [turn.leaves.leaves[place] for place in places if place is not None]
    parts = [
        *((f'read as "{turn.question.lowered}"',) if turn.question.lowered != question.lowered else ()),
        *_describe_lines(found, turn),
        *_describe_years(found, turn),
        *_describe_rule(answer, turn.question, context),
        *_describe_results(answer.plan, context),
    ]
    return "; ".join(parts) or None


def withhold_value(answer: Answer, least: float) -> Answer:
    """Return an answer without its value, which the reason still contains."""
    shown = _show_answer(answer)
    probability = f"{answer.confidence or 0.0:.2f}"
    reason = f"withheld: the most likely reading, {shown}, has a probability of {probability}, below {least:g}"
    return replace(answer, value=None, reason=reason)


def find_other_reading(first: Answer, answers: Iterable[Answer]) -> Answer | None:
    """Return the first answer with another displayed value than `first`; None if there is none."""
    shown = show_number(first)
    return next((answer for answer in answers if show_number(answer) != shown), None)


def describe_rereading(turn: int, given: Answer, now: Answer) -> str:
    """Return a sentence that compares the answer given to an earlier question with its answer now.

    Args:
        turn: Number of the turn, from 0.
    """
    was = "not answered" if given.value is None else f"answered {_show_answer(given)}"
    return f"question {turn + 1} was {was}, but is read here as {_show_answer(now)}"


def add_runner_up(first: Answer, second: Answer | None) -> Answer:
    """Return the first answer with the second, if any, in its reason and as its other reading."""
    if second is None:
        return first
    parts = (first.reason, describe_runner_up(first, second))
    reason = "; ".join(part for part in parts if part)
    if second.plan is None:
        return replace(first, reason=reason)
    other = OtherReading(second.plan, show_number(second), second.description, second.confidence)
    return replace(first, reason=reason, other_readings=(other,))


def describe_runner_up(first: Answer, second: Answer) -> str:
    """Return a description of the second answer, such as `next most likely: 5,363 (net revenue in 2007), 31%`.

    The first answer is the likeliest result, or for yes and no the likeliest comparison, so the second may have a
    higher confidence; the text then omits the figure.
    """
    if (second.confidence or 0.0) >= (first.confidence or 0.0):
        return f"equally likely, from several readings combined: {_show_answer(second)}"
    sure = f", {second.confidence or 0.0:.0%}"
    mine, other = show_number(first), show_number(second)
    readings = _describe_sign(first), _describe_sign(second)
    if None not in readings and readings[0] != readings[1] and first.sources == second.sources:
        return f"read {readings[0]}: {mine}; {readings[1]}: {other}{sure}"
    if _is_reversed(first, second):
        return f"the other way round: {other}{sure}"
    return f"next most likely: {_show_answer(second)}{sure}"


def _show_answer(answer: Answer) -> str:
    number = show_number(answer)
    return f"{number} ({answer.description})" if answer.description else number


def _describe_sign(answer: Answer) -> str | None:
    """How a number printed below zero was read; None for other answers."""
    last = answer.plan.steps[-1] if answer.plan else None
    if not isinstance(last, Extract) or last.quantity is None or last.quantity.value >= 0:
        return None
    return "as a magnitude" if last.reading == "magnitude" else "as a loss"


def _is_reversed(first: Answer, second: Answer) -> bool:
    """Whether two answers come from one operation with swapped operands."""
    if first.plan is None or second.plan is None:
        return False
    mine, other = first.plan.steps[-1], second.plan.steps[-1]
    return (
        isinstance(mine, Compute)
        and isinstance(other, Compute)
        and mine.operation == other.operation
        and _list_inputs(mine, first.plan) == _list_inputs(other, second.plan)[::-1]
    )


def _list_inputs(step: Compute, plan: Plan) -> list[object]:
    steps = [plan.steps[o.step - 1] if isinstance(o, Ref) and o.step > 0 else o for o in step.operands]
    return [
        (step.source, step.quantity.value) if isinstance(step, Extract) and step.quantity is not None else step
        for step in steps
    ]


def _describe_lines(found: Sequence[CandidateNumber], turn: TurnView) -> Iterator[str]:
    """Words that a row, or the text around a number, shares with the question or else with an earlier one."""
    # The state has a turn that only converts an answer as the question of that answer.
    asked = turn.state.questions
    before = reversed([(asked.index(earlier) + 1, earlier) for earlier in asked])
    questions = [("", turn.question), *((f" (question {n})", earlier) for n, earlier in before)]
    for where, question in questions:
        found_words = {
            (_name_place(leaf, turn.leaves), shared): None for leaf in found if (shared := _share_words(leaf, question))
        }
        if found_words:
            yield from (f'{place} "{shared}"{where}' for place, shared in found_words)
            return


def _name_place(leaf: CandidateNumber, leaves: NumberMatrix) -> str:
    """Name for the line of a number: row, sentence, or column if the table is read by columns."""
    if not isinstance(leaf.source, CellRef):
        return "sentence"
    upright = all(
        x.line == x.source.row for x in leaves.leaves if x.table == leaf.table and isinstance(x.source, CellRef)
    )
    return "row" if upright else "column"


def _share_words(leaf: CandidateNumber, question: Question) -> str:
    """Words of the question, as it spells them, that occur in the label of a leaf's line or in its sentence."""
    known = frozenset(leaf.row if isinstance(leaf.source, CellRef) else leaf.around)
    shared = [word for word in words(question.lowered) if known.intersection(stems(word))]
    return " ".join(dict.fromkeys(shared))


def _describe_years(found: Sequence[CandidateNumber], turn: TurnView) -> Iterator[str]:
    years = sorted({leaf.year for leaf in found} - {0})
    named = [year for year in years if year in turn.question.years]
    pointed = [year for year in years if year not in named and year in turn.target_years]
    carried = [year for year in years if year not in (*named, *pointed) and year in turn.context_years]
    for list_of_years, where in ((named, ""), (pointed, " (referred to)"), (carried, " (as before)")):
        if list_of_years:
            plural = "s" if len(list_of_years) > 1 else ""
            yield f"year{plural} {' and '.join(map(str, list_of_years))}{where}"


def _describe_rule(answer: Answer, question: Question, context: TurnContext) -> Iterator[str]:
    """The phrase by which the core recognized the metric, if that is the metric of the answer."""
    answers = context.memory.answers
    metrics = question.metric_types(answers[-1].metric_type if answers else None)
    for metric in metrics:
        if metric.metric_type == answer.metric_type:
            pattern = next(p for p in question.patterns if p.name == metric.pattern)
            match = pattern.matcher.search(question_words(question.lowered))
            if match and match[0].strip() and metric.metric_type != "value":
                yield f'"{match[0].strip()}" asks for the {metric.metric_type.replace("_", " ")}'
            return


def _describe_results(plan: Plan, context: TurnContext) -> Iterator[str]:
    """The earlier answers used, with the words that refer to them."""
    turns = len(context.memory.turns)
    steps = {o.step for step in plan.steps if isinstance(step, Compute) for o in step.operands if isinstance(o, Ref)}
    used = sorted(turns + step for step in steps if step < 0)
    if not used:
        return
    which = f"answer{'s' if len(used) > 1 else ''} {' and '.join(str(turn + 1) for turn in used)}"
    expressions = (e for e in context.references.expressions if e.kind in ("result", "results", "cell"))
    pointing = next((e.text for e in expressions if any(c.turn in used for c in e.candidates[:1])), None)
    yield f'{which} for "{pointing}"' if pointing else which
