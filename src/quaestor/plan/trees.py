"""A plan as a tree: its last step with all that it rests on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from quaestor.plan.steps import Compute, Constant, Operand, Plan, Ref, RowRef, Step

Made = TypeVar("Made")
Tree = tuple[object, ...]
"""A program as nested tuples: `("number", value, text)`, `(operation, operand, ...)`; equal for equal programs."""

LEAVES = frozenset({"number", "constant", "row"})
"""What a leaf of a program is: a number of the page, a constant (`const_100`), the label of a row."""


def closed_plan(steps: Sequence[Step]) -> Plan:
    """Return the last step with all that it needs, numbered from 1."""
    needed = {len(steps)}
    for step in reversed(steps):
        if step.id in needed and isinstance(step, Compute):
            needed.update(o.step for o in step.operands if isinstance(o, Ref) and o.step > 0)
    numbers = {old: new for new, old in enumerate(sorted(needed), 1)}

    return Plan(tuple(renumber_step(step, numbers) for step in steps if step.id in needed))


def renumber_step(step: Step, numbers: Mapping[int, int]) -> Step:
    """Return a step of a plan with new numbers for it and for the steps that it refers to."""
    moved = replace_references(step, lambda ref: Ref(numbers[ref.step]) if ref.step > 0 else ref)
    return replace(moved, id=numbers[step.id])


def replace_references(step: Step, replaced: Callable[[Ref], Operand]) -> Step:
    """Return a step with something else for each step and earlier answer that it refers to."""
    if not isinstance(step, Compute):
        return step
    return replace(step, operands=tuple(replaced(o) if isinstance(o, Ref) else o for o in step.operands))


def without_explanation(plan: Plan) -> Plan:
    """Return the steps that an answer needs; a plan whose answer is its explanation as it is."""
    return closed_plan(plan.steps) if plan.explanation and not plan.explains_alone else plan


def fold_plan(
    plan: Plan, leaf: Callable[[Operand], Made], made_of: Callable[[Step, tuple[Made, ...]], Made]
) -> tuple[Made, ...]:
    """Return what each step becomes, the last one with all that it rests on.

    Args:
        leaf: What a constant, a row label or a reference to an earlier turn becomes.
        made_of: What a step becomes, from what its operands did; an extract has none.
    """
    made: list[Made] = []
    for step in plan.steps:
        operands = step.operands if isinstance(step, Compute) else ()
        taken = (made[o.step - 1] if isinstance(o, Ref) and o.step > 0 else leaf(o) for o in operands)
        made.append(made_of(step, tuple(taken)))
    return tuple(made)


def program_tree(plan: Plan) -> Tree:
    """Return a parsed program as a tree.

    Raises:
        TypeError: The plan is no parsed program: it extracts, or names an earlier turn.
    """
    return fold_plan(plan, _leaf, _operation)[-1]


def _leaf(operand: Operand) -> Tree:
    match operand:
        case Constant(value=value, text=text):
            return ("constant" if text.startswith("const_") else "number", float(value), text)
        case RowRef(text=text):
            return ("row", text)
    raise TypeError("a parsed program cannot refer to an earlier turn")


def _operation(step: Step, operands: tuple[Tree, ...]) -> Tree:
    if not isinstance(step, Compute):
        raise TypeError("a parsed program cannot contain an extract")
    return operands[0] if step.operation == "identity" else (step.operation, *operands)
