"""Leaves and results of earlier turns."""

import pytest
from feature_bench import leaf, looked_up, state_of

from quaestor.questions.question import read_question
from quaestor.solvers.embedded.turn_state import DialogueState, Operand, TurnAction

STATE = state_of(
    ("a?", looked_up(3, 1.0)),
    ("b?", TurnAction("subtract", (leaf(3, 1.0), leaf(5, 2.0)), -1.0)),
    ("c?", TurnAction("divide", (Operand("result", 1, -1.0), Operand("constant", 0, 7.0)), -1 / 7)),
    ("d?", TurnAction("add", (Operand("result", 2, 0.0), leaf(6, 4.0)), 4.0)),
    ("e?", TurnAction("lookup", (Operand("result", 0, 1.0),), 1.0)),
    ("f?", TurnAction("lookup", (), None)),
)


def test_leaf_is_mapped_to_the_last_turn_that_used_it() -> None:
    assert STATE.used_leaves == {3: 1, 5: 1, 6: 3}


def test_lookups_are_turns_with_a_single_leaf() -> None:
    assert STATE.lookups == {0: 3}


@pytest.mark.parametrize(("turn", "leaves"), [(0, {3}), (1, {3, 5}), (2, {3, 5}), (3, {3, 5, 6}), (4, {3}), (5, set())])
def test_leaves_of_a_result_include_those_of_its_operands(turn: int, leaves: set[int]) -> None:
    assert STATE.find_leaves_of(turn) == leaves


def test_added_turn_keeps_earlier_turns() -> None:
    action = looked_up(1, 2.0)
    after = DialogueState().after(read_question("a?"), action).after(read_question("b?"), looked_up(2, 3.0))
    assert [question.text for question in after.questions] == ["a?", "b?"]
    assert after.outcomes == (action, looked_up(2, 3.0))
    assert DialogueState() == DialogueState((), ())
