"""What follows from a settled answer: a later reference that begins with the steps of a wrong one, begun anew."""

from quaestor.plan.program import parse_program
from quaestor.plan.steps import Compute, Constant, Operand, Plan, Ref, RowRef


def following(program: str, wrong: str, accepted: str) -> str | None:
    """Returns a program with the steps of a wrong one replaced by those that are accepted; None where it has none.

    A look-up is replaced only where it is the whole reference: its number may stand in a later one by itself.

    Args:
        program: A later turn's reference, which repeats the steps that it rests on.
        wrong: The earlier turn's reference.
        accepted: What is accepted instead of it.

    Raises:
        ProgramError: One of them does not read.

    >>> following("subtract(5, 3), divide(#0, 3)", "subtract(5, 3)", "subtract(6, 3)")
    'subtract(6, 3), divide(#0, 3)'
    >>> following("subtract(5, 3), divide(#0, 3)", "subtract(5, 3)", "2.5")
    'divide(2.5, 3)'
    >>> following("divide(7, 3)", "subtract(5, 3)", "subtract(6, 3)")
    """
    later, before, instead = (_steps(parse_program(text)) for text in (program, wrong, accepted))
    if later == before:
        return accepted
    if later[: len(before)] != before or before[-1].operation == "identity":
        return None
    looked_up = instead[-1].operation == "identity"
    begun = [] if looked_up else [_written(step) for step in instead]
    shift = len(begun) - len(before)
    result = instead[-1].operands[0] if looked_up else Ref(len(instead))
    rest = []
    for step in later[len(before) :]:
        operands = [_replaced(operand, len(before), shift, result) for operand in step.operands]
        if None in operands:
            return None  # it rests on a part of the wrong reference, which the accepted one may not have
        rest.append(_written(Compute(step.id, step.operation, tuple(filter(None, operands)))))
    return ", ".join(begun + rest)


def _steps(plan: Plan) -> tuple[Compute, ...]:
    return tuple(step for step in plan.steps if isinstance(step, Compute))


def _replaced(operand: Operand, length: int, shift: int, result: Operand) -> Operand | None:
    if not isinstance(operand, Ref) or operand.step > length:
        return Ref(operand.step + shift) if isinstance(operand, Ref) else operand
    return result if operand.step == length else None


def _written(step: Compute) -> str:
    return f"{step.operation}({', '.join(map(_argument, step.operands))})"


def _argument(operand: Operand) -> str:
    match operand:
        case Ref(step=step):
            return f"#{step - 1}"
        case Constant(text=text):
            return text
        case RowRef(text=text):
            return f"{text}, none"
    raise TypeError("program text cannot represent a group of cells")
