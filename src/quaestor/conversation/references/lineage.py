"""Kind and dependencies of earlier results, derived from their plans.

Two turns have the same result if their plans reduce to the same expression over cells, constants and earlier results,
even if it was looked up or computed again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Self

from quaestor.conversation.turn import Memory
from quaestor.core.answer_value import Text, ValueList
from quaestor.core.periods import Period
from quaestor.core.provenance import Source
from quaestor.core.quantity import Scale
from quaestor.core.words import NAMELESS_WORDS, SCALE_WORDS, words
from quaestor.plan.operations import metric_of
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, RowRef
from quaestor.questions.question import Question, names_in


class Expression(tuple[object, ...]):
    """The calculation of a result: an operation with its operands, or a leaf.

    Expressions are compared by digest. Operands may be shared, so that traversing the tree could take exponential time.
    """

    digest: bytes

    def __new__(cls, *parts: object) -> Self:
        """Create an expression from the name of an operation, or of a kind of leaf, and its arguments."""
        instance = super().__new__(cls, parts)
        written = repr([part.digest if isinstance(part, Expression) else part for part in parts])
        instance.digest = blake2b(written.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        return instance

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


_MADE = {"percentage": "ratio", "percentage_change": "relative change", "maximum": "value", "minimum": "value"}
"""How results of a metric type are made, if not named like the type; coarser, as questions refer to them."""

_UNITS = frozenset({*SCALE_WORDS, "dollar", "usd", "percent", "decimal", "positive", "negative", "expressed", "full"})
"""Words of a question that specify the form of a result and name no thing."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of an earlier turn.

    Attributes:
        turn: Its index in the conversation, from 0.
        metric: `Answer.metric_type`.
        operation_kind: The kind of its last operation: "value", "change", "relative change", ...
        years: The years of its question; those of its answer if the question names none or the answer was selected:
            "in which year from 2006 to 2010 was it highest?".
        words: The content words of its question, singular.
        dependencies: For each operand of its last operation, the latest earlier turn with that result, or None; for a
            change the later value comes before its base.
        expression: Its calculation; equal for equal results.
        subject_words: The words of what it is about, singular; those of the previous result if the question names
            nothing.
        percent: Whether it is a percentage printed on the page.
    """

    turn: int
    metric: str
    operation_kind: str
    entity: str | None
    years: frozenset[int]
    words: frozenset[str]
    dependencies: tuple[int | None, ...]
    expression: Expression
    subject_words: frozenset[str] = frozenset()
    question_words: frozenset[str] = frozenset()
    percent: bool = False
    period: Period | None = None


def results_of_turns(memory: Memory) -> tuple[Result | None, ...]:
    """Return the result of each turn, None if it has no answer."""
    found: list[Result | None] = []
    expressions: list[Expression] = []
    for turn, (answer, question) in enumerate(zip(memory.answers, memory.parsed_questions, strict=True)):
        if answer.value is None:
            expressions.append(Expression("nothing", turn))
            found.append(None)
            continue
        expression, operands = _read(answer.plan, expressions, turn)
        again = find_latest_turn(expression, expressions)
        same = found[again] if again is not None else None
        rests = same.dependencies if same else tuple(find_latest_turn(operand, expressions) for operand in operands)
        selected = years_of(answer.period) if isinstance(answer.value, Text | ValueList) else frozenset()
        years = selected or question.year_set or years_of(answer.period)
        expressions.append(expression)
        found.append(
            Result(
                turn,
                answer.metric_type,
                _kind_of_metric(answer.metric_type)
                if expression[0] == "unplanned"
                else classify_expression(expression),
                answer.entity,
                years,
                question.names,
                rests,
                expression,
                read_subject_words(question, answer.entity, rests, found),
                frozenset(words(question.lowered)),
                answer.scale is Scale.PERCENT,
                answer.period,
            )
        )
    return tuple(found)


def read_subject_words(
    question: Question, entity: str | None, rests: Sequence[int | None], found: Sequence[Result | None]
) -> frozenset[str]:
    """Return the words of the thing that a result is about.

    Args:
        rests: The earlier turns whose results are its operands, or None.
    """
    rested = frozenset().union(*(found[turn].subject_words for turn in rests if turn is not None))  # type: ignore[union-attr]
    if entity:
        return rested | _naming_words(names_in(entity.lower()))
    own = rested | _naming_words(question.names)
    return own or frozenset().union(*(result.subject_words for result in found[-1:] if result is not None))


def _naming_words(names: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in names if word not in NAMELESS_WORDS and word not in _UNITS)


def years_of(period: Period | None) -> frozenset[int]:
    """Return the first and the last year of a period; empty for None."""
    return frozenset(year for year in (period.year, period.last) if year is not None) if period else frozenset()


def classify_expression(expression: Expression) -> str:
    """Return the kind of an expression's last operation, as in `Result.made`."""
    name = str(expression[0])
    if name == "divide" and isinstance(expression[1], tuple) and expression[1][0] == "subtract":
        return "relative change" if expression[1][2] == expression[2] else "ratio"
    return _kind_of_metric(metric_of(name))


def _kind_of_metric(metric: str) -> str:
    return _MADE.get(metric, metric)


def latest_results(results: Iterable[Result | None]) -> tuple[Result, ...]:
    """Return the distinct results, each at its latest turn, latest first."""
    distinct = {result.expression: result for result in results if result is not None}
    return tuple(sorted(distinct.values(), key=lambda result: -result.turn))


def find_latest_turn(expression: Expression, expressions: Sequence[Expression]) -> int | None:
    """Return the latest turn with an expression, or None."""
    return next((turn for turn in range(len(expressions) - 1, -1, -1) if expressions[turn] == expression), None)


def _read(plan: Plan | None, earlier: Sequence[Expression], turn: int) -> tuple[Expression, tuple[Expression, ...]]:
    """Return the expression of a plan, and the operands of its last operation."""
    if plan is None:
        return Expression("unplanned", turn), ()
    steps: list[Expression] = []
    operands: tuple[Expression, ...] = ()
    for step in plan.steps:
        if isinstance(step, Extract):
            steps.append(Expression("number", _place(step.source), step.reading))
            operands = ()
            continue
        operands = tuple(_operand(operand, steps, earlier) for operand in step.operands)
        if step.operation == "identity":
            steps.append(operands[0])
        else:
            steps.append(_computed(step, operands))
            if step.operation == "percentage_change":
                operands = (Expression("subtract", *operands), operands[1], operands[0])
    return steps[-1], operands


def _computed(step: Compute, operands: tuple[Expression, ...]) -> Expression:
    if step.operation == "percentage_change":
        return Expression("divide", Expression("subtract", *operands), operands[1])
    return Expression(step.operation, *operands)


def _operand(operand: Operand, steps: Sequence[Expression], earlier: Sequence[Expression]) -> Expression:
    match operand:
        case Constant(text=text):
            return Expression("constant", text)
        case RowRef(text=text, table=table):
            return Expression("row", text, table)
        case CellGroup(sources=sources):
            return Expression("cells", *map(_place, sources))
        case Ref(step=step) if step > 0:
            return steps[step - 1]
        case Ref(step=step):
            return earlier[step]


def _place(source: Source) -> tuple[object, ...]:
    if source.kind == "cell":
        return (source.table, source.row, source.column)
    return (source.section, source.sentence, source.start)
