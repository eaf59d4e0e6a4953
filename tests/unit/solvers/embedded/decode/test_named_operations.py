"""Operations that a question says in so many words."""

import pytest
from feature_bench import SALES_2009, Row, candidates_of, looked_up, turn_of

from quaestor.solvers.embedded.candidates import OPERATIONS
from quaestor.solvers.embedded.plan_scores import score_named_operations

ROWS: tuple[Row, ...] = (("result1", 0, 500.0), ("constant", 0, 9.0))
TWO = ("subtract", "add", "divide", "multiply", "greater", "percentage_change")
ALL = {"lookup", *TWO}


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("what is that plus 9?", {"add", "subtract"}),
        ("what is that times 9?", {"multiply"}),
        ("what is that divided by 9?", {"add", "subtract", "divide", "percentage_change"}),
        ("what is that change over 100?", {"divide"}),
        ("what is that divided by 9, times 100?", {"multiply", "add", "subtract", "divide", "percentage_change"}),
        ("how many times was it above 9?", ALL),
        ("what is that less 9?", ALL),
        ("and in 2008?", ALL),
    ],
)
def test_the_words_for_an_operation_leave_it_open_alone(question: str, left: set[str]) -> None:
    turn = turn_of(question, ("what were net sales in 2009?", looked_up(SALES_2009, 500.0)))
    plans = candidates_of(turn, ROWS, ("lookup", 0), *((name, 0, 1) for name in TWO))
    scores = score_named_operations(turn.question, plans)
    assert {OPERATIONS[code] for code in plans.operation[scores == 0]} == left
    assert all(score in (0.0, -12.0) for score in scores.tolist())
