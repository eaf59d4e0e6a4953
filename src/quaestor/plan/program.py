"""ConvFinQA program text to a plan: `subtract(206588, 181001), divide(#0, 181001)`.

Literals become constants that keep their text, `#k` the step k + 1, a lone literal a plan of one `identity`. Nothing is
looked up in a document; `quaestor.plan.rows` binds the row labels. The way back is `quaestor.plan.lowering`.

Source: the program language of FinQA (Chen et al., "FinQA: A Dataset of Numerical Reasoning over Financial Data",
2021), as ConvFinQA uses it (Chen et al., "ConvFinQA: Exploring the Chain of Numerical Reasoning in Conversational
Finance Question Answering", 2022).
"""

import re

from quaestor.errors import ProgramError
from quaestor.plan.literals import read_literal
from quaestor.plan.lowering import to_program
from quaestor.plan.operations import OPERATIONS, Operation
from quaestor.plan.steps import Compute, Constant, Operand, Plan, Ref, RowRef
from quaestor.plan.validate import MOST_STEPS, nearest_operation

__all__ = ["parse_program", "to_program"]

LONGEST = 10_000
"""The most characters of a program."""

_CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*\(")
_ROW_END = re.compile(r"(?<!\s)\s*+,\s*+none\s*+\)")
_REFERENCE = re.compile(r"#(\d{1,4})", re.ASCII)
_IN_PROGRAMS = tuple(name for name, operation in OPERATIONS.items() if operation.in_programs)


def parse_program(text: str) -> Plan:
    """Return the plan that a program writes down.

    Raises:
        ProgramError: It is not a program: an unknown operation, a number that does not read, a reference to a later
            step, a missing parenthesis, or too long. The error says where.
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


def _step(text: str, position: int, number: int) -> tuple[Compute, int]:
    """Return the step that begins at `position`, and the position after it."""
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
    """Return the operands between two positions. A comma before a space parts them, as in the benchmark."""
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
    """Return the row label of a `table_*` step, which may hold commas and parentheses, and the position after it."""
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
