"""The plans of a conversation as spreadsheet formulas.

Operands are converted by the rules in `quaestor.plan.scales`, so each formula gives the result of the plan, also after
the inputs are changed. An entry that is not selected has an empty text as label and number, which sums, maxima and
counts ignore.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Turn
from quaestor.core.answer_value import ValueList, print_value
from quaestor.exports.rows import ExportedConversation
from quaestor.exports.workbook.places import InputCell, PlanInput
from quaestor.plan.operations import OPERATIONS, Operation
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Ref

SHEET = "Working"
LABEL, NUMBER, COMPARED, PLACE = 2, 3, 4, 5
"""The columns of a row's label, its number, the value it is compared by, and its rank."""

_LETTERS = "ABCDEF"
_LONGEST_TEXT = 250


@dataclass(frozen=True, slots=True)
class WorkingRow:
    """A row of the sheet. Formulas are written without their `=`."""

    turn: int
    what: str
    number: str | None
    label: str | None = None
    compared: str | None = None
    place: str | None = None
    input: InputCell | None = None


@dataclass(frozen=True, slots=True)
class SingleValue:
    """A number, yes or no, or a text: its formula, and the dimension of a number."""

    formula: str
    counts: Dimension = field(default_factory=Dimension)


@dataclass(frozen=True, slots=True)
class ListRows:
    """A list in consecutive rows of the sheet."""

    first: int
    labels: tuple[str, ...]
    counts: tuple[Dimension, ...]
    numbered: bool = True

    def range(self, column: int) -> str:
        """Return the range of its cells in a column."""
        last = self.first + len(self.labels) - 1
        return f"{address(self.first, column)}:{address(last, column)}"

    def cells(self, column: int) -> list[str]:
        """Return the addresses of its cells in a column."""
        return [address(self.first + place, column) for place in range(len(self.labels))]


def address(row: int, column: int) -> str:
    """Return the absolute address of a cell, with the sheet; row and column count from 0."""
    return f"{SHEET}!${_LETTERS[column]}${row + 1}"


def in_quotes(text: str) -> str:
    """Return text as a string literal of a formula.

    >>> in_quotes('the "net" line')
    '"the ""net"" line"'
    """
    return '"' + text[:_LONGEST_TEXT].replace('"', '""') + '"'


_INFIX = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "percentage": "/", "exp": "^"}
_COMPARED = {"above": ">", "below": "<", "at_least": ">=", "at_most": "<=", "equal_to": "=", "greater": ">"}
_AGGREGATES = {
    "sum": "SUM", "average": "AVERAGE", "minimum": "MIN", "maximum": "MAX",
    "table_sum": "SUM", "table_average": "AVERAGE", "table_min": "MIN", "table_max": "MAX",
}  # fmt: skip


