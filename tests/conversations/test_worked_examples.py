"""Whole dialogues on pages of the sample with given plans, independent of the solver."""

import asyncio
from collections.abc import Sequence
from decimal import Decimal

from quaestor.conversation.answer import Answer
from quaestor.conversation.display import show_number, show_source
from quaestor.conversation.turn import Turn
from quaestor.core.provenance import CellRef
from quaestor.datasets.dataset import Conversation
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.evaluation.runner import answer_conversation
from quaestor.plan.steps import Compute, Constant, Extract, Plan, Ref
from quaestor.sample import sample_path
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext


class PlannedSolver:
    """Answer with the given plans, one per turn."""

    name = "planned"

    def __init__(self, plans: Sequence[Plan]) -> None:
        self._plans = plans

    async def solve(self, question: str, context: TurnContext) -> Answer:
        return answer_from_plan(self._plans[len(context.memory.turns)], context)


def page(identity: str) -> Document:
    documents = {c.document.id: c.document for c in read_dataset(sample_path()).conversations}
    return documents[identity]


def cell(document: Document, row: str, column: str, step: int = 1) -> Extract:
    table = document.tables[0]
    ref = CellRef(
        document.id, 0, [h.label for h in table.rows].index(row), [h.label for h in table.columns].index(column)
    )
    quantity = document.cell(ref).quantity
    assert quantity is not None
    return Extract(step, ref, f"{row}, {column}", quantity)


def lookup(document: Document, row: str, column: str) -> Plan:
    return Plan((cell(document, row, column),))


def play(document: Document, plans: dict[str, Plan]) -> tuple[Turn, ...]:
    conversation = Conversation(document.id, document, tuple(plans))
    turns = asyncio.run(answer_conversation(conversation, PlannedSolver(list(plans.values()))))
    assert all(turn.verified and turn.error is None for turn in turns)
    return turns


def programs(document: Document, turns: Sequence[Turn]) -> list[str | None]:
    return [record.program for record in turn_records(TurnPlace("run", document.id), turns)]


CASH = "net cash from operating activities"


def test_a_percentage_change_from_the_years_before() -> None:
    document = page("HALC/2009/page_52.pdf")
    turns = play(
        document,
        {
            "what was the net cash from operating activities in 2009?": lookup(document, CASH, "2009"),
            "and in 2008?": lookup(document, CASH, "2008"),
            "what is the difference?": Plan((Compute(1, "subtract", (Ref(-2), Ref(-1))),)),
            "and the percentage change?": Plan((Compute(1, "divide", (Ref(-1), Ref(-2))),)),
        },
    )
    assert [str(turn.answer.value) for turn in turns[:3]] == ["206588", "181001", "25587"]
    last = turns[-1].answer
    assert isinstance(last.number, Decimal)
    assert round(last.number, 5) == Decimal("0.14136")
    assert last.formula == "(206588 - 181001) / 181001"
    assert programs(document, turns)[-1] == "subtract(206588, 181001), divide(#0, 181001)"
    assert [show_source(source, document).place for source in last.sources] == [f"{CASH} | 2009", f"{CASH} | 2008"]
    assert show_number(last) == "14.1 %"
    assert show_number(turns[2].answer) == "$ 25,587 thousand"


def test_unanswered_turn_affects_only_turns_that_use_it() -> None:
    document = page("HALC/2009/page_52.pdf")
    nothing = Plan((Compute(1, "divide", (Ref(-1), Constant(Decimal(0), "0"))),))
    plans = {
        "what was it in 2009?": lookup(document, CASH, "2009"),
        "what is it over nothing?": nothing,
        "and plus one?": Plan((Compute(1, "add", (Ref(-1), Constant(Decimal(1), "const_1"))),)),
        "and in 2008?": lookup(document, CASH, "2008"),
    }
    conversation = Conversation(document.id, document, tuple(plans))
    turns = asyncio.run(answer_conversation(conversation, PlannedSolver(list(plans.values()))))
    assert [turn.error.partition(":")[0] if turn.error else None for turn in turns] == [
        None, "DivisionByZeroError", "OperandError", None
    ]  # fmt: skip
    assert [turn.answer.value for turn in turns[1:3]] == [None, None]
