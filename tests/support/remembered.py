"""Conversations in memory, made by hand: look-ups in a made-up table and calculations on them."""

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from values import a_value

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Memory, Turn
from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.plan.steps import Compute, Constant, Extract, Operand, Plan, Ref, Step

WHEN = datetime(2026, 1, 5, 9, 30, tzinfo=UTC)
METRICS = {"subtract": "change", "add": "sum", "divide": "ratio", "percentage_change": "percentage_change"}


@dataclass(frozen=True)
class TableCell:
    """A number of the table: its row is the entity, its column the year."""

    row: str
    year: int


def looked_up(question: str, entity: str, year: int) -> Turn:
    plan = Plan((_extract(1, TableCell(entity, year)),))
    return _turn(question, Answer(a_value(7), entity=entity, period=Period("year", year), plan=plan))


def computed(question: str, operation: str, *operands: int | TableCell, entity: str | None = None) -> Turn:
    """Return a turn that calculates with earlier answers (-1 is the last), cells, and constants (from 1)."""
    steps: list[Step] = []
    given: list[Operand] = []
    for operand in operands:
        if isinstance(operand, TableCell):
            steps.append(_extract(len(steps) + 1, operand))
            given.append(Ref(len(steps)))
        else:
            given.append(Ref(operand) if operand < 0 else Constant(Decimal(operand), f"const_{operand}"))
    steps.append(Compute(len(steps) + 1, operation, tuple(given)))
    return _turn(question, Answer(a_value(7), entity=entity, metric_type=METRICS[operation], plan=Plan(tuple(steps))))


def unanswered(question: str) -> Turn:
    return _turn(question, Answer(None, reason="nothing was found"))


def ungrounded(question: str) -> Turn:
    """Return a turn whose answer has no plan."""
    return _turn(question, Answer(a_value(7)))


def memory_of(*turns: Turn) -> Memory:
    return Memory(tuple(turns))


def _extract(step: int, cell: TableCell) -> Extract:
    # Each entity has its own row, so equal entities and years give equal cells.
    source = CellRef("page", 0, int.from_bytes(cell.row.encode(), "big"), cell.year)
    return Extract(step, source, f"{cell.row}, {cell.year}", Quantity(Decimal(7), Scale.ONE, None, "7"))


def _turn(question: str, answer: Answer) -> Turn:
    return Turn(question, answer, verified=answer.plan is not None, started=WHEN, finished=WHEN)