class FormulaRows:
    """Builds the rows of a conversation, and the formula of each answer."""

    def __init__(
        self, conversation: ExportedConversation, inputs: Mapping[PlanInput, InputCell], first: int = 1, turn: int = 1
    ) -> None:
        self.rows: list[WorkingRow] = []
        self.answers: list[str | None] = []
        self._inputs, self._first = inputs, first
        self._turn, self._history, self._answers = 0, list[SingleValue | ListRows | None](), list[Answer]()
        for number, exported_turn in enumerate(conversation.turns, start=turn):
            self._turn = number
            formula = self._write_turn(exported_turn)
            self._history.append(formula)
            self._answers.append(exported_turn.answer)
            self.answers.append(None if formula is None else _answer_formula(formula))

    def _write_turn(self, turn: Turn) -> SingleValue | ListRows | None:
        plan = turn.answer.plan
        if plan is None or plan.explains_alone or turn.answer.value is None or len(turn.registers) != len(plan.steps):
            return None
        steps: list[SingleValue | ListRows] = []
        for step, register in zip(plan.steps, turn.registers, strict=True):
            if isinstance(step, Extract):
                steps.append(self._extract(step))
            else:
                value = register.value
                labels = [item.label or "" for item in value.items] if isinstance(value, ValueList) else []
                steps.append(self._compute(step, steps, labels))
        return steps[-1] if steps else None

    def _extract(self, step: Extract) -> SingleValue:
        if step.quantity is None:
            return self._row(step.label or "words", in_quotes(step.text or ""), Dimension())
        cell = self._inputs[step.source, step.quantity]
        formula = f"ABS({cell.name})" if step.reading == "magnitude" else cell.name
        return self._row(step.label, formula, step.counts, cell)

    def _compute(
        self, step: Compute, steps: Sequence[SingleValue | ListRows], labels: Sequence[str]
    ) -> SingleValue | ListRows:
        operation = OPERATIONS[step.operation]
        operands = [self._operand(operand, steps) for operand in step.operands]
        lists = [one for one in operands if isinstance(one, ListRows)]
        if operation.takes == "anything":
            return operands[0]
        if operation.takes == "entries":
            return self._items(operands, labels)
        if operation.takes == "list" and lists:
            return self._select(operation, lists[0], operands[1:])
        if operation.takes == "each" and lists:
            return self._each(operation, operands)
        if lists:
            count = sum(len(one.labels) if isinstance(one, ListRows) else 1 for one in operands)
            rows = lists[0] if len(operands) == 1 else self._items(operands, [""] * count)
            compared, counts = self._write_compared(operation, rows, [])
            return self._row(operation.name, f"{_AGGREGATES[operation.name]}({compared.range(COMPARED)})", counts)
        singles = [one for one in operands if isinstance(one, SingleValue)]
        formula, counts = _arithmetic(operation, singles)
        return self._row(operation.name, formula, counts)

    def _operand(self, operand: Operand, steps: Sequence[SingleValue | ListRows]) -> SingleValue | ListRows:
        if isinstance(operand, Ref):
            formula = steps[operand.step - 1] if operand.step > 0 else self._history[operand.step]
            return self._write_unplanned(self._answers[operand.step]) if formula is None else formula
        if isinstance(operand, Constant):
            return SingleValue(f"{operand.value:f}", operand.counts)
        labels = operand.labels if isinstance(operand, CellGroup) else ("",) * len(operand.values)
        first = self._next
        for source, quantity, label in zip(operand.sources, operand.values, labels, strict=True):
            cell = self._inputs[source, quantity]
            self.rows.append(WorkingRow(self._turn, operand.text, cell.name, in_quotes(label), input=cell))
        return ListRows(first, tuple(labels), tuple(operand.counts))

    def _write_unplanned(self, answer: Answer) -> SingleValue | ListRows:
        counts = Dimension(answer.scale, answer.unit, in_ones=answer.in_ones)
        if not isinstance(answer.value, ValueList):
            text = in_quotes(print_value(answer.value)) if answer.value is not None else in_quotes("")
            return self._row("answer", text if answer.number is None else f"{answer.number:f}", counts)
        first, items = self._next, answer.value.items
        for item in items:
            number = None if item.number is None else f"{item.number:f}"
            self.rows.append(WorkingRow(self._turn, "answer", number, in_quotes(item.label or "")))
        own = (counts if item.scale is None else Dimension(item.scale, item.unit) for item in items)
        return ListRows(first, tuple(item.label or "" for item in items), tuple(own))

    def _items(self, operands: Sequence[SingleValue | ListRows], labels: Sequence[str]) -> ListRows:
        entries: list[tuple[str, str, Dimension]] = []
        for one in operands:
            if isinstance(one, SingleValue):
                entries.append((in_quotes(""), one.formula, one.counts))
            else:
                entries += zip(one.cells(LABEL), one.cells(NUMBER), one.counts, strict=True)
        if len(labels) == len(entries):
            entries = [(in_quotes(label), *rest) for label, (_, *rest) in zip(labels, entries, strict=True)]  # type: ignore[misc]
        first = self._next
        self.rows += [WorkingRow(self._turn, "list", number, label) for label, number, _ in entries]
        return ListRows(first, tuple(labels), tuple(counts for _, _, counts in entries))

    def _each(self, operation: Operation, operands: Sequence[SingleValue | ListRows]) -> ListRows:
        lists = [one for one in operands if isinstance(one, ListRows)]
        lead = lists[0]
        entries = []
        for place, label in enumerate(lead.labels):
            singles = []
            for one in operands:
                if isinstance(one, SingleValue):
                    singles.append(one)
                    continue
                index = place if one.labels == lead.labels else one.labels.index(label)
                singles.append(SingleValue(one.cells(NUMBER)[index], one.counts[index]))
            entries.append(_arithmetic(operation, singles))
        first = self._next
        for label_cell, (formula, _) in zip(lead.cells(LABEL), entries, strict=True):
            self.rows.append(WorkingRow(self._turn, operation.name, formula, label_cell))
        return ListRows(first, lead.labels, tuple(counts for _, counts in entries))

    def _select(
        self, operation: Operation, rows: ListRows, limits: Sequence[SingleValue | ListRows]
    ) -> SingleValue | ListRows:
        if operation.name == "count":
            counted = f"COUNT({rows.range(NUMBER)})" if rows.numbered else f"SUMPRODUCT(--(LEN({rows.range(LABEL)})>0))"
            return self._row("count", counted, Dimension(in_ones=True))
        if operation.name == "labels":
            first = self._next
            self.rows += [WorkingRow(self._turn, "labels", None, label) for label in rows.cells(LABEL)]
            return ListRows(first, rows.labels, rows.counts, numbered=False)
        limit = [one for one in limits if isinstance(one, SingleValue)]
        if operation.name in ("largest", "smallest"):
            return self._order(operation, rows, limit)
        written, _ = self._write_compared(operation, rows, limit)
        ordered = written.range(COMPARED)
        if operation.name in _COMPARED:
            shift = operation.rule([*rows.counts, limit[0].counts]).shifts[-1]
            wanted = f"{_COMPARED[operation.name]}{_shift(limit[0].formula, shift)}"
        elif operation.name == "rank":
            n = limit[0].formula
            wanted = f"=IF({n}>0,LARGE({ordered},ABS({n})),SMALL({ordered},ABS({n})))"
        else:
            wanted = f"={'MAX' if operation.name == 'argmax' else 'MIN'}({ordered})"
        first = self._next
        cells = zip(rows.cells(LABEL), rows.cells(NUMBER), written.cells(COMPARED), strict=True)
        for label, number, compared in cells:
            chosen = f"IF(ISNUMBER({compared}),{compared}{wanted},FALSE)"
            numbers = f'IF({chosen},{number},"")' if operation.gives == "list" else None
            self.rows.append(WorkingRow(self._turn, operation.name, numbers, f'IF({chosen},{label},"")'))
        return ListRows(first, rows.labels, rows.counts, numbered=operation.gives == "list")

    def _order(self, operation: Operation, rows: ListRows, limit: Sequence[SingleValue]) -> ListRows:
        """Select the n largest or smallest entries in order; ties keep the order of the list."""
        written, _ = self._write_compared(operation, rows, limit, ordered=True)
        most = int(float(limit[0].formula)) if _is_number(limit[0].formula) else len(rows.labels)
        first = self._next
        for place in range(1, most + 1):
            found = f"MATCH({place},{written.range(PLACE)},0)"
            label, number = (f"INDEX({rows.range(column)},{found})" for column in (LABEL, NUMBER))
            self.rows.append(WorkingRow(self._turn, operation.name, number, label))
        return ListRows(first, rows.labels[:most], rows.counts[:most])

    def _write_compared(
        self, operation: Operation, rows: ListRows, limit: Sequence[SingleValue], *, ordered: bool = False
    ) -> tuple[ListRows, Dimension]:
        """Write the values by which the entries of a list are compared or added up, and return their rows."""
        reading = operation.rule([*rows.counts, *(one.counts for one in limit)])
        first = self._next
        written = ListRows(first, rows.labels, rows.counts)
        direction = 0 if operation.name == "largest" else 1
        for place, (cell, shift) in enumerate(zip(rows.cells(NUMBER), reading.shifts, strict=False)):
            mine = address(first + place, COMPARED)
            rank = f"RANK({mine},{written.range(COMPARED)},{direction})"
            before = f"COUNTIF({address(first, COMPARED)}:{mine},{mine})-1"
            self.rows.append(
                WorkingRow(
                    self._turn,
                    f"{operation.name}: compared",
                    None,
                    rows.cells(LABEL)[place],
                    f'IF(ISNUMBER({cell}),{_shift(cell, shift)},"")',
                    f'IF(ISNUMBER({mine}),{rank}+{before},"")' if ordered else None,
                )
            )
        return written, reading.counts

    def _row(self, what: str, formula: str, counts: Dimension, input: InputCell | None = None) -> SingleValue:
        row = self._next
        self.rows.append(WorkingRow(self._turn, what, formula, input=input))
        return SingleValue(address(row, NUMBER), counts)

    @property
    def _next(self) -> int:
        return self._first + len(self.rows)


