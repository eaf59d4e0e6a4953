"""From a plan as a model writes it to a `Plan`, with the numbers that its words found."""

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import Literal

from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity
from quaestor.graph.facts import HeaderNumber, MentionFact
from quaestor.plan.scales import write_literal
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, Step
from quaestor.solvers.quoting import Quotation
from quaestor.solvers.workflow.schema import (
    ComputeStep,
    LiteralNumber,
    LookUpStep,
    QuoteWords,
    SelectCells,
    StepReference,
    TableExtract,
    TextExtract,
    WorkflowPlan,
)
from quaestor.solvers.workflow.selecting import SelectedCells
from quaestor.solvers.workflow.table_lookup import TableMatch

Number = TableMatch | MentionFact | HeaderNumber
"""A number of the page that the words of a step found."""

LookedUp = Number | SelectedCells | Quotation
"""What the words of a step found."""

_EXACT = 2**53
_LONGEST_QUERY = 2_000
_UNKNOWN = Quantity(Decimal(1), text="1")
_NOWHERE = CellRef("", 0, 0, 0)


def lower(written: WorkflowPlan, found: Mapping[int, LookedUp]) -> Plan:
    """Return the plan, step by step.

    Args:
        written: What the model wrote.
        found: What its steps found, by their place from 0. A step that found nothing becomes a stand-in: such a plan
            can be validated, but must not be executed. Cells that are selected are listed in a step of their own.
    """
    sizes = _sizes(written)
    steps: list[Step] = []
    for place, step in enumerate(written.steps):
        if isinstance(step, ComputeStep):
            operation = "identity" if step.step_id in sizes else step.operation
            steps.append(Compute(step.step_id, operation, tuple(map(_operand, step.operands))))
        else:
            steps.append(_taken(step, found.get(place), step.step_id in sizes.values()))
    return Plan(tuple(steps), thought=written.thought_process)


def _sizes(written: WorkflowPlan) -> Mapping[int, int]:
    """Return the steps that drop the sign of a number that nothing else takes, each with the step of that number.

    Such a number is one that is read without its sign, as the plans of all solvers say it.
    """
    taken = Counter(
        operand.step_ref
        for step in written.steps
        if isinstance(step, ComputeStep)
        for operand in step.operands
        if isinstance(operand, StepReference)
    )
    extracted = {step.step_id for step in written.steps if isinstance(step, TableExtract | TextExtract)}
    return {
        step.step_id: operand.step_ref
        for step in written.steps
        if isinstance(step, ComputeStep) and step.operation == "absolute" and len(step.operands) == 1
        for operand in step.operands
        if isinstance(operand, StepReference) and operand.step_ref in extracted and taken[operand.step_ref] == 1
    }


def query_of(step: LookUpStep) -> str:
    """Return what a step looks for, in one line."""
    if isinstance(step, SelectCells):
        return f"{', '.join(step.rows)} | {', '.join(step.columns)}"[:_LONGEST_QUERY]
    if isinstance(step, QuoteWords):
        return step.words[:_LONGEST_QUERY]
    if isinstance(step, TableExtract):
        return f"{step.params.row_query} | {step.params.col_query}"
    params = step.params
    return f"{params.sought} | {params.value_context} | {params.unit} | {params.period}"


def _taken(step: LookUpStep, found: LookedUp | None, as_size: bool) -> Step:
    query = query_of(step)
    if isinstance(step, SelectCells):
        group = found.group if isinstance(found, SelectedCells) else CellGroup("", ("",), (_UNKNOWN,), (_NOWHERE,))
        return Compute(step.step_id, "items", (group,))
    if isinstance(step, QuoteWords):
        return (found if isinstance(found, Quotation) else Quotation("?", _NOWHERE, "")).step(step.step_id, query)
    assert not isinstance(found, SelectedCells | Quotation)
    return _extract(step.step_id, query, found, as_size)


def _extract(step: int, query: str, number: Number | None, as_size: bool) -> Extract:
    reading: Literal["signed", "magnitude"] = "magnitude" if as_size else "signed"
    if number is None:
        return Extract(step, _NOWHERE, "", _UNKNOWN, reading, query)
    source = number.cell.ref if isinstance(number, TableMatch) else number.source
    return Extract(step, source, number.label, number.quantity, reading, query)


def _operand(written: StepReference | LiteralNumber) -> Operand:
    if isinstance(written, StepReference):
        return Ref(written.step_ref)
    value = value_of(written)
    return Constant(value, write_literal(value))


def value_of(literal: LiteralNumber) -> Decimal:
    """Return a literal as it was written: 0.27 is 0.27, not the nearest binary fraction, and 100 has no places."""
    value = Decimal(str(literal.value))
    return Decimal(int(literal.value)) if abs(literal.value) < _EXACT and literal.value.is_integer() else value
