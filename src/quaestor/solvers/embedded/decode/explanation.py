"""Why a reading was chosen, and what was nearly chosen instead: each one line that a person can check.

Names what is in the question, on the page or in earlier answers; a score is no argument.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from quaestor.conversation.answer import Answer, OtherReading
from quaestor.conversation.display import show_number
from quaestor.core.provenance import CellRef
from quaestor.core.words import words
from quaestor.ontology.patterns import question_words
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.page.matrix import NumberMatrix
from quaestor.solvers.embedded.page.number import CandidateNumber
from quaestor.solvers.embedded.state.turn_view import TurnView

CLOSE = 0.5
"""A runner-up is named that is at least so probable as this share of the answer's probability."""


def explanation(answer: Answer, question: Question, turn: TurnView, context: TurnContext) -> str | None:
    """Return what led to an answer, such as `row "net revenue"; year 2008; "change in" asks for the change`.

    Args:
        turn: The same with the page and the conversation that the answer was found in.
    """
    if answer.plan is None:
        return None
    taken = [_leaf(step, turn.leaves) for step in answer.plan.extracts]
    found = [leaf for leaf in taken if leaf is not None]
    parts = [
        *((f'read as "{turn.question.lowered}"',) if turn.question.lowered != question.lowered else ()),
        *_lines(found, turn),
        *_years(found, turn),
        *_rule(answer, turn.question, context),
        *_results(answer.plan, context),
    ]
    return "; ".join(parts) or None


def abstained(answer: Answer, least: float) -> Answer:
    """Return an answer without its value, which the reason still names.

    Args:
        least: The confidence that is asked for.
    """
    shown = _shown(answer)
    probability = f"{answer.confidence or 0.0:.2f}"
    reason = f"withheld: the most likely reading, {shown}, has a probability of {probability}, below {least:g}"
    return replace(answer, value=None, reason=reason)


def other_reading(first: Answer, answers: Iterable[Answer]) -> Answer | None:
    """Return the first answer that a person would take for another one; None if there is none."""
    shown = show_number(first)
    return next((answer for answer in answers if show_number(answer) != shown), None)


def reread(turn: int, given: Answer, now: Answer) -> str:
    """Return how an earlier question was answered, and as what it is read now.

    Args:
        turn: Its place in the conversation, from 0.
        now: What it would get.
    """
    was = "not answered" if given.value is None else f"answered {_shown(given)}"
    return f"question {turn + 1} was {was}, but is read here as {_shown(now)}"


def with_runner_up(first: Answer, second: Answer | None) -> Answer:
    """Return the first answer with the second, if there is one, as its other reading and in its reason.

    Args:
        second: The next one; None if there is none.
    """
    if second is None:
        return first
    doubts = (first.reason, runner_up(first, second))
    reason = "; ".join(doubt for doubt in doubts if doubt)
    if second.plan is None:
        return replace(first, reason=reason)
    other = OtherReading(second.plan, show_number(second), second.description, second.confidence)
    return replace(first, reason=reason, other_readings=(other,))


def runner_up(first: Answer, second: Answer) -> str:
    """Return the second answer in words, such as `next most likely: 5,363 (net revenue in 2007), 31%`.

    The answer is the likeliest result, but of yes and no that of the likeliest comparison. Where another one is surer,
    that is said, and no figure that would make the second look like the first.

    Args:
        first: The likeliest answer, which the second is told apart from.
        second: The next one, with its confidence.
    """
    if (second.confidence or 0.0) >= (first.confidence or 0.0):
        return f"equally likely, from several readings combined: {_shown(second)}"
    sure = f", {second.confidence or 0.0:.0%}"
    mine, other = show_number(first), show_number(second)
    readings = _reading(first), _reading(second)
    if None not in readings and readings[0] != readings[1] and first.sources == second.sources:
        return f"read {readings[0]}: {mine}; {readings[1]}: {other}{sure}"
    if _turned(first, second):
        return f"the other way round: {other}{sure}"
    return f"next most likely: {_shown(second)}{sure}"


def _shown(answer: Answer) -> str:
    number = show_number(answer)
    return f"{number} ({answer.description})" if answer.description else number


def _reading(answer: Answer) -> str | None:
    """How a number that is printed below zero was looked up."""
    last = answer.plan.steps[-1] if answer.plan else None
    if not isinstance(last, Extract) or last.quantity is None or last.quantity.value >= 0:
        return None
    return "as a magnitude" if last.reading == "magnitude" else "as a loss"


