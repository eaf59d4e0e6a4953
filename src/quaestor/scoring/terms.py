"""Programs and plans as normalised terms, so that a solver's steps can be compared with the reference's.

Differences in notation are removed: composite operations are expanded to the benchmark's operations, nested sums can
be flattened, and operations that only change a scale or a sign (a product with 100, a quotient by a million, a product
with minus one) can be dropped. A term keeps its value, so a dropped scale or sign can still be detected.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from quaestor.core.answer_value import AnswerValue, Number
from quaestor.core.provenance import Source
from quaestor.plan.execute import StepResult
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, RowRef, Step, fold_plan

_SCALE_FACTORS = frozenset(Decimal(10) ** power for power in (-9, -6, -3, -2, 0, 2, 3, 6, 9))
_COMMUTE = frozenset({"add", "multiply", "minimum", "maximum"})


@dataclass(frozen=True, slots=True)
class PrintedTerm:
    """Number or words on the page.

    Attributes:
        number: As printed, with the sign that is used: 13 for `13%`. None for words.
        places: The place that a plan reads; for a program's literal, every place that prints it.
    """

    number: Decimal | None
    places: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class ConstantTerm:
    """Number that comes from no document."""

    number: Decimal


@dataclass(frozen=True, slots=True)
class OperationTerm:
    """Operation on terms, with its value if known; the value is ignored in comparisons."""

    operation: str
    operands: tuple["Term", ...]
    value: AnswerValue | None = field(default=None, compare=False)

    @property
    def commutes(self) -> bool:
        """Whether the order of the operands does not matter."""
        return self.operation in _COMMUTE


@dataclass(frozen=True, slots=True)
class EarlierAnswerTerm:
    """The answer of an earlier turn, by a reference to it."""

    turn: int
    term: "Term | None"


Term = PrintedTerm | ConstantTerm | OperationTerm | EarlierAnswerTerm

Locate = Callable[[Constant], PrintedTerm | ConstantTerm]
"""Finds the places of a literal."""


def term_of(plan: Plan, results: Sequence[StepResult], earlier: Sequence[Term | None], locate: Locate) -> Term:
    """Return the last step of a plan as a term, with all steps it depends on."""

    def leaf(operand: Operand) -> Term:
        match operand:
            case Ref(step=step):
                return EarlierAnswerTerm(len(earlier) + step, earlier[step])
            case Constant():
                return locate(operand)
            case RowRef(values=values, sources=sources) | CellGroup(values=values, sources=sources):
                cells = tuple(PrintedTerm(q.value, (source,)) for q, source in zip(values, sources, strict=True))
                return cells[0] if len(cells) == 1 else OperationTerm("row", cells)

    def node(step: Step, operands: tuple[Term, ...]) -> Term:
        if isinstance(step, Extract):
            return PrintedTerm(step.number, (step.source,))
        return _apply(step, operands, results[step.id - 1].value)

    return fold_plan(plan, leaf, node)[-1]


def number_in(term: Term | None) -> Decimal | None:
    """Return the numeric value of a term, or None if it has none or it is unknown."""
    match term:
        case PrintedTerm(number=number) | ConstantTerm(number=number):
            return number
        case OperationTerm(value=Number(value=number)):
            return number
        case EarlierAnswerTerm(term=inner):
            return number_in(inner)
    return None


def expand_term(term: Term) -> Term:
    """Return a term with references to earlier turns expanded and nested sums and products flattened."""
    match term:
        case EarlierAnswerTerm(term=inner) if inner is not None:
            return expand_term(inner)
        case OperationTerm(operation=operation, operands=operands, value=value):
            parts: list[Term] = []
            for part in map(expand_term, operands):
                same = (
                    operation in ("add", "multiply") and isinstance(part, OperationTerm) and part.operation == operation
                )
                parts += part.operands if isinstance(part, OperationTerm) and same else (part,)
            return OperationTerm(operation, tuple(parts), value)
    return term


def leaves(term: Term) -> tuple[PrintedTerm | ConstantTerm | EarlierAnswerTerm, ...]:
    """Return the leaves of a term from left to right; a reference to an earlier turn is one leaf."""
    if isinstance(term, OperationTerm):
        return tuple(leaf for operand in term.operands for leaf in leaves(operand))
    return (term,)


def operations(term: Term) -> tuple[str, ...]:
    """Return the operations of a term, outermost first."""
    if isinstance(term, OperationTerm):
        return (term.operation, *(name for operand in term.operands for name in operations(operand)))
    return ()


def _apply(step: Compute, operands: tuple[Term, ...], value: AnswerValue) -> Term:
    """Express a step in the benchmark's operations."""
    name = step.operation.removeprefix("table_")
    if isinstance(operands[0], OperationTerm) and operands[0].operation == "row":
        operands = operands[0].operands
    name = {"max": "maximum", "min": "minimum", "percentage": "divide"}.get(name, name)
    if len(operands) == 1:
        return operands[0]
    match name:
        case "percentage_change":
            return OperationTerm("divide", (OperationTerm("subtract", operands), operands[1]), value)
        case "sum":
            return OperationTerm("add", operands, value)
        case "average":
            return OperationTerm(
                "divide", (OperationTerm("add", operands), ConstantTerm(Decimal(len(operands)))), value
            )
    return OperationTerm(name, operands, value)


def remove_conversions(term: Term) -> Term:
    """Return a term without operations that only change a scale or a sign, at any depth."""
    match term:
        case EarlierAnswerTerm(turn=turn, term=inner) if inner is not None:
            return EarlierAnswerTerm(turn, remove_conversions(inner))
        case OperationTerm(operation=operation, operands=operands, value=value):
            return _drop_scaling(operation, tuple(map(remove_conversions, operands)), value)
    return term


def _drop_scaling(name: str, operands: tuple[Term, ...], value: AnswerValue | None) -> Term:
    """Return an operation, or its operand if the operation only changes a scale or a sign."""
    if len(operands) != 2:
        return OperationTerm(name, operands, value)
    left, right = operands
    if name in ("multiply", "divide") and isinstance(right, ConstantTerm) and abs(right.number) in _SCALE_FACTORS:
        return left
    if name == "multiply" and isinstance(left, ConstantTerm) and abs(left.number) in _SCALE_FACTORS:
        return right
    if name == "subtract" and isinstance(left, ConstantTerm) and not left.number:
        return right
    grown = isinstance(left, OperationTerm) and left.operation == "divide" and right == ConstantTerm(Decimal(1))
    if name == "subtract" and grown and isinstance(left, OperationTerm):
        # "2009 over 2008, less one" is the relative change.
        return OperationTerm("divide", (OperationTerm("subtract", left.operands), left.operands[1]), value)
    return OperationTerm(name, operands, value)
