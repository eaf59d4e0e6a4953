"""Restated figures: if filings print different numbers for a line and period, answers take the latest filing's."""

from collections.abc import Iterator
from dataclasses import replace

from quaestor.conversation.answer import Answer
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Scale
from quaestor.core.words import search_words
from quaestor.documents.combining import file_of, files_of, newest_years
from quaestor.documents.document import Document
from quaestor.documents.table import Cell, Table
from quaestor.errors import PlanError
from quaestor.plan.steps import Extract, Step
from quaestor.retrieval.company_name import may_be_of_one_company
from quaestor.solvers.answering import build_answer
from quaestor.solvers.base import Solver, TurnContext, WholeSolver

_ALIKE = 0.3
"""Minimum share of common lines for two tables to count as the same table in two filings."""


class RestatementResolver:
    """Solver wrapper that replaces numbers restated in a later filing by the latest ones."""

    def __init__(self, solver: Solver) -> None:
        self.name = solver.name
        self._solver = solver

    @property
    def reads_whole(self) -> bool:
        """Whether the wrapped solver answers questions about a long document from the whole of it."""
        return isinstance(self._solver, WholeSolver) and self._solver.reads_whole

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the solver's answer with the numbers of the latest filing; `reason` names restated ones."""
        return with_later_figures(await self._solver.solve(question, context), question, context)


def with_later_figures(answer: Answer, question: str, context: TurnContext) -> Answer:
    """Replace the numbers of an answer by those of the latest filing, naming the earlier ones in its reason."""
    document = context.document
    if answer.plan is None or answer.value is None or len(files_of(document)) < 2:
        return answer
    remarks: list[str] = []
    steps = tuple(_latest(step, document, remarks) for step in answer.plan.steps)
    if not remarks:
        return answer
    reason = "; ".join(part for part in (answer.reason, *dict.fromkeys(remarks)) if part)
    if steps == answer.plan.steps:
        return replace(answer, reason=reason)
    try:
        plan = replace(answer.plan, steps=steps)
        parsed_question, whole = context.read(question), document.whole or document
        later = build_answer(plan, context.memory, whole, parsed_question, confidence=answer.confidence, reason=reason)
    except PlanError:
        return replace(answer, reason=reason)
    return replace(later, grounds=answer.grounds)


def _latest(step: Step, document: Document, remarks: list[str]) -> Step:
    """Return a step that takes its number from the latest filing, adding a remark if filings differ."""
    if not isinstance(step, Extract) or step.quantity is None or not isinstance(step.source, CellRef):
        return step
    own = document.cell(step.source)
    others = [cell for cell in _same_line(step.source, document) if cell.quantity is not None]
    if own.quantity is None or own.quantity != step.quantity or not others:
        return step
    newest = newest_years(document)
    ranked = sorted((own, *others), key=lambda cell: -newest.get(file_of(document, cell.ref) or "", 0))
    latest = ranked[0]
    differing = [cell for cell in ranked[1:] if _amount(cell, document) != _amount(latest, document)]
    if not differing:
        return step
    elsewhere = ", ".join(f"{cell.text.strip()} in {file_of(document, cell.ref)}" for cell in differing)
    remarks.append(f"restated: {step.label} is {latest.text.strip()} in {file_of(document, latest.ref)}, {elsewhere}")
    if latest is own or latest.quantity is None:
        return step
    return replace(step, source=latest.ref, quantity=latest.quantity, label_scale=None, label_unit=None)


def _same_line(source: CellRef, document: Document) -> Iterator[Cell]:
    """Yield the cells of other files for the same line and period, at most one per file."""
    table, file = document.table(source.table), file_of(document, source)
    period, line = table.period_at(source.row, source.column), _line(table, source.row)
    if period is None or not line:
        return
    labels, seen = _labels(table), {file}
    for other in (document.whole or document).tables:
        where = file_of(document, CellRef(source.document, other.index, 0, 0))
        if (
            where in seen
            or not may_be_of_one_company(document, file or "", where or "")
            or not _alike(labels, _labels(other))
        ):
            continue
        for row in range(other.header_rows, len(other.rows)):
            if _line(other, row) != line:
                continue
            found = [cell for cell in other.cells[row][1:] if other.period_at(row, cell.ref.column) == period]
            if len(found) == 1 and found[0].quantities:
                seen.add(where)
                yield found[0]
                break


def _line(table: Table, row: int) -> tuple[str, ...]:
    header = table.rows[row]
    return tuple(search_words(" ".join((*header.levels, header.label)).lower())) if header.label else ()


def _labels(table: Table) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(search_words(header.label.lower())) for header in table.rows if header.label)


def _alike(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> bool:
    return bool(one and other) and len(one & other) >= _ALIKE * min(len(one), len(other))


def _amount(cell: Cell, document: Document) -> tuple[object, ...]:
    table, quantity = document.table(cell.ref.table), cell.quantity
    assert quantity is not None
    scale = quantity.scale
    if scale is Scale.ONE:
        scale = table.scale_at(cell.ref.row, cell.ref.column) or scale
    return (quantity.value * scale.factor,) if scale is not Scale.PERCENT else (quantity.value, "%")
