"""The benchmark's rule for the rows that the `table_*` operations name, and its application to a plan.

Owns which label finds which cells. Works on printed text alone, for this row of the layers knows no documents.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from quaestor.core.provenance import Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.errors import OperandError, ProgramError
from quaestor.plan.literals import read_literal
from quaestor.plan.scales import shifted
from quaestor.plan.steps import Compute, Label, Operand, Plan

Row = tuple[tuple[Quantity, Source], ...]


def benchmark_rows(grid: Iterable[Sequence[tuple[str, Source]]]) -> dict[str, Row]:
    """Returns the rows of a table that the `table_*` operations can read, by their exact label.

    Shape: `grid` has one sequence of (text, source) a row, the label first, header rows included.

    Source: ConvFinQA's execution of programs. Of rows with one label the last counts. In a cell `$` and commas are
    dropped and the text before the first `(` is read, so `-435 ( 435 )` is -435 and `13.7% ( 13.7 % )` is 13.7 %.
    One cell that does not read so leaves the whole row out, even where an earlier row has the same label.
    """
    rows: dict[str, Row] = {}
    for cells in grid:
        label = cells[0][0] if cells else ""
        rows.pop(label, None)
        numbers = [(_cell(text), source) for text, source in cells[1:]]
        row = tuple((quantity, source) for quantity, source in numbers if quantity is not None)
        if row and len(row) == len(numbers):
            rows[label] = row
    return rows


def bind_labels(plan: Plan, rows: Mapping[str, Row]) -> Plan:
    """Returns the plan with the numbers and cells of each row label that it names.

    Raises:
        OperandError: A label names no row, or a row with a cell that is no number.
    """

    def bound(operand: Operand) -> Operand:
        if not isinstance(operand, Label):
            return operand
        if operand.text not in rows:
            raise OperandError(f"no row of the table is labelled {operand.text[:60]!r} and has a number in every cell")
        row = rows[operand.text]
        return replace(operand, values=tuple(q for q, _ in row), sources=tuple(s for _, s in row))

    steps = tuple(
        replace(step, operands=tuple(bound(operand) for operand in step.operands))
        if isinstance(step, Compute)
        else step
        for step in plan.steps
    )
    return replace(plan, steps=steps)


def _cell(text: str) -> Quantity | None:
    """Returns the number of a cell by the benchmark's rule, or None for a cell that it cannot read."""
    printed = text.replace("$", "").split("(")[0].strip()
    try:
        value = read_literal(printed)
    except ProgramError:
        return None
    if printed.endswith("%"):
        return Quantity(shifted(value, 2), Scale.PERCENT, text=text)
    return Quantity(value, text=text)
