"""`calculate`: plan operations on traced numbers or on lists of them.

Steps returned by tools can be combined into a list, which an operation filters, counts or lists.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from quaestor.core.answer_value import AnswerValue, Number, ValueList, json_number, value_to_plain
from quaestor.core.parsing import parse_quantity
from quaestor.core.quantity import Scale
from quaestor.errors import MagnitudeError, QuantityError
from quaestor.graph.facts import Observation, PrintedNumber
from quaestor.plan.operations import FOR_MODELS, MOST_OPERANDS, OPERATIONS, Operation, require_in_range
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import CellGroup, Constant, Extract, Operand, Ref, RowRef
from quaestor.solvers.groups import group_of
from quaestor.solvers.tools.messages import GROWTH_RATE, Calculate, Calculated, OperandShown, RefusalError, Scalar
from quaestor.solvers.tools.page import GraphPage, nearest, normalize_name
from quaestor.solvers.tools.plan_builder import Grounding, PlanBuilder

_REFERENCE = re.compile(r"\s*#\s?(-?[0-9]{1,3})\s*")
_OF_TABLE = re.compile(r"\s*table (?P<table>[0-9]{1,4})\s*:\s*(?P<row>.*)", re.IGNORECASE | re.DOTALL)
"""A row with its table, as refusals write it: `table 1: total`, tables counted from 0."""
_RUN = re.compile(r"\s*#\s?(?P<first>[0-9]{1,4})\s*(?:\.\.|-|to)\s*#?\s?(?P<last>[0-9]{1,4})\s*")
MOST_CELLS = 400
"""Limit of values after ranges of steps are expanded."""
_MANY = {"add": "sum"}


def calculate(page: GraphPage, draft: PlanBuilder, request: Calculate) -> Calculated:
    """Apply an operation to values and add its steps to the plan."""
    if request.operation == GROWTH_RATE:
        return _growth_rate(draft, request)
    operation = OPERATIONS.get(request.operation)
    if operation is None or operation.name not in FOR_MODELS:
        near = nearest(request.operation, (*FOR_MODELS, GROWTH_RATE))
        raise RefusalError(
            f"Unknown operation: {request.operation[:100]}", "Use one of the operations in the schema", near
        )
    if operation.of_row:
        return _of_row(page, draft, request)
    traced = _traced_all(draft, request.values)
    name = _MANY.get(request.operation, request.operation) if len(traced) > 2 else request.operation
    if operation.of_list:
        return _calculate(draft, name, request.values, traced, select(page, draft, operation, traced))
    _require_fitting_number(draft, OPERATIONS[name], traced)
    operands = [item.operand for item in traced]
    if name == "percentage_change":
        operands.reverse()  # the tool takes old, then new; the plan's operation takes the new number first
    step = draft.compute(name, operands[:2] if name == "multiply" else operands)
    for operand in operands[2:] if name == "multiply" else ():
        step = draft.compute(name, (Ref(step), operand))
    return _calculate(draft, name, request.values, traced, step)


def _growth_rate(draft: PlanBuilder, request: Calculate) -> Calculated:
    """Compute the annual growth rate from the old number, the new one and the years between them."""
    traced = _traced_all(draft, request.values)
    if len(traced) != 3:
        raise RefusalError(f"{GROWTH_RATE} requires exactly 3 values, not {len(traced)}", "Give old, new and years")
    old, new, years = (item.operand for item in traced)
    one = Constant(Decimal(1), "const_1")
    times = Ref(draft.compute("divide", (new, old)))
    each = Ref(draft.compute("exp", (times, Ref(draft.compute("divide", (one, years))))))
    step = draft.compute("percentage_change", (each, one))
    return _calculate(draft, "percentage_change", request.values, traced, step)


def _traced_all(draft: PlanBuilder, values: Sequence[Scalar]) -> Sequence[Grounding]:
    return [_trace(draft, value) for value in expand_ranges(values, len(draft.steps))]


def _require_fitting_number(draft: PlanBuilder, operation: Operation, traced: Sequence[Grounding]) -> None:
    """Refuse too few or too many values for an operation; one list may replace several numbers."""
    least, most = operation.arity
    count = len(traced)
    lists = operation.takes == "all" and any(is_list(draft, item.operand) for item in traced)
    if (1 if lists else least) <= count <= most or (operation.name == "multiply" and count > 2):
        return
    wanted = f"exactly {least}" if least == most else f"{least} to {most}"
    plural = "s" * (wanted != "exactly 1")
    raise RefusalError(f"{operation.name} requires {wanted} value{plural}, not {count}", "Change the values")


def _of_row(page: GraphPage, draft: PlanBuilder, request: Calculate) -> Calculated:
    """Compute over the numbers of a printed row, if every cell of the row has one."""
    if len(request.values) != 1:
        raise RefusalError(f"{request.operation} requires exactly 1 value, the label of a row", "Change the values")
    several = len(page.graph.tables) > 1
    found = _OF_TABLE.fullmatch(str(request.values[0])) if several else None
    only, wanted = (int(found["table"]), found["row"]) if found else (None, str(request.values[0]))
    rows: dict[tuple[int, int], list[Observation]] = {}
    for observation in page.graph.observations:
        of_table = only in (None, observation.source.table)
        if of_table and observation.order == 0 and normalize_name(observation.row.label) == normalize_name(wanted):
            rows.setdefault((observation.source.table, observation.source.row), []).append(observation)
    if len({table for table, _ in rows}) > 1:
        named = tuple(f"table {table}: {cells[0].row.label}" for (table, _), cells in rows.items())
        raise RefusalError(
            f"{len(rows)} rows are labelled '{wanted[:100]}', in several tables", "Name the table", named
        )
    if len(rows) != 1:
        labels = dict.fromkeys(o.row.label for o in page.graph.observations if o.row.label)
        what = f"{len(rows)} rows are labelled" if rows else "No row is labelled"
        raise RefusalError(
            f"{what} '{wanted[:100]}'", "Name one row, or give its values to sum", nearest(wanted, labels)
        )
    (((table, row), cells),) = rows.items()
    blanks = [c for c in page.graph.text_cells if (c.source.table, c.source.row) == (table, row)]
    if blanks:
        first = blanks[0]
        prints = f"is empty ({first.why_empty})" if first.empty else f"prints {first.text!r} and no number"
        raise RefusalError(
            f"The row '{cells[0].row.label}' has a cell that {prints}",
            "Give the values that count to sum, average, minimum or maximum",
        )
    values, sources = tuple(c.quantity for c in cells), tuple(c.source for c in cells)
    scales, units = {c.label_scale for c in cells}, {c.label_unit for c in cells}
    label = RowRef(
        cells[0].row.label,
        values,
        sources,
        table if several else None,
        label_scale=scales.pop() if len(scales) == 1 else None,
        label_unit=units.pop() if len(units) == 1 else None,
    )
    step = draft.compute(request.operation, (label,))
    return _calculate(draft, request.operation, request.values, [Grounding(label, "page", label.text)], step)


def _trace(draft: PlanBuilder, value: Scalar) -> Grounding:
    if isinstance(value, str):
        if reference := _REFERENCE.fullmatch(value):
            return _refer(draft, int(reference[1]))
        try:
            quantity = parse_quantity(value)
        except QuantityError as error:
            raise RefusalError(str(error), "Give numbers, or #1 for step 1 and #-1 for the last answer") from error
        require_in_range(quantity.number)
        return draft.trace(quantity.value, None if quantity.scale is Scale.ONE else quantity.scale)
    try:
        return draft.trace(require_in_range(Decimal(str(value))))
    except MagnitudeError as error:
        raise RefusalError(f"{value} cannot be used: {error}", "Give a number of the page or a result") from error


def _refer(draft: PlanBuilder, step: int) -> Grounding:
    if 0 < step <= len(draft.steps) or 0 < -step <= len(draft.history):
        return draft.traced(step)
    raise RefusalError(
        f"Unknown step or answer #{step}",
        f"This turn has {len(draft.steps)} steps (#1, #2, ...) and {len(draft.history)} earlier answers (#-1, ...)",
    )


def _calculate(
    draft: PlanBuilder, operation: str, values: Sequence[Scalar], traced: Sequence[Grounding], step: int
) -> Calculated:
    register = draft.result(step)
    fraction = register.number if register.fraction else None
    return Calculated(
        operation=operation,
        values=tuple(values),
        result=value_to_plain(register.value if fraction is None else Number(fraction.scaleb(2))),
        fraction=None if fraction is None else json_number(fraction),
        scale=register.counts.scale_word if fraction is None else Scale.PERCENT.value,
        unit=register.unit,
        formula=draft.formula(step),
        operands=() if OPERATIONS[operation].of_list else tuple(_operand(draft, item) for item in traced),
        ungrounded=tuple(
            json_number(t.operand.value) for t in traced if not t.grounded and isinstance(t.operand, Constant)
        ),
        sources=register.sources,
        step=step,
    )


def _operand(draft: PlanBuilder, traced: Grounding) -> OperandShown:
    value, counts = _operand_value(draft, traced.operand)
    return OperandShown(value_to_plain(value), traced.origin, traced.label, counts.scale_word, traced.also or None)


def _operand_value(draft: PlanBuilder, operand: Operand) -> tuple[AnswerValue, Dimension]:
    if isinstance(operand, Constant):
        return Number(operand.value), operand.counts
    if isinstance(operand, RowRef | CellGroup):
        return Number(Decimal(len(operand.values))), Dimension(in_ones=True)
    register = draft.result(operand.step) if operand.step > 0 else draft.history[operand.step]
    assert register is not None  # it was computed with
    return register.value, register.counts


def expand_ranges(values: Sequence[Scalar], steps: int) -> Sequence[Scalar]:
    """Return the values of a call with ranges of steps expanded."""
    found: list[Scalar] = []
    for value in values:
        run = _RUN.fullmatch(value) if isinstance(value, str) else None
        if run is None:
            found.append(value)
            continue
        first, last = int(run["first"]), int(run["last"])
        if not 0 < first <= last <= steps:
            raise RefusalError(f"Unknown steps {str(value)[:40]}", f"This turn has {steps} steps (#1, #2, ...)")
        found += [f"#{step}" for step in range(first, last + 1)]
    if len(found) > MOST_CELLS:
        raise RefusalError(f"{len(found)} values are too many", f"Give {MOST_CELLS} at most")
    return found


def is_list(draft: PlanBuilder, operand: Operand) -> bool:
    """Return whether an operand is a step or an earlier answer that is a list."""
    if not isinstance(operand, Ref):
        return isinstance(operand, CellGroup)
    register = draft.result(operand.step) if operand.step > 0 else draft.history[operand.step]
    return register is not None and isinstance(register.value, ValueList)


def select(page: GraphPage, draft: PlanBuilder, operation: Operation, traced: Sequence[Grounding]) -> int:
    """Apply an operation to a list, add its steps to the plan and return the last one."""
    operands = [item.operand for item in traced]
    limit = [operands.pop()] if operation.arity[1] == 2 else []
    if not operands:
        raise RefusalError(f"{operation.name} takes a list, then a number", "Change the values")
    return draft.compute(operation.name, [*_list_operands(page, draft, operands, operation), *limit])


def _list_operands(
    page: GraphPage, draft: PlanBuilder, operands: Sequence[Operand], operation: Operation
) -> Sequence[Operand]:
    """Return the operands of a list in the plan: a single one, except for `items`, which takes several."""
    numbers = list(_numbers(page, draft, operands))
    if len(numbers) == len(operands):
        return [group_of(numbers)]
    if len(operands) == 1 and is_list(draft, operands[0]):
        return operands
    if len(operands) > MOST_OPERANDS:
        raise RefusalError(f"{len(operands)} values that are not all numbers of the page are too many", "Give fewer")
    return operands if operation.name == "items" else [Ref(draft.compute("items", operands))]


def _numbers(page: GraphPage, draft: PlanBuilder, operands: Sequence[Operand]) -> Iterator[PrintedNumber]:
    """Yield the page's numbers among operands, unless their sign was dropped."""
    graph = page.graph
    every: Sequence[PrintedNumber] = (*graph.labels, *graph.mentions, *graph.observations)
    printed = {(number.source, number.quantity): number for number in every}
    for operand in operands:
        step = draft.steps[operand.step - 1] if isinstance(operand, Ref) and operand.step > 0 else None
        if isinstance(step, Extract) and step.reading == "signed":
            number = printed.get((step.source, step.quantity)) if step.quantity is not None else None
            if number is not None:
                yield number
