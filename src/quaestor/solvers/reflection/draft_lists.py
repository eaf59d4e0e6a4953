"""Lists in drafts: which operands of a step are a list, and the words that a draft quotes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity
from quaestor.graph.facts import PrintedNumber
from quaestor.plan.operations import OPERATIONS
from quaestor.plan.steps import CellGroup, Compute, Extract, Operand, Plan, Ref, renumber_step
from quaestor.solvers.groups import LabelledNumber, group_of

_NOWHERE = CellRef("", 0, 0, 0)


def is_of_list(operation: str) -> bool:
    """Return whether an operation of a draft is made for lists."""
    return OPERATIONS[operation].of_list


def stand_in_quotation(number: int) -> Extract:
    """Return a step that takes words, for a draft whose form alone is judged."""
    return Extract(number, _NOWHERE, "", None, text="?")


def list_operands(
    operation: str, operands: Sequence[Operand], look_ups: Collection[int], found: Mapping[int, PrintedNumber] | None
) -> tuple[Operand, ...] | None:
    """Return the operands of an operation on a list as a plan has them; None if they are not a list.

    Args:
        operation: A name in the table of operations, one that is made for lists.
        look_ups: The steps that look a number up.
        found: The numbers that they found, by step; None if the form alone is judged.
    """
    entries = list(operands)
    limit = [entries.pop()] if OPERATIONS[operation].arity[1] == 2 and entries else []
    steps = [entry.step for entry in entries if isinstance(entry, Ref)]
    if entries and len(steps) == len(entries) and all(step in look_ups for step in steps):
        return (_group(steps, found), *limit)
    if operation == "items" or (len(entries) == 1 and len(steps) == 1):
        return (*entries, *limit)
    return None


def _group(steps: Sequence[int], found: Mapping[int, PrintedNumber] | None) -> Operand:
    numbers = [found[step] for step in steps if step in found] if found is not None else []
    if numbers:
        return group_of([LabelledNumber(number) for number in numbers])
    return CellGroup("", ("",), (Quantity(Decimal(1), text="1"),), (_NOWHERE,))


def without_grouped(plan: Plan) -> Plan:
    """Return a plan without the steps whose numbers a group has and nothing else takes."""
    grouped = {
        source
        for step in plan.steps
        if isinstance(step, Compute)
        for operand in step.operands
        if isinstance(operand, CellGroup)
        for source in operand.sources
    }
    taken = {o.step for step in plan.steps if isinstance(step, Compute) for o in step.operands if isinstance(o, Ref)}
    kept = [
        step
        for step in plan.steps
        if not isinstance(step, Extract) or step.source not in grouped or step.id in taken or step is plan.steps[-1]
    ]
    numbers = {step.id: place for place, step in enumerate(kept, 1)}

    return replace(plan, steps=tuple(renumber_step(step, numbers) for step in kept))
