"""A caption with a scale that is wrong for one line: if a model rejects the scale, the answer mentions it."""

from decimal import Decimal

import agent_bench
import pytest
from made_up import a_record

from quaestor.conversation.answer import Answer
from quaestor.core.quantity import Scale
from quaestor.datasets.convfinqa import read_conversation
from quaestor.plan.program import to_program
from quaestor.testing.models import Call

TABLE = [
    ["cash flowsmillions", "2012", "2011"],
    ["term loans", "325", "310"],
    ["loans drawn, in billions of dollars of 1990", "1.4", "1.3"],
]
TEXT = ("the revolving credit facility provides $ 2.2 billion .", "the notes follow .")
QUESTION = "what is the credit facility less the loans drawn in 2012?"
DOCUMENT = read_conversation(
    a_record("Single_NORD/2012/page_77.pdf-1", (QUESTION,), None, table=TABLE, text=TEXT), ""
).document


@pytest.fixture(autouse=True)
def _wrong_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    """Apply the scale of the caption to every line, as a reader might do wrongly."""
    monkeypatch.setattr(type(DOCUMENT.tables[0]), "scale_at", lambda *_: Scale.MILLION)


def check_scale_set_aside(answer: Answer) -> None:
    assert answer.plan is not None
    assert (answer.number, answer.scale) == (Decimal("0.8"), Scale.BILLION)
    assert answer.formula == "2.2 billion - as_printed(1.4 million)"
    assert to_program(answer.plan) == "subtract(2.2, 1.4)"
    assert all(word in (answer.reason or "") for word in ("1.4", "million"))
    assert "as printed" in answer.description


@pytest.mark.usefixtures("local_models")
def test_agent_can_reject_the_scale_of_a_caption() -> None:
    steps = [
        agent_bench.reply(Call("query_kg", {"filters": {"row": 2, "column": 1}})),
        agent_bench.reply(Call("calculate", {"operation": "as_printed", "values": ["#1"]})),
        agent_bench.reply(Call("calculate", {"operation": "subtract", "values": ["2.2 billion", "#2"]})),
        agent_bench.reply(agent_bench.final("#4")),
    ]
    check_scale_set_aside(agent_bench.play(agent_bench.scripted(steps), QUESTION, page=DOCUMENT).turn.answer)
