"""Single rules, on plans of a line."""

from dataclasses import replace
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
    no_sign_dropped_unasked,
    numbers_are_on_the_page,
    the_operation_asked_for,
)
from quaestor.solvers.reflection.numbers import NumberIndex
from quaestor.solvers.signs import SIGN_DROPPED

CHANGE = Compute(1, "subtract", (Constant(Decimal(1), "1"), Constant(Decimal(3), "3")))
SIZE = Compute(2, "absolute", (Ref(1),))


def case(question: str, *steps: Compute) -> CheckContext:
    numbers = NumberIndex(build_graph(page([], []), build_ontology([])))
    return CheckContext(Plan(steps), read_question(question), Memory(()), numbers)


@pytest.mark.parametrize(
    ("question", "steps", "told"),
    [
        ("what was the change?", (CHANGE, SIZE), [(2, SIGN_DROPPED)]),
        ("what was the change?", (CHANGE,), []),
        ("what was the absolute value of the change?", (CHANGE, SIZE), []),
    ],
)
def test_an_absolute_value_that_nobody_asks_for_is_told(
    question: str, steps: tuple[Compute, ...], told: list[tuple[int, str]]
) -> None:
    found = list(no_sign_dropped_unasked(case(question, *steps)))
    assert [(finding.step, finding.text) for finding in found] == told
    assert not any(finding.hard for finding in found)


COMPARED = Compute(1, "greater", (Constant(Decimal(3), "3"), Constant(Decimal(1), "1")))


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("what was the change in rent?", 1),
        ("did the rent change more than wages?", 0),
        ("did rent increase in 2012?", 0),
    ],
)
def test_of_a_question_for_yes_or_no_a_comparison_is_the_operation(question: str, told: int) -> None:
    assert len(list(the_operation_asked_for(case(question, COMPARED)))) == told


def test_a_threshold_that_a_draft_says_it_assumes_needs_no_page() -> None:
    limit = Compute(1, "greater", (Constant(Decimal(1), "1"), Constant(Decimal("0.25"), "0.25")))
    asked = case("is the company capital-intensive?", limit)
    (finding,) = numbers_are_on_the_page(asked)
    assert finding.hard
    assert not list(numbers_are_on_the_page(replace(asked, assumption="above 0.25 of revenue it is")))
