"""Conversion of plans to the program text of benchmarks and back."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import NamedTuple

from quaestor.core.patterns import lazy_regex
from quaestor.errors import ExecutionError, ProgramError
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.operations import OPERATIONS, Operation, require_in_range
from quaestor.plan.scales import Dimension, read_literal, shift_decimal
from quaestor.plan.steps import (
    CellGroup,
    Compute,
    Constant,
    Extract,
    Operand,
    Plan,
    Ref,
    RowRef,
    Step,
    without_explanation,
)
from quaestor.plan.validate import MOST_STEPS, nearest_operation, require_valid

# ---- From a plan to self-contained ConvFinQA program text.
#
# Under the benchmark's rules the text gives the same result as `execute` for the plan.
#
# - `percentage` becomes `divide`; `percentage_change` becomes `subtract, divide`; `sum` becomes `add`s; `average`
#   becomes `add`s and a `divide` by their number; `minimum` and `maximum` become the operand that they select, as
#   annotators write them; `absolute` becomes its operand, multiplied by minus one if it is negative; `as_printed`
#   becomes its operand.
# - An operation on a row with a table becomes an operation on the numbers of the row.
# - Lists and selections from them have no program text, except that a sum, an average or an extreme of a group of cells
#   becomes one of its numbers.
# - A share of a bare thousand, million or billion has no program text, since it would read as a conversion.
# - An extracted number becomes its printed digits, with a percent sign if it is used as a fraction (`13.4%`).


_CHOICES = {"minimum": min, "maximum": max}
_RELATIVE = frozenset({"percentage", "percentage_change"})
_BY_VALUE = frozenset({*_CHOICES, "absolute"})


@dataclass(frozen=True, slots=True)
class _Term:
    """Written operand: a literal, or the index of an emitted instruction."""

    text: str | int
    kind: Dimension


class _Cell(NamedTuple):
    """Number of a cell group."""

    value: Decimal
    counts: Dimension


@dataclass(frozen=True, slots=True)
class _Instruction:
    operation: str
    arguments: tuple[str | int, ...]
    own: bool


@dataclass(slots=True)
class _Emitter:
    """Builder of instructions, with the term of each step of each turn."""

    instructions: list[_Instruction] = field(default_factory=list)
    converted: dict[tuple[str | int, int], int] = field(default_factory=dict)
    terms: dict[tuple[int, int], _Term] = field(default_factory=dict)
    own: bool = False

    def emit(self, operation: str, *arguments: str | int) -> int:
        self.instructions.append(_Instruction(operation, arguments, self.own))
        return len(self.instructions) - 1

    def shifted(self, term: _Term, shift: int) -> str | int:
        """Return the term multiplied by a power of ten, emitting the conversion if text alone cannot express it."""
        if not shift:
            return term.text
        if shift < 0 and isinstance(term.text, str) and term.text[-1].isdigit() and not term.text.startswith("const_"):
            return term.text + "%"
        key = (term.text, shift)
        if key not in self.converted:
            operation, factor = ("multiply", 10**shift) if shift > 0 else ("divide", 10**-shift)
            self.converted[key] = self.emit(operation, term.text, f"const_{factor}")
        return self.converted[key]


def to_program(plan: Plan, history: Sequence[Plan | None] = ()) -> str:
    """Return the program text of a plan, with the steps of earlier turns that it needs.

    Raises:
        PlanValidationError: The plan, or an earlier plan that it needs, is invalid.
        ProgramError: It needs a turn without a plan, or uses words, a list or a row label that program text cannot
            represent.
        MagnitudeError: It extracts a number that is too large or too precise.
    """
    plans = [one and without_explanation(one) for one in (*history, plan)]
    needed = _needed_turns(plans)
    registers = _registers(plans, needed)
    emitter = _Emitter()
    for turn in needed:
        emitter.own = turn == len(plans) - 1
        for step in _plan_of(plans, turn).steps:
            emitter.terms[turn, step.id] = _lower(step, turn, plans, emitter, registers)
    return _write_instructions(emitter, emitter.terms[len(plans) - 1, len(_plan_of(plans, len(plans) - 1).steps)])


def _plan_of(plans: Sequence[Plan | None], turn: int) -> Plan:
    plan = plans[turn]
    if plan is None:
        raise ProgramError("", 0, f"it needs the answer of turn {turn + 1}, which has no plan")
    return plan


def _needed_turns(plans: Sequence[Plan | None]) -> list[int]:
    """Return the turns whose steps the last plan needs, including its own, in order."""
    needed: set[int] = set()
    waiting = [len(plans) - 1]
    while waiting:
        turn = waiting.pop()
        if turn in needed:
            continue
        needed.add(turn)
        plan = _plan_of(plans, turn)
        require_valid(plan, turn)
        waiting.extend(turn + o.step for o in plan.operands if isinstance(o, Ref) and o.step < 0)
    return sorted(needed)


def _registers(plans: Sequence[Plan | None], needed: Sequence[int]) -> dict[tuple[int, int], StepResult]:
    """Execute the plans if the text of a step depends on the values of its operands; otherwise return no results."""
    steps = [step for turn in needed for step in _plan_of(plans, turn).steps]
    if not any(isinstance(step, Compute) and step.operation in _BY_VALUE for step in steps):
        return {}
    history: list[StepResult | None] = [None] * len(plans)
    results: dict[tuple[int, int], StepResult] = {}
    for turn in needed:
        try:
            execution = execute(_plan_of(plans, turn), history[:turn])
        except ExecutionError as error:
            raise ProgramError("", 0, f"turn {turn + 1} has no result to select from: {error}") from error
        history[turn] = execution.result
        results.update({(turn, index): register for index, register in enumerate(execution.registers, 1)})
    return results


def _lower(
    step: Step, turn: int, plans: Sequence[Plan | None], emitter: _Emitter, registers: dict[tuple[int, int], StepResult]
) -> _Term:
    if isinstance(step, Extract):
        if step.quantity is None or step.number is None:
            raise ProgramError("", 0, f"step {step.id} takes words, which program text cannot hold")
        return _Term(format(require_in_range(step.number), "f"), step.counts)
    operation = OPERATIONS[step.operation]
    groups = any(isinstance(operand, CellGroup) for operand in step.operands)
    if operation.gives == "words":
        raise ProgramError("", 0, f"step {step.id} explains, which program text cannot hold")
    if operation.of_list or (groups and operation.takes != "all"):
        raise ProgramError("", 0, f"step {step.id} ({step.operation}) takes a list, which program text cannot hold")
    if operation.of_row:
        return _row(step, emitter)
    operands = [written for operand in step.operands for written in _write_out(operand)]
    terms = [_term(operand, turn, plans, emitter) for operand in operands]
    if step.operation == "identity" or (operation.takes == "all" and len(terms) == 1):
        return _Term(terms[0].text, replace(terms[0].kind, constant=None))
    if step.operation in _RELATIVE and terms[1].kind.factor:
        raise ProgramError(
            "", 0, f"step {step.id} is relative to {terms[1].text}, which program text uses as a conversion factor"
        )
    reading = operation.rule([term.kind for term in terms])
    kind = reading.counts
    if step.operation in _CHOICES:
        values = [
            shift_decimal(_value(operand, turn, plans, registers), shift)
            for operand, shift in zip(operands, reading.shifts, strict=True)
        ]
        chosen = values.index(_CHOICES[step.operation](values))
        return _Term(emitter.shifted(terms[chosen], reading.shifts[chosen]), kind)
    if step.operation in ("absolute", "as_printed"):
        below = step.operation == "absolute" and _value(operands[0], turn, plans, registers) < 0
        return _Term(emitter.emit("multiply", terms[0].text, "const_m1") if below else terms[0].text, kind)
    arguments = [emitter.shifted(term, shift) for term, shift in zip(terms, reading.shifts, strict=True)]
    return _Term(_emit(step.operation, arguments, emitter), kind)


def _emit(operation: str, arguments: Sequence[str | int], emitter: _Emitter) -> int:
    """Emit one operation in the benchmark's operations, and return the index of its result."""
    if operation == "percentage":
        return emitter.emit("divide", *arguments)
    if operation == "percentage_change":
        return emitter.emit("divide", emitter.emit("subtract", *arguments), arguments[1])
    if operation in ("sum", "average"):
        total = emitter.emit("add", arguments[0], arguments[1])
        for argument in arguments[2:]:
            total = emitter.emit("add", total, argument)
        return total if operation == "sum" else emitter.emit("divide", total, f"const_{len(arguments)}")
    return emitter.emit(operation, *arguments)


