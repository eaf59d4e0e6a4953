"""The benchmark's rule for the rows that the `table_*` operations name, and its application to a plan.

Works on printed text alone, for this row of the layers knows no documents.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from quaestor.core.provenance import CellRef, Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.errors import OperandError, ProgramError
from quaestor.plan.literals import read_literal
from quaestor.plan.scales import shift_decimal
from quaestor.plan.steps import Compute, Operand, Plan, RowRef

Row = tuple[tuple[Quantity, Source], ...]

TableRows = Mapping[str, Row]
"""The rows of one table by their exact label; a row that the operations cannot read has no numbers."""


def benchmark_rows(grid: Iterable[Sequence[tuple[str, Source]]]) -> dict[str, Row]:
    """Return the rows of a table as the `table_*` operations read them, by their exact label.

    Shape: `grid` has one sequence of (text, source) a row, the label first, header rows included.

    Source: ConvFinQA's execution of programs. Of rows with one label the last counts. In a cell `$` and commas are
    dropped and the text before the first `(` is read, so `-435 ( 435 )` is -435 and `13.7% ( 13.7 % )` is 13.7 %.
    One cell that does not read so leaves the whole row without numbers, even where an earlier row has the same label.
    """
    rows: dict[str, Row] = {}
    for cells in grid:
        label = cells[0][0] if cells else ""
        numbers = [(_cell(text), source) for text, source in cells[1:]]
        row = tuple((quantity, source) for quantity, source in numbers if quantity is not None)
        rows[label] = row if len(row) == len(numbers) else ()
    return rows


def bind_labels(plan: Plan, tables: Sequence[TableRows]) -> Plan:
    """Return the plan with the numbers and cells of each row label that it names.

    A label that does not say its table is that of the only table which has the row; where several have it, that of the
    only one of them which other steps of the plan read.

    Args:
        tables: The rows of each table of the document, in its order.

    Raises:
        OperandError: A label names no row, a row with a cell that is not a number, or rows of several tables.
    """
    read = _tables_read(plan, tables)

    def bound(operand: Operand) -> Operand:
        if not isinstance(operand, RowRef):
            return operand
        row = tables[_table_of(operand, tables, read)][operand.text]
        return replace(operand, values=tuple(q for q, _ in row), sources=tuple(s for _, s in row))

    steps = tuple(
        replace(step, operands=tuple(bound(operand) for operand in step.operands))
        if isinstance(step, Compute)
        else step
        for step in plan.steps
    )
    return replace(plan, steps=steps)


def _table_of(label: RowRef, tables: Sequence[TableRows], read: Collection[int]) -> int:
    having = _having(label, tables)
    found = [table for table in having if table in read] if len(having) > 1 else having
    if len(found) == 1 and tables[found[0]][label.text]:
        return found[0]
    if len(having) > 1 and len(found) != 1:
        named = ", ".join(str(table) for table in having)
        raise OperandError(f"tables {named} each have a row labelled {label.text[:60]!r}: name the table")
    where = "the table" if label.table is None else f"table {label.table}"
    raise OperandError(f"{where} has no row labelled {label.text[:60]!r} with a number in every cell")


def _having(label: RowRef, tables: Sequence[TableRows]) -> list[int]:
    """Return the tables that have a row of that label, readable or not; of a label with a table at most that one."""
    named = range(len(tables)) if label.table is None else [label.table]
    return [table for table in named if 0 <= table < len(tables) and label.text in tables[table]]


def _tables_read(plan: Plan, tables: Sequence[TableRows]) -> frozenset[int]:
    """Return the tables that a plan reads for certain: by cells, and by labels that one table alone has."""
    cells = {step.source.table for step in plan.extracts if isinstance(step.source, CellRef)}
    labels = (o for step in plan.steps if isinstance(step, Compute) for o in step.operands if isinstance(o, RowRef))
    certain = (having[0] for label in labels if len(having := _having(label, tables)) == 1)
    return frozenset((*cells, *certain))


def _cell(text: str) -> Quantity | None:
    """Return the number of a cell by the benchmark's rule, or None for a cell that it cannot read."""
    printed = text.replace("$", "").split("(")[0].strip()
    try:
        value = read_literal(printed)
    except ProgramError:
        return None
    if printed.endswith("%"):
        return Quantity(shift_decimal(value, 2), Scale.PERCENT, text=text)
    return Quantity(value, text=text)
