"""A solver that follows the instructions in the question, and made-up conversations for it.

`cell R C` looks up a cell, `change` is the difference of the last two answers, `ratio` the last answer divided by the
one before. `row OPERATION R [N]` applies an operation to the cells of a row, `rows OPERATION R R` to those of two rows,
`list OPERATION [N]` to the last answer; `words R` returns the label of a row. `guess N` answers without a plan, `lie
R C` returns a number that its plan does not give. `fail`, `break` and `down` raise a named error, a defect and an
outage. Any instruction may follow `sleep SECONDS`.
"""

import asyncio
import os
import random
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path

from values import a_value

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import Note
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.documents.document import Block, Document, Section
from quaestor.documents.table import Cell, Header, Table
from quaestor.errors import OutageError, SolverError
from quaestor.plan.execute import execute
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Plan, Ref
from quaestor.solvers.answering import with_label_scales
from quaestor.solvers.base import Solver, TurnContext


class ScriptedSolver:
    """Follow the instructions in the question."""

    name = "scripted"

    def __init__(self, log: Path | None = None) -> None:
        self._log = log

    async def solve(self, question: str, context: TurnContext) -> Answer:
        context.trace.append(Note(f"reads {question!r} after {len(context.memory.turns)} turns"))
        if self._log:
            with self._log.open("a") as file:
                file.write(f"{os.getpid()} {context.document.id} {question}\n")
        words = question.split()
        if words[0] == "sleep":
            await asyncio.sleep(float(words[1]))
            words = words[2:]
        return self._answer(words, context)

    def _answer(self, words: Sequence[str], context: TurnContext) -> Answer:
        match words:
            case ["cell", row, column]:
                return answered(Plan((extract(context.document, int(row), int(column)),)), context)
            case ["lie", row, column]:
                honest = answered(Plan((extract(context.document, int(row), int(column)),)), context)
                return replace(honest, value=a_value(999))
            case ["change"]:
                return answered(Plan((Compute(1, "subtract", (Ref(-1), Ref(-2))),)), context)
            case ["ratio"]:
                return answered(Plan((Compute(1, "divide", (Ref(-1), Ref(-2))),)), context)
            case ["greater"]:
                return answered(Plan((Compute(1, "greater", (Ref(-1), Ref(-2))),)), context)
            case ["row", operation, row, *limits]:
                return answered(
                    Plan((Compute(1, operation, (a_row(context.document, int(row)), *map(_limit, limits))),)), context
                )
            case ["rows", operation, one, other]:
                rows = a_row(context.document, int(one)), a_row(context.document, int(other))
                return answered(Plan((Compute(1, operation, rows),)), context)
            case ["list", operation, *limits]:
                return answered(Plan((Compute(1, operation, (Ref(-1), *map(_limit, limits))),)), context)
            case ["words", row]:
                words_of = context.document.tables[0].cells[int(row)][0]
                return answered(Plan((Extract(1, words_of.ref, "", None, text=words_of.text),)), context)
            case ["far"]:
                return Answer(a_value(1), plan=Plan((Compute(1, "identity", (Ref(-9),)),)))
            case ["guess", number]:
                return Answer(a_value(number), description="half a pair: \ud800")
            case ["nothing"]:
                return Answer(None, reason="the page does not say")
            case ["down"]:
                raise OutageError("the model does not answer")
            case ["break"]:
                raise KeyError("a defect")
            case ["die"]:
                os._exit(9)
            case _:
                raise SolverError(f"no plan for {' '.join(words)!r}")


def answered(plan: Plan, context: TurnContext) -> Answer:
    plan = with_label_scales(plan, context.document)
    result = execute(plan, context.memory.registers).result
    return Answer(result.value, result.scale, result.unit, plan=plan, sources=result.sources, in_ones=result.in_ones)


def extract(document: Document, row: int, column: int) -> Extract:
    cell = document.tables[0].cells[row][column]
    assert cell.quantity
    return Extract(1, cell.ref, f"row {row}, column {column}", cell.quantity)


def a_row(document: Document, row: int) -> CellGroup:
    table = document.tables[0]
    cells = [(cell, column) for cell, column in zip(table.cells[row], table.columns, strict=True) if cell.quantity]
    return CellGroup(
        table.rows[row].label,
        tuple(column.label for _, column in cells),
        tuple(cell.quantity for cell, _ in cells if cell.quantity),
        tuple(cell.ref for cell, _ in cells),
        0,
    )


def _limit(number: str) -> Constant:
    return Constant(Decimal(number), number)


def scripted() -> Solver:
    return ScriptedSolver()


def logging_to(log: Path) -> partial[ScriptedSolver]:
    return partial(ScriptedSolver, log)


def without_weights() -> Solver:
    from quaestor.errors import ModelError

    raise ModelError("the weights of 'scripted' are missing")


def a_document(name: str, seed: int = 0) -> Document:
    """Return a page with five rows and four columns of random numbers."""
    draw = random.Random(f"{name} {seed}")
    numbers = [[Decimal(draw.randint(1, 99_999)) / 10 for _ in range(4)] for _ in range(5)]
    cells = tuple(
        tuple(
            Cell(str(number), CellRef(name, 0, row, column), (Quantity(number, text=str(number)),))
            for column, number in enumerate(line)
        )
        for row, line in enumerate(numbers)
    )
    table = Table(
        0, cells, tuple(Header(f"row {i}") for i in range(5)), tuple(Header("") for _ in range(4)), 0, "neither"
    )
    return Document(name, (Section("pre_text"),), (Block(table, 0, "pre_text"),))


def a_conversation(*questions: str, name: str = "Single_NORD/2012/page_41.pdf-1") -> Conversation:
    return Conversation(name, a_document("NORD/2012/page_41.pdf"), questions)


def a_dataset(*conversations: Conversation, digest: str = "d1") -> Dataset:
    return Dataset("pages.json", "original", digest, conversations, ())


def many_conversations(count: int, pause: float = 0.0) -> Dataset:
    """Return conversations of three to five turns with references to earlier answers, failures and a yes/no."""
    draw = random.Random(5)
    prefix = f"sleep {pause} " if pause else ""
    conversations = []
    for number in range(count):
        document = a_document(f"NORD/2012/page_{number // 2}.pdf")
        ends = draw.choices(["change", "ratio", "greater", "fail", "nothing", "guess 4.20", "change", "lie 0 1"], k=3)
        words = [
            f"cell {draw.randrange(5)} {draw.randrange(4)}",
            f"cell {draw.randrange(5)} 2",
            *ends[: 1 + number % 3],
        ]
        questions = tuple(prefix + word for word in words)
        conversations.append(Conversation(f"Single_{document.id}-{number % 2}", document, questions))
    return a_dataset(*conversations)
