"""Whether a plan can be run, said before it is run, with all faults at once.

Owns what can be told from the steps alone. What depends on values (a division by zero, an earlier turn that
answered yes) is told by `quaestor.plan.execute`.
"""

from collections.abc import Mapping
from decimal import Decimal

from quaestor.core.answer_value import Text, kind_words
from quaestor.errors import PlanValidationError, ProgramError
from quaestor.plan.literals import read_literal
from quaestor.plan.operations import OPERATIONS, Operation
from quaestor.plan.steps import Compute, Constant, Extract, Operand, Plan, Ref, RowRef

MOST_STEPS = 64
"""The most steps of a plan."""


def require_valid(plan: Plan, turns_before: int) -> None:
    """Returns if the plan can be run.

    Args:
        plan: The plan.
        turns_before: How many turns the conversation had before this one.

    Raises:
        PlanValidationError: It cannot; the error has all issues.
    """
    if issues := validate(plan, turns_before):
        raise PlanValidationError(issues)


def validate(plan: Plan, turns_before: int) -> tuple[str, ...]:
    """Returns one sentence for each fault of the plan, in the order of the steps; empty where it can be run."""
    if not plan.steps:
        return ("the plan has no steps",)
    if len(plan.steps) > MOST_STEPS:
        return (f"the plan has {len(plan.steps)} steps, more than {MOST_STEPS}",)
    no_numbers = {index: words for index, step in enumerate(plan.steps, 1) if (words := _gives_no_number(step))}
    issues: list[str] = []
    for index, step in enumerate(plan.steps, 1):
        if step.id != index:
            issues.append(f"step {index} has the id {step.id}: ids count 1, 2, ... in order")
        if isinstance(step, Extract):
            issues.extend(_extract_faults(step, index))
        else:
            issues.extend(_faults(step, index, len(plan.steps), turns_before, no_numbers))
    return tuple(issues)


def nearest_operation(name: str, names: tuple[str, ...] = tuple(OPERATIONS)) -> str:
    """Returns the known name most like `name`."""
    from rapidfuzz import fuzz, process

    found = process.extractOne(name[:40], names, scorer=fuzz.ratio)
    return str(found[0]) if found else names[0]


def _gives_no_number(step: Extract | Compute) -> str | None:
    """Returns what a step gives that nothing can compute with; None for a number."""
    if isinstance(step, Extract):
        return kind_words(Text(step.text)) if step.quantity is None and step.text else None
    return "a yes or no" if step.operation in OPERATIONS and OPERATIONS[step.operation].yes_no else None


def _extract_faults(step: Extract, index: int) -> list[str]:
    if (step.quantity is None) == (not step.text):
        both = "both a number and words" if step.text else "neither a number nor words"
        return [f"step {index} extracts {both}"]
    if step.quantity is not None and not step.quantity.value.is_finite():
        return [f"step {index} extracts {step.quantity.value}, which is no finite number"]
    return []


def _faults(step: Compute, index: int, steps: int, turns_before: int, no_numbers: Mapping[int, str]) -> list[str]:
    operation = OPERATIONS.get(step.operation)
    if operation is None:
        shown = step.operation[:40]
        issues = [f"step {index} has the unknown operation {shown!r}: did you mean {nearest_operation(shown)!r}?"]
    else:
        issues = _arity_faults(step, index, operation)
    for operand in step.operands:
        fault = _operand_fault(operand, index, steps, turns_before)
        if fault is None and operation is not None:
            fault = _type_fault(operand, operation, no_numbers)
        if fault is not None:
            issues.append(f"step {index} ({step.operation[:40]}) {fault}")
    return issues


def _arity_faults(step: Compute, index: int, operation: Operation) -> list[str]:
    least, most = operation.arity
    if least <= len(step.operands) <= most:
        return []
    wanted = f"{least}" if least == most else f"{least} to {most}"
    noun = "operand" if wanted == "1" else "operands"
    return [f"step {index} ({operation.name}) takes {wanted} {noun}, not {len(step.operands)}"]


def _operand_fault(operand: Operand, index: int, steps: int, turns_before: int) -> str | None:
    if isinstance(operand, Constant):
        return _constant_fault(operand)
    if not isinstance(operand, Ref):
        return None
    target = operand.step
    fault = None
    if target == 0:
        fault = "refers to step 0: steps count from 1, earlier turns from -1 backwards"
    elif -target > turns_before:
        fault = f"refers to {-target} turns ago, but there are {turns_before} turns before this one"
    elif target == index:
        fault = "refers to itself"
    elif target > steps:
        fault = f"refers to step {target}, but the plan has {steps}"
    elif target > index:
        fault = f"refers forward to step {target}, which has no value yet"
    return fault


def _constant_fault(constant: Constant) -> str | None:
    if not constant.value.is_finite():
        return f"has the constant {constant.text[:40]!r}, which is no finite number"
    try:
        value: Decimal | None = read_literal(constant.text)
    except ProgramError:
        value = None
    if value == constant.value:
        return None
    return f"has the constant {constant.text[:40]!r}, which does not read as {constant.value:g}"


def _type_fault(operand: Operand, operation: Operation, no_numbers: Mapping[int, str]) -> str | None:
    if operation.of_row:
        return None if isinstance(operand, RowRef) else "takes the label of a table row and nothing else"
    if isinstance(operand, RowRef):
        return f"cannot take the row label {operand.text[:40]!r}: only the table_ operations can"
    if isinstance(operand, Ref) and operand.step in no_numbers and operation.name != "identity":
        return f"computes with step {operand.step}, which is {no_numbers[operand.step]}"
    return None
