"""What a side of a comparison means that points back."""

import pytest
from feature_bench import (
    COSTS_2008,
    COSTS_2009,
    INCOME_2009,
    SALES_2008,
    SALES_2009,
    Row,
    candidates_of,
    leaf,
    looked_up,
    turn_of,
)

from quaestor.solvers.embedded.plan_scores import score_pointed_sides
from quaestor.solvers.embedded.turn_state import TurnAction

Turn = tuple[str, TurnAction]
SHARE: Turn = (
    "what percentage did total costs represent in relation to net sales in 2009?",
    TurnAction("divide", (leaf(COSTS_2009, 90.0), leaf(SALES_2009, 500.0)), 0.18),
)
CHANGE: Turn = (
    "what was the net change in net sales from 2008 to 2009?",
    TurnAction("subtract", (leaf(SALES_2009, 500.0), leaf(SALES_2008, 400.0)), 100.0),
)
COSTS: Turn = ("what were total costs in 2008?", looked_up(COSTS_2008, 80.0))
NOTHING: tuple[tuple[str, int, int], ...] = ()

ROWS: tuple[Row, ...] = (
    ("result1", 0, 100.0),
    ("new", INCOME_2009, 60.0),
    ("used", SALES_2009, 500.0),
    ("used", COSTS_2009, 90.0),
)
PLANS = tuple((operation, i, j) for operation in ("divide", "subtract") for i in range(4) for j in range(4) if i != j)


@pytest.mark.parametrize(
    ("turns", "question", "meant"),
    [
        # A pronoun: what stood on that side of the ratio before.
        ([SHARE], "and what percentage of it was net income?", [("divide", n, 2) for n in (0, 1, 3)]),
        ([SHARE], "and how much did they represent in relation to net income?", [("divide", 3, n) for n in (0, 1, 2)]),
        ([SHARE], "concerning net income, what percentage of it was due to tax?", NOTHING),
        # A noun: the result that is called so.
        ([CHANGE], "what is net income divided by that net change?", [("divide", n, 0) for n in (1, 2, 3)]),
        ([CHANGE], "what is that net change less the net income?", [("subtract", 0, n) for n in (1, 2, 3)]),
        ([CHANGE], "what is net income divided by that amount?", NOTHING),
        ([CHANGE], "what is net income divided by that average?", NOTHING),
        # Words: the number of that name that was taken before.
        ([SHARE], "and what percentage of those net sales was net income?", [("divide", n, 2) for n in (0, 1, 3)]),
        # Neither side points, or both do.
        ([SHARE], "and what percentage of net sales was net income?", NOTHING),
        ([CHANGE], "what is that change as a percentage of those net sales?", NOTHING),
        ([], "what is net income divided by that net change?", NOTHING),
    ],
)
def test_plans_with_what_is_meant_on_that_side_are_likelier(
    turns: list[Turn], question: str, meant: list[tuple[str, int, int]]
) -> None:
    turn = turn_of(question, *turns)
    rows = ROWS if turns else tuple(("constant", 0, value) for _, _, value in ROWS)
    scores = score_pointed_sides(candidates_of(turn, rows, *PLANS), [turn])
    assert [plan for plan, score in zip(PLANS, scores.tolist(), strict=True) if score > 0] == list(meant)


def test_of_several_results_the_one_that_answers_best_is_meant() -> None:
    turn = turn_of("what is net income divided by that net change?", CHANGE, COSTS)
    rows: tuple[Row, ...] = (("result2", 0, 100.0), ("result1", 1, 80.0), ("new", INCOME_2009, 60.0))
    scores = score_pointed_sides(candidates_of(turn, rows, ("divide", 2, 0), ("divide", 2, 1)), [turn])
    assert [score > 0 for score in scores.tolist()] == [True, False]
