"""Plans that nobody asks for of a filing."""

import pytest
from alder_report import numbers_of_report, plan

from quaestor.questions.question import read_question
from quaestor.solvers.embedded.page import NumberMatrix
from quaestor.solvers.embedded.plan_rules import is_implausible, is_of_other_answers
from quaestor.solvers.embedded.turn_state import DialogueState, Operand, TurnAction


@pytest.fixture(scope="module")
def leaves(tmp_path_factory: pytest.TempPathFactory) -> NumberMatrix:
    return numbers_of_report(tmp_path_factory.mktemp("report"))


@pytest.mark.parametrize(
    ("question", "operation", "printed", "ruled_out"),
    [
        ("what was the change in net sales in 2024?", "subtract", [("391", 0), ("383", 0)], False),
        ("what was the change in net sales in 2023?", "subtract", [("391", 0), ("383", 0)], True),
        ("what was the change in net sales since 2023?", "subtract", [("391", 0), ("383", 0)], False),
        ("what was the change in net sales in 2024?", "subtract", [("391", 0), ("96", 0)], True),
        ("what was the difference in 2024?", "subtract", [("391", 0), ("96", 0)], False),
        ("what was the change in net sales in 2024?", "subtract", [("2%", 0), ("3%", 0)], True),
        ("what was the change in net sales in 2024?", "divide", [("391", 0), ("2%", 0)], True),
        ("how much was sold in 2024 in total?", "add", [("391", 0), ("391", 1)], True),
        ("how much was sold in 2024 in total?", "add", [("391", 0), ("383", 0)], False),
        ("what was the net margin in 2024?", "add", [("391", 0), ("96", 0)], True),
        ("what was the net margin in 2024?", "divide", [("96", 0), ("391", 0)], False),
        ("were services higher than net sales in 2024?", "lookup", [("96", 0)], True),
        ("were services higher than net sales in 2024?", "greater", [("96", 0), ("391", 0)], False),
        ("were services higher than net sales in 2024?", "greater", [("96", 0), ("2%", 0)], True),
    ],
)
def test_what_nobody_asks_for_is_ruled_out(
    leaves: NumberMatrix, question: str, operation: str, printed: list[tuple[str, int]], *, ruled_out: bool
) -> None:
    outcome = plan(leaves, operation, *printed)
    assert is_implausible(read_question(question), outcome, DialogueState(), leaves) is ruled_out


def test_an_answer_and_the_number_that_it_looked_up_are_one(leaves: NumberMatrix) -> None:
    first = plan(leaves, "lookup", ("391", 0))
    state = DialogueState().after(read_question("what were net sales in 2024?"), first)
    again = TurnAction("add", (Operand("result", 0, 391.0), *plan(leaves, "lookup", ("391", 1)).operands), 782.0)
    assert is_implausible(read_question("how much was sold in 2024 in total?"), again, state, leaves)


@pytest.mark.parametrize(
    ("question", "ruled_out"),
    [
        ("what was the leverage ratio?", True),
        ("what was the change in net sales?", False),
        ("what was the change?", False),
        ("and what is the ratio of these two?", False),
    ],
)
def test_earlier_answers_answer_no_other_thing(leaves: NumberMatrix, question: str, *, ruled_out: bool) -> None:
    state = DialogueState()
    for asked in ("what were net sales in 2024?", "what were net sales in 2023?"):
        state = state.after(read_question(asked), plan(leaves, "lookup", ("391", 0)))
    outcome = TurnAction("divide", tuple(Operand("result", turn, 391.0) for turn in (0, 1)), 1.0)
    assert is_of_other_answers(read_question(question), outcome, state) is ruled_out
