from decimal import Decimal

import pytest

from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity
from quaestor.plan.steps import Compute, Constant, Extract, Plan, Ref
from quaestor.questions.question import read_question
from quaestor.solvers.signs import drops_sign_unasked, wants_magnitude

CHANGE = Compute(1, "subtract", (Constant(Decimal(1), "1"), Constant(Decimal(3), "3")))
SIZE = Plan((CHANGE, Compute(2, "absolute", (Ref(1),))))


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("what was the change?", False),
        ("what was the decline in positive territory?", False),
        ("what was the absolute value of the change?", True),
        ("what is the magnitude of the change?", True),
        ("what is that expressed as a positive number?", True),
    ],
)
def test_sign_may_be_dropped_only_if_the_question_asks_for_it(question: str, wanted: bool) -> None:
    assert wants_magnitude(read_question(question)) == wanted
    assert drops_sign_unasked(SIZE, read_question(question)) == (not wanted)
    assert not drops_sign_unasked(Plan((CHANGE,)), read_question(question))


@pytest.mark.parametrize(
    ("label", "question", "dropped"),
    [
        ("payments of dividends, 2011", "payout ratio?", False),
        ("other financing, 2011", "how much did it spend on buybacks?", False),
        ("income tax expense (benefit), 2011", "what was the tax?", True),
        ("net cash provided by (used in) operations, 2011", "what was the cash flow?", True),
    ],
)
def test_outflow_is_shown_as_its_magnitude(label: str, question: str, dropped: bool) -> None:
    taken = Extract(1, CellRef("page", 0, 1, 1), label, Quantity(Decimal(-5), text="(5)"))
    size = Plan((taken, Compute(2, "absolute", (Ref(1),))))
    assert drops_sign_unasked(size, read_question(question)) == dropped
    change = Compute(2, "subtract", (Ref(1), Constant(Decimal(3), "3")))
    assert drops_sign_unasked(Plan((taken, change, Compute(3, "absolute", (Ref(2),)))), read_question(question))
