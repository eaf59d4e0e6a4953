"""The check for unrequested absolute values, on short plans."""

from decimal import Decimal

import pytest
from pages import page

from quaestor.conversation.turn import Memory
from quaestor.graph.builder import build_graph
from quaestor.ontology.builder import build_ontology
from quaestor.plan.steps import Compute, Constant, Plan, Ref
from quaestor.questions.question import read_question
from quaestor.solvers.reflection.evidence import (
    CheckContext,
    check_sign,
)
from quaestor.solvers.reflection.numbers import NumberIndex
from quaestor.solvers.signs import SIGN_DROPPED

CHANGE = Compute(1, "subtract", (Constant(Decimal(1), "1"), Constant(Decimal(3), "3")))
SIZE = Compute(2, "absolute", (Ref(1),))


def case(question: str, *steps: Compute) -> CheckContext:
    numbers = NumberIndex(build_graph(page([], []), build_ontology([])))
    return CheckContext(Plan(steps), read_question(question), Memory(()), numbers)


@pytest.mark.parametrize(
    ("question", "steps", "issues"),
    [
        ("what was the change?", (CHANGE, SIZE), [(2, SIGN_DROPPED)]),
        ("what was the change?", (CHANGE,), []),
        ("what was the absolute value of the change?", (CHANGE, SIZE), []),
    ],
)
def test_unrequested_absolute_value_is_reported(
    question: str, steps: tuple[Compute, ...], issues: list[tuple[int, str]]
) -> None:
    found = list(check_sign(case(question, *steps)))
    assert [(finding.step, finding.text) for finding in found] == issues
    assert not any(finding.hard for finding in found)
