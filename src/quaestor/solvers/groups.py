"""Groups of numbers from the page in plans, each number with a label that distinguishes it.

Cells of one row are labelled by column, cells of one column by row, other cells by both; numbers in the text by their
period or the words before them.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from quaestor.core.provenance import CellRef
from quaestor.graph.facts import HeaderNumber, Heading, MentionFact, Observation, PrintedNumber, period_code
from quaestor.plan.operations import OPERATIONS
from quaestor.plan.steps import CellGroup, Compute, Operand, Plan, Ref, Step, replace_references

_WORDS_BEFORE = 4


def group_of(numbers: Sequence[PrintedNumber], labels: Sequence[str | None] = ()) -> CellGroup:
    """Make a group of numbers from the page; if their labels have different scales or units, each gets its own.

    Args:
        labels: A label for each number; a label that is None or not unique is replaced by one from the number's place.
    """
    tables = {number.source.table if isinstance(number.source, CellRef) else None for number in numbers}
    named = {(one.label_scale, one.label_unit if isinstance(one, Observation) else None) for one in numbers}
    scale, unit = next(iter(named)) if len(named) == 1 else (None, None)
    own = (replace(number.quantity, scale=number.counts.scale, unit=number.counts.unit) for number in numbers)
    return CellGroup(
        _name(numbers),
        _labels(numbers, labels or [None] * len(numbers)),
        tuple(number.quantity for number in numbers) if len(named) == 1 else tuple(own),
        tuple(number.source for number in numbers),
        tables.pop() if len(tables) == 1 else None,
        label_scale=scale,
        label_unit=unit,
    )


def groups_in_place(plan: Plan) -> Plan:
    """Inline groups into the steps that use them, instead of separate steps that only list them."""
    groups = {step.id: group for step in plan.steps[:-1] if (group := _listed_alone(step)) is not None}
    for step in plan.steps:
        if isinstance(step, Compute) and OPERATIONS[step.operation].takes not in ("list", "entries", "all", "each"):
            for operand in step.operands:
                groups.pop(operand.step if isinstance(operand, Ref) else 0, None)
    steps_left = [step for step in plan.steps if step.id not in groups]
    numbers = {step.id: place for place, step in enumerate(steps_left, 1)}

    def placed(ref: Ref) -> Operand:
        return ref if ref.step < 0 else groups.get(ref.step) or Ref(numbers[ref.step])

    steps = (replace(replace_references(step, placed), id=numbers[step.id]) for step in steps_left)
    return replace(plan, steps=tuple(steps))


def _listed_alone(step: Step) -> CellGroup | None:
    """Return the group if a step does nothing but list it."""
    if not isinstance(step, Compute) or step.operation != "items" or len(step.operands) != 1:
        return None
    return step.operands[0] if isinstance(step.operands[0], CellGroup) else None


def _lines(numbers: Sequence[PrintedNumber]) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Return the rows and the columns of the numbers in tables."""
    cells = [number.source for number in numbers if isinstance(number, Observation)]
    return {(cell.table, cell.row) for cell in cells}, {(cell.table, cell.column) for cell in cells}


def _name(numbers: Sequence[PrintedNumber]) -> str:
    """Return the common row or column label of numbers, or the caption of their table."""
    first = numbers[0]
    rows, columns = _lines(numbers)
    if not isinstance(first, Observation) or not all(isinstance(number, Observation) for number in numbers):
        return "numbers of the page"
    if len(rows) == 1:
        return _heading_words(first.row, "row", first.source.row)
    if len(columns) == 1:
        return _heading_words(first.column, "column", first.source.column)
    return first.caption or "numbers of the table"


def _labels(numbers: Sequence[PrintedNumber], labels: Sequence[str | None]) -> tuple[str, ...]:
    rows, columns = _lines(numbers)
    given = Counter(labels)
    own = [
        label if label and given[label] == 1 else _label(number, len(rows) > 1, len(columns) > 1)
        for number, label in zip(numbers, labels, strict=True)
    ]
    shared = Counter(own)
    return tuple(
        label if shared[label] == 1 else _whole_label(number) or label
        for label, number in zip(own, numbers, strict=True)
    )


def _label(number: PrintedNumber, by_row: bool, by_column: bool) -> str:
    if isinstance(number, Observation):
        row, column = (
            _heading_words(number.row, "row", number.source.row),
            _heading_words(number.column, "column", number.source.column),
        )
        if by_row and by_column:
            return f"{row}, {column}"
        return row if by_row else column
    if isinstance(number, HeaderNumber):
        return number.label
    return period_code(number.period) if number.period else _before(number)


def _whole_label(number: PrintedNumber) -> str:
    """Return the full label of a number, to distinguish numbers with the same short label."""
    if isinstance(number, Observation):
        return ", ".join(filter(None, map(heading_path, (number.row, number.column))))
    return _before(number) if isinstance(number, MentionFact) else number.label


def _before(number: MentionFact) -> str:
    return " ".join(number.before.split()[-_WORDS_BEFORE:]) or number.quantity.text


def _heading_words(heading: Heading, axis: str, place: int) -> str:
    return heading.label or f"{axis} {place + 1}"


def heading_path(heading: Heading) -> str:
    """Return the levels of a heading, outermost first, or its label if it has no levels."""
    return " > ".join(level for level in heading.levels if level) or heading.label
