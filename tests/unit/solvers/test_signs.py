from decimal import Decimal

import pytest

from quaestor.plan.steps import Compute, Constant, Plan, Ref
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
def test_a_sign_may_be_dropped_only_where_it_is_asked_for(question: str, wanted: bool) -> None:
    assert wants_magnitude(read_question(question)) == wanted
    assert drops_sign_unasked(SIZE, read_question(question)) == (not wanted)
    assert not drops_sign_unasked(Plan((CHANGE,)), read_question(question))