def _row(step: Compute, emitter: _Emitter) -> _Term:
    label = step.operands[0]
    if not isinstance(label, RowRef) or not label.text.strip() or ", none" in label.text:
        raise ProgramError("", 0, f"step {step.id} names a row that program text cannot hold")
    reading = OPERATIONS[step.operation].rule(label.counts)
    kind = reading.counts
    if label.table is None:
        return _Term(emitter.emit(step.operation, label.text.strip(), "none"), kind)
    return _Term(_row_written_out(step, label, reading.shifts, emitter), kind)


def _row_written_out(step: Compute, label: RowRef, shifts: Sequence[int], emitter: _Emitter) -> str | int:
    """Write an operation on a row as one on its numbers, since program text cannot name the table of a row."""
    if not label.values:
        raise ProgramError("", 0, f"step {step.id} names a row of table {label.table} but has no numbers for it")
    values = [require_in_range(quantity.value) for quantity in label.values]
    terms = [
        emitter.shifted(_Term(format(value, "f"), Dimension()), shift)
        for value, shift in zip(values, shifts, strict=True)
    ]
    if step.operation in ("table_max", "table_min"):
        counted = [shift_decimal(value, shift) for value, shift in zip(values, shifts, strict=True)]
        return terms[counted.index((max if step.operation == "table_max" else min)(counted))]
    return terms[0] if len(terms) == 1 else _emit(step.operation.removeprefix("table_"), terms, emitter)


