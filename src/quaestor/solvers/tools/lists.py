"""`calculate` on lists: steps that tools returned become a list, of which an operation selects, counts or lists.

The selection is the plan's.
"""

import re
from collections.abc import Iterator, Sequence

from quaestor.core.answer_value import ValueList
from quaestor.graph.facts import PrintedNumber
from quaestor.plan.operations import MOST_OPERANDS, Operation
from quaestor.plan.steps import CellGroup, Extract, Operand, Ref
from quaestor.solvers.groups import LabelledNumber, group_of
from quaestor.solvers.tools.page import GraphPage
from quaestor.solvers.tools.plan_builder import Grounding, PlanBuilder
from quaestor.solvers.tools.replies import Refusal
from quaestor.solvers.tools.requests import Scalar

_RUN = re.compile(r"\s*#\s?(?P<first>[0-9]{1,4})\s*(?:\.\.|-|to)\s*#?\s?(?P<last>[0-9]{1,4})\s*")
MOST_CELLS = 400
"""The most steps of a run."""


def expanded(values: Sequence[Scalar], steps: int) -> Sequence[Scalar] | Refusal:
    """Return the values of a call, those of runs of steps one by one."""
    found: list[Scalar] = []
    for value in values:
        run = _RUN.fullmatch(value) if isinstance(value, str) else None
        if run is None:
            found.append(value)
            continue
        first, last = int(run["first"]), int(run["last"])
        if not 0 < first <= last <= steps:
            return Refusal(f"Unknown steps {str(value)[:40]}", f"This turn has {steps} steps (#1, #2, ...)")
        found += [f"#{step}" for step in range(first, last + 1)]
    if len(found) > MOST_CELLS:
        return Refusal(f"{len(found)} values are too many", f"Give {MOST_CELLS} at most")
    return found


def is_list(draft: PlanBuilder, operand: Operand) -> bool:
    """Return whether an operand is a step or an earlier answer that is a list."""
    if not isinstance(operand, Ref):
        return isinstance(operand, CellGroup)
    register = draft.result(operand.step) if operand.step > 0 else draft.history[operand.step]
    return register is not None and isinstance(register.value, ValueList)


def select(page: GraphPage, draft: PlanBuilder, operation: Operation, traced: Sequence[Grounding]) -> int | Refusal:
    """Return the step of an operation on a list, and add its steps.

    Args:
        operation: What is done with the list.
        traced: The values, of an operation with a number that number last.

    Raises:
        PlanError: It has no result.
    """
    operands = [item.operand for item in traced]
    limit = [operands.pop()] if operation.arity[1] == 2 else []
    if not operands:
        return Refusal(f"{operation.name} takes a list, then a number", "Change the values")
    listed = _listed(page, draft, operands, operation)
    if isinstance(listed, Refusal):
        return listed
    return draft.compute(operation.name, [*listed, *limit])


def _listed(
    page: GraphPage, draft: PlanBuilder, operands: Sequence[Operand], operation: Operation
) -> Sequence[Operand] | Refusal:
    """Return what stands for a list in the plan: one operand, but for `items`, which takes several."""
    numbers = list(_numbers(page, draft, operands))
    if len(numbers) == len(operands):
        return [group_of([LabelledNumber(number) for number in numbers])]
    if len(operands) == 1 and is_list(draft, operands[0]):
        return operands
    if len(operands) > MOST_OPERANDS:
        return Refusal(f"{len(operands)} values that are not all numbers of the page are too many", "Give fewer")
    return operands if operation.name == "items" else [Ref(draft.compute("items", operands))]


def _numbers(page: GraphPage, draft: PlanBuilder, operands: Sequence[Operand]) -> Iterator[PrintedNumber]:
    """Yield the numbers of the page among operands, as far as they are taken as they are printed."""
    graph = page.graph
    every: Sequence[PrintedNumber] = (*graph.labels, *graph.mentions, *graph.observations)
    printed = {(number.source, number.quantity): number for number in every}
    for operand in operands:
        step = draft.steps[operand.step - 1] if isinstance(operand, Ref) and operand.step > 0 else None
        if isinstance(step, Extract) and step.reading == "signed":
            number = printed.get((step.source, step.quantity)) if step.quantity is not None else None
            if number is not None:
                yield number