def _turned(first: Answer, second: Answer) -> bool:
    """Return whether two answers come from one operation, its operands exchanged."""
    if first.plan is None or second.plan is None:
        return False
    mine, other = first.plan.steps[-1], second.plan.steps[-1]
    return (
        isinstance(mine, Compute)
        and isinstance(other, Compute)
        and mine.operation == other.operation
        and _taken(mine, first.plan) == _taken(other, second.plan)[::-1]
    )


def _taken(step: Compute, plan: Plan) -> list[object]:
    steps = [plan.steps[o.step - 1] if isinstance(o, Ref) and o.step > 0 else o for o in step.operands]
    return [
        (step.source, step.quantity.value) if isinstance(step, Extract) and step.quantity is not None else step
        for step in steps
    ]


def _leaf(step: Extract, leaves: NumberMatrix) -> CandidateNumber | None:
    index = None if step.quantity is None else leaves.index.get((step.source, step.quantity.value))
    return None if index is None else leaves.leaves[index]


def _lines(found: Sequence[CandidateNumber], turn: TurnView) -> Iterator[str]:
    """The words of the question that a row, or the words around a number, have too; else those of an earlier one."""
    # A turn that only converts an answer is in the state as the question that it was of.
    asked = turn.state.questions
    before = reversed([(asked.index(earlier) + 1, earlier) for earlier in asked])
    questions = [("", turn.question), *((f" (question {n})", earlier) for n, earlier in before)]
    for where, question in questions:
        said = {(_place(leaf, turn.leaves), shared): None for leaf in found if (shared := _shared(leaf, question))}
        if said:
            yield from (f'{place} "{shared}"{where}' for place, shared in said)
            return


def _place(leaf: CandidateNumber, leaves: NumberMatrix) -> str:
    """What the line of a number is: a table whose columns name the properties is read turned."""
    if not isinstance(leaf.source, CellRef):
        return "sentence"
    upright = all(
        x.line == x.source.row for x in leaves.leaves if x.table == leaf.table and isinstance(x.source, CellRef)
    )
    return "row" if upright else "column"


def _shared(leaf: CandidateNumber, question: Question) -> str:
    """The words of a question that name a leaf's line, or are in its sentence, as the question has them."""
    known = frozenset(leaf.row if isinstance(leaf.source, CellRef) else leaf.around)
    shared = [word for word in words(question.lowered) if known.intersection(stems(word))]
    return " ".join(dict.fromkeys(shared))


def _years(found: Sequence[CandidateNumber], turn: TurnView) -> Iterator[str]:
    years = sorted({leaf.year for leaf in found} - {0})
    named = [year for year in years if year in turn.question.years]
    pointed = [year for year in years if year not in named and year in turn.target_years]
    kept = [year for year in years if year not in (*named, *pointed) and year in turn.context_years]
    for list_of_years, where in ((named, ""), (pointed, " (referred to)"), (kept, " (as before)")):
        if list_of_years:
            plural = "s" if len(list_of_years) > 1 else ""
            yield f"year{plural} {' and '.join(map(str, list_of_years))}{where}"


def _rule(answer: Answer, question: Question, context: TurnContext) -> Iterator[str]:
    """The turn of phrase by which the core tells what is asked for, where that is what was answered."""
    answers = context.memory.answers
    asked = question.metric_types(answers[-1].metric_type if answers else None)
    for metric in asked:
        if metric.metric_type == answer.metric_type:
            pattern = next(p for p in question.patterns if p.name == metric.pattern)
            match = pattern.matcher.search(question_words(question.lowered))
            if match and match[0].strip() and metric.metric_type != "value":
                yield f'"{match[0].strip()}" asks for the {metric.metric_type.replace("_", " ")}'
            return


def _results(plan: Plan, context: TurnContext) -> Iterator[str]:
    """The earlier answers that went into it, with the words that point at them."""
    turns = len(context.memory.turns)
    steps = {o.step for step in plan.steps if isinstance(step, Compute) for o in step.operands if isinstance(o, Ref)}
    used = sorted(turns + step for step in steps if step < 0)
    if not used:
        return
    which = f"answer{'s' if len(used) > 1 else ''} {' and '.join(str(turn + 1) for turn in used)}"
    expressions = (e for e in context.references.expressions if e.kind in ("result", "results", "cell"))
    pointing = next((e.text for e in expressions if any(c.turn in used for c in e.candidates[:1])), None)
    yield f'{which} for "{pointing}"' if pointing else which
