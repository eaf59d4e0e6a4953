"""A model that writes a plan as a perfect planner.

Steps name rows and columns as the page lists them, and words around a number in the text, but never the number. If the
look-up asks which of several numbers in the text is meant, the model chooses the one of the plan.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from model_server import Script
from plan_steps import needs_more_than_numbers
from values import quantity_of

from quaestor.core.provenance import CellRef, Source
from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.graph.facts import HeaderNumber, MentionFact, period_code
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.expressions import benchmark_rows
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, RowRef
from quaestor.solvers.base import TurnContext
from quaestor.solvers.workflow.schema import TextParams
from quaestor.solvers.workflow.table_lookup import axes_of
from quaestor.solvers.workflow.text_lookup import find_numbers
from quaestor.testing.models import ReceivedRequest, Reply, structured

Json = dict[str, Any]

_OF_ROWS = {"table_sum": "sum", "table_average": "average", "table_max": "maximum", "table_min": "minimum"}
_POINTING = re.compile(r"^For step ([0-9]+) these numbers", re.MULTILINE)


def workflow_script(context: TurnContext, plan: Callable[[], Plan]) -> Script:
    """Return the script of a turn: the plan, and the choice of a number in the text."""
    writers: list[PlanWriter] = []

    def answer(request: ReceivedRequest) -> Reply:
        if step := _POINTING.search(request.prompts[-1]):
            return structured(request, {"number": writers[0].pointed[int(step[1])]})
        writers[:] = [PlanWriter(plan(), context.document, context.graph)]
        if needs_more_than_numbers(writers[0].plan) and "select_cells" not in request.system:
            return structured(request, {"thought_process": "it is no number", "steps": [], "no_answer": "other"})
        return structured(request, writers[0].written)

    return answer


@dataclass
class PlanWriter:
    """A plan on its page in the JSON format of the model.

    Attributes:
        pointed: The place, from 1, of the intended number, for steps whose words match several numbers.
    """

    plan: Plan
    document: Document
    graph: KnowledgeGraph
    pointed: dict[int, int] = field(default_factory=dict)
    _steps: list[Json] = field(default_factory=list)
    _numbers: dict[int, int] = field(default_factory=dict)

    @property
    def written(self) -> Json:
        """The plan as a model writes it."""
        self._steps.clear()
        for step in self.plan.steps:
            if isinstance(step, Extract) and step.text is not None:
                self._add({"tool": "quote", "words": step.text})
            elif isinstance(step, Extract):
                self._extract(step.source, quantity_of(step).text, step.reading)
            else:
                self._compute(step)
            self._numbers[step.id] = len(self._steps)
        return {"thought_process": "as the reference has it", "steps": list(self._steps)}

    def _extract(self, source: Source, text: str, reading: str = "signed") -> int:
        params = self._cell(source, text) if isinstance(source, CellRef) else None
        where = "text" if params is None else "table"
        params = params or self._mention(source, text)
        found = self._add({"tool": "extract_value", "source": where, "params": params})
        if reading == "signed":
            return found
        operand = {"type": "reference", "step_ref": found}
        return self._add({"tool": "compute", "operation": "absolute", "operands": [operand]})

    def _add(self, step: Json) -> int:
        self._steps.append({"step_id": len(self._steps) + 1, **step})
        return len(self._steps)

    def _cell(self, ref: CellRef, text: str) -> Json | None:
        """Return the names of the row and column of a cell; None for a number in a heading."""
        by_table = zip(self.document.tables, axes_of(self.document), strict=True)
        axes, cell = next(axes for table, axes in by_table if table.index == ref.table), self.document.cell(ref)
        if ref.row not in axes.rows or ref.column not in axes.columns or not cell.quantities:
            return None
        numbers = [quantity.text for quantity in cell.quantities]
        end = f" (number {numbers.index(text) + 1})" if len(numbers) > 1 else ""
        return {"row_query": axes.rows[ref.row].name, "col_query": axes.columns[ref.column].name + end}

    def _mention(self, source: Source, text: str) -> Json:
        numbers: tuple[MentionFact | HeaderNumber, ...] = (*self.graph.mentions, *self.graph.labels)
        item = next(n for n in numbers if n.source == source and n.quantity.text == text)
        params = words_of_number(item)
        found = find_numbers(self.graph, TextParams(**params))
        if not found.decided:
            self.pointed[len(self._steps) + 1] = found.numbers.index(item) + 1 if item in found.numbers else 0
        return params

    def _compute(self, step: Compute) -> None:
        operation = step.operation
        if operation in _OF_ROWS:
            label = step.operands[0]
            assert isinstance(label, RowRef)
            cells = self._row(label.text)
            operands = [{"type": "reference", "step_ref": self._extract(source, text)} for text, source in cells]
            operation = _OF_ROWS[operation]
        else:
            operands = [self._operand(operand) for operand in step.operands]
            if len(step.operands) == 1 and isinstance(step.operands[0], CellGroup) and operation == "items":
                return
        self._add({"tool": "compute", "operation": operation, "operands": operands})

    def _select(self, group: CellGroup) -> int:
        """Add a step that selects cells: a whole axis if the group has every cell that prints a number there."""
        cells = [source for source in group.sources if isinstance(source, CellRef)]
        by_table = zip(self.document.tables, axes_of(self.document), strict=True)
        table, axes = next((table, axes) for table, axes in by_table if table.index == cells[0].table)
        rows, columns = {cell.row: None for cell in cells}, {cell.column: None for cell in cells}

        def printing(row: int, column: int) -> bool:
            cell = table.cells[row][column]
            return bool(cell.quantities) and not cell.repair

        every_row = all(row in rows or not any(printing(row, column) for column in columns) for row in axes.rows)
        every_column = all(c in columns or not any(printing(row, c) for row in rows) for c in axes.columns)
        one = len(self.document.tables) == 1
        return self._add(
            {
                "tool": "select_cells",
                "rows": ["all"] if one and every_row and len(rows) > 1 else [axes.rows[row].name for row in rows],
                "columns": ["all"] if every_column and len(columns) > 1 else [axes.columns[c].name for c in columns],
            }
        )

    def _row(self, label: str) -> list[tuple[str, Source]]:
        grid = [[(cell.text, cell.ref) for cell in row] for table in self.document.tables for row in table.cells]
        return [
            (self.document.cell(source).quantities[0].text, source)
            for _, source in benchmark_rows(grid)[label]
            if isinstance(source, CellRef)
        ]

    def _operand(self, operand: Operand) -> Json:
        if isinstance(operand, Ref):
            return {"type": "reference", "step_ref": self._numbers.get(operand.step, operand.step)}
        if isinstance(operand, CellGroup):
            return {"type": "reference", "step_ref": self._select(operand)}
        assert isinstance(operand, Constant)
        return {"type": "literal", "value": float(operand.value)}


def words_of_number(item: MentionFact | HeaderNumber) -> dict[str, str]:
    """Return the words with which a planner looks up a number in the text."""
    before = item.before if isinstance(item, MentionFact) else item.label
    around = f"{item.before} {item.after}" if isinstance(item, MentionFact) else item.label
    quantity = item.quantity
    unit = [quantity.scale.value] if quantity.scale is not Scale.ONE else []
    return {
        "sought": _without_numbers(before),
        "value_context": _without_numbers(around),
        "unit": " ".join([*unit, *([quantity.unit] if quantity.unit else [])]) or "any",
        "period": period_code(item.period) if item.period else "any",
    }


def _without_numbers(text: str) -> str:
    return " ".join(w for w in text.split() if not any(c.isdigit() for c in w)) or "amount"