def _write_out(operand: Operand) -> Sequence[Operand | _Cell]:
    """Return an operand, or the cells of a group."""
    if not isinstance(operand, CellGroup):
        return [operand]
    return [_Cell(quantity.value, counts) for quantity, counts in zip(operand.values, operand.counts, strict=True)]


def _term(operand: Operand | _Cell, turn: int, plans: Sequence[Plan | None], emitter: _Emitter) -> _Term:
    if isinstance(operand, _Cell):
        return _Term(format(require_in_range(operand.value), "f"), operand.counts)
    if isinstance(operand, Constant):
        return _Term(operand.text.strip(), operand.counts)
    if isinstance(operand, Ref):
        return emitter.terms[_target(operand, turn, plans)]
    raise ProgramError("", 0, "a row label outside a table_ operation")


def _value(
    operand: Operand | _Cell, turn: int, plans: Sequence[Plan | None], registers: dict[tuple[int, int], StepResult]
) -> Decimal:
    if isinstance(operand, Constant | _Cell):
        return operand.value
    if isinstance(operand, Ref):
        number = registers[_target(operand, turn, plans)].number
        if number is not None:
            return number
    raise ProgramError("", 0, "a selection among values that are not numbers")


def _target(ref: Ref, turn: int, plans: Sequence[Plan | None]) -> tuple[int, int]:
    if ref.step > 0:
        return turn, ref.step
    return turn + ref.step, len(_plan_of(plans, turn + ref.step).steps)


def _write_instructions(emitter: _Emitter, answer: _Term) -> str:
    """Return the answer's literal, or the instructions that it needs, renumbered.

    Like annotators, also write unused steps of the plan if the answer still comes last.
    """
    if isinstance(answer.text, str):
        return answer.text
    instructions = emitter.instructions
    needed = {answer.text}
    if answer.text == len(instructions) - 1:
        needed |= {index for index, instruction in enumerate(instructions) if instruction.own}
    for index in range(len(instructions) - 1, -1, -1):
        if index in needed:
            needed |= {argument for argument in instructions[index].arguments if isinstance(argument, int)}
    numbers = {index: number for number, index in enumerate(sorted(needed))}
    return ", ".join(
        "{}({})".format(
            instructions[index].operation,
            ", ".join(a if isinstance(a, str) else f"#{numbers[a]}" for a in instructions[index].arguments),
        )
        for index in sorted(needed)
    )


# ---- From ConvFinQA program text to a plan: `subtract(206588, 181001), divide(#0, 181001)`.
#
# Literals become constants that keep their text, `#k` becomes step k + 1, a single literal a plan of one `identity`.
# `quaestor.plan.expressions` binds the row labels to the document.
#
# Source: the program language of FinQA (Chen et al., "FinQA: A Dataset of Numerical Reasoning over Financial Data",
# 2021), as ConvFinQA uses it (Chen et al., "ConvFinQA: Exploring the Chain of Numerical Reasoning in Conversational
# Finance Question Answering", 2022).


LONGEST = 10_000
"""Maximum length of a program."""

