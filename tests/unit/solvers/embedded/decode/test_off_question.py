"""Plans that do not compute what the question asks for."""

import pytest
from alder_report import numbers_of_report, plan

from quaestor.questions.question import read_question
from quaestor.solvers.embedded.page import NumberMatrix
from quaestor.solvers.embedded.plan_rules import asks_for_change, find_leaves, is_off_question
from quaestor.solvers.embedded.turn_state import DialogueState


@pytest.fixture(scope="module")
def leaves(tmp_path_factory: pytest.TempPathFactory) -> NumberMatrix:
    return numbers_of_report(tmp_path_factory.mktemp("report"))


@pytest.mark.parametrize(
    ("question", "operation", "printed", "off"),
    [
        ("what was the increase in net sales in 2024?", "lookup", [("391", 0)], True),
        ("what was the increase in net sales in 2024?", "lookup", [("2%", 0)], False),
        ("how much did rent rise in 2024?", "lookup", [("3", 0)], False),
        ("what was the amount of net sales in 2024?", "lookup", [("391", 0)], False),
        ("what was the total, if 96 is 2% of it?", "divide", [("96", 0), ("2%", 0)], False),
        ("and what was the total of services and rent?", "divide", [("96", 0), ("3", 0)], True),
        ("what was their full total, in millions?", "divide", [("96", 0), ("2%", 0)], False),
        ("what was the total of services per store?", "divide", [("96", 0), ("3", 0)], False),
        ("did net sales rise in 2024?", "lookup", [("391", 0)], True),
    ],
)
def test_operation_that_does_not_fit_the_question_is_detected(
    leaves: NumberMatrix, question: str, operation: str, printed: list[tuple[str, int]], *, off: bool
) -> None:
    outcome = plan(leaves, operation, *printed)
    taken = find_leaves(outcome, DialogueState())
    assert is_off_question(read_question(question), outcome, taken, leaves) is off


@pytest.mark.parametrize(
    ("question", "whether"),
    [
        ("what was the growth in revenue?", True),
        ("by how much did debt fall?", True),
        ("how much of the increase was due to price?", False),
        ("what were the change in control payments?", False),
        ("what was rent in 2024?", False),
        ("and how much does this change represent in relation to debt?", False),
    ],
)
def test_questions_that_ask_for_a_change_are_recognized(question: str, whether: bool) -> None:
    assert asks_for_change(read_question(question)) is whether