def _arithmetic(operation: Operation, operands: Sequence[SingleValue]) -> tuple[str, Dimension]:
    """Return an operation on single numbers as a formula, and the dimension of its result."""
    reading = operation.rule([one.counts for one in operands])
    v = [_shift(one.formula, shift) for one, shift in zip(operands, reading.shifts, strict=True)]
    if operation.name in _INFIX:
        return f"{v[0]}{_INFIX[operation.name]}{v[1]}", reading.counts
    if operation.name == "percentage_change":
        return f"({v[0]}-{v[1]})/{v[1]}", reading.counts
    if operation.name in _COMPARED:
        return f'IF({v[0]}{_COMPARED[operation.name]}{v[1]},"yes","no")', reading.counts
    if operation.name in _AGGREGATES:
        return f"{_AGGREGATES[operation.name]}({','.join(v)})", reading.counts
    return (f"ABS({v[0]})" if operation.name == "absolute" else v[0]), reading.counts


def _shift(formula: str, shift: int) -> str:
    """Multiply a formula by a power of ten; negative numbers are put in parentheses."""
    plain = f"({formula})" if formula.startswith("-") else formula
    return plain if not shift else f"({plain}{'*' if shift > 0 else '/'}{10 ** abs(shift)})"


def _is_number(formula: str) -> bool:
    return formula.replace(".", "", 1).isdigit()


def _answer_formula(formula: SingleValue | ListRows) -> str:
    """Return the formula of an answer: a single cell, or the entries of a list in one line."""
    if isinstance(formula, SingleValue):
        return formula.formula
    labels, numbers = formula.range(LABEL), formula.range(NUMBER)
    if not formula.numbered:
        return f'_xlfn.TEXTJOIN("; ",TRUE,{labels})'
    one = f'IF(LEN({labels})>0,{labels}&": ","")&{numbers}'
    return f'_xlfn.TEXTJOIN("; ",TRUE,IF(LEN({numbers})>0,{one},""))'