_CALL = lazy_regex(r"\s*([A-Za-z_]\w*)\s*\(")
_ROW_END = lazy_regex(r"(?<!\s)\s*+,\s*+none\s*+\)")
_REFERENCE = lazy_regex(r"#(\d{1,4})", re.ASCII)
_IN_PROGRAMS = tuple(name for name, operation in OPERATIONS.items() if operation.in_programs)


def parse_program(text: str) -> Plan:
    """Parse program text into a plan.

    Raises:
        ProgramError: The program is invalid (an unknown operation, an invalid number, a reference to a later step, a
            missing parenthesis) or too long. The error names the position.
    """
    if len(text) > LONGEST:
        raise ProgramError(text, LONGEST, f"{len(text)} characters, more than {LONGEST}")
    if not text.strip():
        raise ProgramError(text, 0, "it is empty")
    if "(" not in text:
        literal = text.strip()
        return Plan((Compute(1, "identity", (_constant(literal, text, text.index(literal)),)),))
    steps: list[Compute] = []
    position = 0
    while True:
        step, position = _step(text, position, len(steps) + 1)
        steps.append(step)
        rest = text[position:].lstrip()
        if not rest:
            return Plan(tuple(steps))
        if not rest.startswith(","):
            raise ProgramError(text, position, "expected a comma or the end after a step")
        if len(steps) == MOST_STEPS:
            raise ProgramError(text, position, f"more than {MOST_STEPS} steps")
        position = text.index(",", position) + 1


def write_step(step: Compute) -> str:
    """Return the program text of a step parsed by `parse_program`."""
    return f"{step.operation}({', '.join(map(write_operand, step.operands))})"


def write_operand(operand: Operand) -> str:
    """Return the program text of an operand parsed by `parse_program`."""
    match operand:
        case Ref(step=step):
            return f"#{step - 1}"
        case Constant(text=text):
            return text
        case RowRef(text=text):
            return f"{text}, none"
    raise TypeError("program text cannot represent a group of cells")


def _step(text: str, position: int, number: int) -> tuple[Compute, int]:
    call = _CALL.match(text, position)
    if call is None:
        raise ProgramError(text, position, "expected an operation and its opening parenthesis")
    name = call[1]
    if name not in _IN_PROGRAMS:
        nearest = nearest_operation(name, _IN_PROGRAMS)
        raise ProgramError(text, call.start(1), f"unknown operation {name[:40]!r}; did you mean {nearest!r}?")
    if OPERATIONS[name].of_row:
        label, end = _label(text, call.end())
        return Compute(number, name, (label,)), end
    end = text.find(")", call.end())
    if end < 0:
        raise ProgramError(text, len(text), f"{name} has no closing parenthesis")
    return Compute(number, name, _arguments(text, call.end(), end, number, OPERATIONS[name])), end + 1


def _arguments(text: str, start: int, end: int, number: int, operation: Operation) -> tuple[Operand, ...]:
    """Return the operands between two positions, separated by commas before spaces, as in the benchmark."""
    inside = text[start:end]
    parts = re.split(r",\s+", inside)
    if len(parts) == 1:
        parts = inside.split(",")
    if len(parts) != operation.arity[0]:
        wanted = f"{operation.name} takes {operation.arity[0]} operands, not {len(parts)}"
        raise ProgramError(text, start, wanted)
    operands: list[Operand] = []
    for part in parts:
        argument = part.strip()
        position = text.index(argument, start)
        if reference := _REFERENCE.fullmatch(argument):
            target = int(reference[1]) + 1
            if target >= number:
                raise ProgramError(text, position, f"{argument} is not an earlier step")
            operands.append(Ref(target))
        else:
            operands.append(_constant(argument, text, position))
    return tuple(operands)


def _label(text: str, start: int) -> tuple[RowRef, int]:
    """Return the row label of a `table_*` step, which may contain commas and parentheses, and the position after it."""
    end = _ROW_END.search(text, start)
    if end is None:
        raise ProgramError(text, start, "expected a row label and then ', none)'")
    label = text[start : end.start()].strip()
    if not label:
        raise ProgramError(text, start, "the row label is empty")
    return RowRef(label), end.end()


def _constant(literal: str, text: str, position: int) -> Constant:
    try:
        return Constant(read_literal(literal), literal)
    except ProgramError as error:
        shown = literal if len(literal) <= 40 else literal[:37] + "..."
        raise ProgramError(text, position, f"{shown!r} is not a number, a constant or a reference") from error
