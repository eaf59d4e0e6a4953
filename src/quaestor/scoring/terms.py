"""Programs and plans as terms of one form, so that what a solver did can be laid beside what the reference does.

What differs between solvers and annotators without meaning anything else is evened out: composite operations are
written out as the benchmark's; sums of sums can be had as sums, and terms without what only turns a scale or a sign (a
product with 100, a quotient by a million, a product with minus one). A term keeps its value, so what is left out still
shows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from quaestor.core.answer_value import AnswerValue, Number
from quaestor.core.provenance import Source
from quaestor.plan.execute import StepResult
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, RowRef, Step, fold_plan

_TURNS_SCALE = frozenset(Decimal(10) ** power for power in (-9, -6, -3, -2, 0, 2, 3, 6, 9))
_COMMUTE = frozenset({"add", "multiply", "minimum", "maximum"})


@dataclass(frozen=True, slots=True)
class PrintedTerm:
    """A number, or words, of the page.

    Attributes:
        number: As printed, with the sign that is taken: 13 for `13%`. None for words.
        places: The place that a plan names; of a program's literal every place that prints it.
    """

    number: Decimal | None
    places: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class ConstantTerm:
    """A number that is in no document."""

    number: Decimal


@dataclass(frozen=True, slots=True)
class Applied:
    """An operation on terms, and its value, None if no step says it; terms are compared without values."""

    operation: str
    operands: tuple["Term", ...]
    value: AnswerValue | None = field(default=None, compare=False)

    @property
    def commutes(self) -> bool:
        """Whether the order of the operands is nothing."""
        return self.operation in _COMMUTE


@dataclass(frozen=True, slots=True)
class Earlier:
    """The answer of an earlier turn, by a reference to it."""

    turn: int
    term: "Term | None"


Term = PrintedTerm | ConstantTerm | Applied | Earlier

Locate = Callable[[Constant], PrintedTerm | ConstantTerm]
"""Where a literal stands."""


def term_of(plan: Plan, results: Sequence[StepResult], earlier: Sequence[Term | None], locate: Locate) -> Term:
    """Return the last step of a plan with all that it rests on."""

    def leaf(operand: Operand) -> Term:
        match operand:
            case Ref(step=step):
                return Earlier(len(earlier) + step, earlier[step])
            case Constant():
                return locate(operand)
            case RowRef(values=values, sources=sources) | CellGroup(values=values, sources=sources):
                cells = tuple(PrintedTerm(q.value, (source,)) for q, source in zip(values, sources, strict=True))
                return cells[0] if len(cells) == 1 else Applied("row", cells)

    def made_of(step: Step, operands: tuple[Term, ...]) -> Term:
        if isinstance(step, Extract):
            return PrintedTerm(step.number, (step.source,))
        return _apply(step, operands, results[step.id - 1].value)

    return fold_plan(plan, leaf, made_of)[-1]


def number_in(term: Term | None) -> Decimal | None:
    """Return the number that a term came to; None if it came to none, or none is known."""
    match term:
        case PrintedTerm(number=number) | ConstantTerm(number=number):
            return number
        case Applied(value=Number(value=number)):
            return number
        case Earlier(term=inner):
            return number_in(inner)
    return None


def written_out(term: Term) -> Term:
    """Return a term with what earlier turns did in the place of the references to them, and sums of sums as sums."""
    match term:
        case Earlier(term=inner) if inner is not None:
            return written_out(inner)
        case Applied(operation=operation, operands=operands, value=value):
            parts: list[Term] = []
            for part in map(written_out, operands):
                same = operation in ("add", "multiply") and isinstance(part, Applied) and part.operation == operation
                parts += part.operands if isinstance(part, Applied) and same else (part,)
            return Applied(operation, tuple(parts), value)
    return term


def leaves(term: Term) -> tuple[PrintedTerm | ConstantTerm | Earlier, ...]:
    """Return what a term starts from, left to right; a reference to an earlier turn is one thing."""
    if isinstance(term, Applied):
        return tuple(leaf for operand in term.operands for leaf in leaves(operand))
    return (term,)


def operations(term: Term) -> tuple[str, ...]:
    """Return the operations of a term, outermost first."""
    if isinstance(term, Applied):
        return (term.operation, *(name for operand in term.operands for name in operations(operand)))
    return ()


def _apply(step: Compute, operands: tuple[Term, ...], value: AnswerValue) -> Term:
    """Return a step in the benchmark's own operations."""
    name = step.operation.removeprefix("table_")
    if isinstance(operands[0], Applied) and operands[0].operation == "row":
        operands = operands[0].operands
    name = {"max": "maximum", "min": "minimum", "percentage": "divide"}.get(name, name)
    if len(operands) == 1:
        return operands[0]
    match name:
        case "percentage_change":
            return Applied("divide", (Applied("subtract", operands), operands[1]), value)
        case "sum":
            return Applied("add", operands, value)
        case "average":
            return Applied("divide", (Applied("add", operands), ConstantTerm(Decimal(len(operands)))), value)
    return Applied(name, operands, value)


def even_out(term: Term) -> Term:
    """Return a term without what only turns a scale or a sign, at any depth."""
    match term:
        case Earlier(turn=turn, term=inner) if inner is not None:
            return Earlier(turn, even_out(inner))
        case Applied(operation=operation, operands=operands, value=value):
            return _without_turning(operation, tuple(map(even_out, operands)), value)
    return term


def _without_turning(name: str, operands: tuple[Term, ...], value: AnswerValue | None) -> Term:
    """Return an operation; one that only turns a scale or a sign is its operand."""
    if len(operands) != 2:
        return Applied(name, operands, value)
    left, right = operands
    if name in ("multiply", "divide") and isinstance(right, ConstantTerm) and abs(right.number) in _TURNS_SCALE:
        return left
    if name == "multiply" and isinstance(left, ConstantTerm) and abs(left.number) in _TURNS_SCALE:
        return right
    if name == "subtract" and isinstance(left, ConstantTerm) and not left.number:
        return right
    grown = isinstance(left, Applied) and left.operation == "divide" and right == ConstantTerm(Decimal(1))
    if name == "subtract" and grown and isinstance(left, Applied):
        # "2009 over 2008, less one" is the relative change.
        return Applied("divide", (Applied("subtract", left.operands), left.operands[1]), value)
    return Applied(name, operands, value)
