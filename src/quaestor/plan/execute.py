"""Exact execution of a plan: one register a step, with scale, unit and the sources that it rests on.

Owns the arithmetic context: decimals of 50 significant digits, half even, never floats. How operands are taken is
the rule of `quaestor.plan.scales`. A register holds what the benchmark counts: numbers as printed, points as points,
ratios as fractions; its rounding belongs to scoring.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext

from quaestor.core.answer_value import AnswerValue, Number, Text, kind_words, number_of
from quaestor.core.provenance import Source
from quaestor.core.quantity import Scale
from quaestor.errors import OperandError
from quaestor.plan.operations import OPERATIONS, PRECISION, Operation, require_in_range
from quaestor.plan.scales import Dimension, shift_decimal
from quaestor.plan.steps import Compute, Constant, Extract, Operand, Plan, Ref, RowRef
from quaestor.plan.validate import require_valid


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of one step.

    Units: `value` is in units of `scale`.

    Attributes:
        value: What it came to.
        scale: What one unit of the value stands for.
        unit: What is counted, or None.
        sources: Every cell and span that it rests on, each once, in the order of use.
        in_ones: True where `Scale.ONE` is known to be its scale; of other results of `Scale.ONE` it is unknown.
    """

    value: AnswerValue
    scale: Scale = Scale.ONE
    unit: str | None = None
    sources: tuple[Source, ...] = ()
    in_ones: bool = False

    @property
    def counts(self) -> Dimension:
        """What it counts, for the operations on it."""
        return Dimension(self.scale, self.unit, in_ones=self.in_ones)

    @property
    def number(self) -> Decimal | None:
        """The number that it came to; None where it is something else."""
        return number_of(self.value)


@dataclass(frozen=True, slots=True)
class Execution:
    """What a plan came to.

    Attributes:
        registers: One for each step, in order.
    """

    registers: tuple[StepResult, ...]

    @property
    def result(self) -> StepResult:
        """The last step's register: the answer."""
        return self.registers[-1]


def execute(plan: Plan, history: Sequence[StepResult | None] = ()) -> Execution:
    """Returns the register of every step.

    Args:
        plan: The plan.
        history: The answers of earlier turns, oldest first, so that `Ref(-1)` is the last; None where a turn has
            no answer.

    Raises:
        PlanValidationError: The plan cannot be run.
        DivisionByZeroError: A divisor is zero.
        MagnitudeError: A number is too large or too fine.
        OperandError: An operand has no number, or not one that the operation takes.
    """
    require_valid(plan, len(history))
    registers: list[StepResult] = []
    with localcontext(Context(prec=PRECISION, traps=[DivisionByZero, InvalidOperation, Overflow])):
        for step in plan.steps:
            registers.append(_extracted(step) if isinstance(step, Extract) else _computed(step, registers, history))
    return Execution(tuple(registers))


def unique_sources(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Returns each source once, in the order of its first use."""
    return tuple(dict.fromkeys(sources))


def _extracted(step: Extract) -> StepResult:
    if step.quantity is None or step.number is None:
        return StepResult(Text(step.text or ""), sources=(step.source,))
    return _counting(Number(require_in_range(step.number)), step.counts, (step.source,))


def _computed(step: Compute, registers: Sequence[StepResult], history: Sequence[StepResult | None]) -> StepResult:
    operation = OPERATIONS[step.operation]
    taken: list[tuple[StepResult, Dimension]] = []
    for operand in step.operands:
        taken.extend(_taken(operand, step, registers, history))
    sources = unique_sources(source for register, _ in taken for source in register.sources)
    if operation.name == "identity":
        register = taken[0][0]
        return replace(register, sources=sources)
    reading = operation.rule([kind for _, kind in taken])
    numbers = [
        shift_decimal(_number(register, operation, step), shift)
        for (register, _), shift in zip(taken, reading.shifts, strict=True)
    ]
    return _counting(operation.function(numbers), reading.counts, sources)


def _counting(value: AnswerValue, counts: Dimension, sources: tuple[Source, ...]) -> StepResult:
    return StepResult(value, counts.scale, counts.unit, sources, counts.in_ones)


def _taken(
    operand: Operand, step: Compute, registers: Sequence[StepResult], history: Sequence[StepResult | None]
) -> list[tuple[StepResult, Dimension]]:
    if isinstance(operand, Constant):
        return [(_counting(Number(require_in_range(operand.value)), operand.counts, ()), operand.counts)]
    if isinstance(operand, RowRef):
        return _row(operand, step)
    register = registers[operand.step - 1] if operand.step > 0 else history[operand.step]
    if register is None:
        raise OperandError(
            f"step {step.id} ({step.operation}) needs the answer {_ago(operand)}, which is none", step.id
        )
    return [(register, register.counts)]


def _row(label: RowRef, step: Compute) -> list[tuple[StepResult, Dimension]]:
    if not label.values or len(label.values) != len(label.sources):
        raise OperandError(f"step {step.id} ({step.operation}) has no numbers for the row {label.text[:60]!r}", step.id)
    return [
        (_counting(Number(require_in_range(quantity.value)), counts, (source,)), counts)
        for quantity, counts, source in zip(label.values, label.counts, label.sources, strict=True)
    ]


def _number(register: StepResult, operation: Operation, step: Compute) -> Decimal:
    number = register.number
    if number is None:
        raise OperandError(
            f"step {step.id} ({operation.name}) cannot compute with {kind_words(register.value)}", step.id
        )
    return require_in_range(number)


def _ago(ref: Ref) -> str:
    return "of the last turn" if ref.step == -1 else f"{-ref.step} turns ago"
