"""A calculation that is asked for again for another line or year."""

import pytest
from feature_bench import (
    COSTS_2008,
    COSTS_2009,
    INCOME_2008,
    SALES_2008,
    SALES_2009,
    Row,
    candidates_of,
    leaf,
    looked_up,
    turn_of,
)

from quaestor.solvers.embedded.repeated_plans import find_restated_turn, score_meant
from quaestor.solvers.embedded.turn_state import Operand, TurnAction, TurnView

RATIO = (
    "in 2009, what was the ratio of total costs to net sales?",
    TurnAction("divide", (leaf(COSTS_2009, 90.0), leaf(SALES_2009, 500.0)), 0.18),
)
CHANGE = (
    "what was the change in net sales from 2008 to 2009?",
    TurnAction("subtract", (leaf(SALES_2009, 500.0), leaf(SALES_2008, 400.0)), 100.0),
)
SALES = ("what were net sales in 2009?", looked_up(SALES_2009, 500.0))
SUM = ("what were both together?", TurnAction("add", (leaf(SALES_2009, 500.0), leaf(SALES_2008, 400.0)), 900.0))
SHARE_OF_CHANGE = (
    "and the percentage change?",
    TurnAction("divide", (Operand("result", 0, 100.0), leaf(SALES_2008, 400.0)), 0.25),
)


@pytest.mark.parametrize(
    ("turns", "question", "meant"),
    [
        ([RATIO], "and in 2008?", 0),
        ([RATIO], "what about for the tax rate?", 0),
        ([RATIO], "and what was it in 2008?", 0),
        ([RATIO], "and what was this ratio in 2008?", None),
        ([CHANGE], "and between 2007 and 2008?", 0),
        ([SALES], "and in 2008?", 0),
        # An opening balance is in the column of the previous year; another line is not another year of this one.
        ([SALES], "and at the beginning of 2008?", None),
        ([SALES], "and for the tax rate?", None),
        # A follow-up after a sum asks for the next number.
        ([SUM], "and in 2007?", None),
        # Conversions, and questions that name what they ask for.
        ([RATIO], "in millions?", None),
        ([RATIO], "what about in percentage terms?", None),
        ([CHANGE], "what were total costs in 2008?", None),
        ([], "and in 2008?", None),
    ],
)
def test_restated_turn_is_found(turns: list[tuple[str, TurnAction]], question: str, meant: int | None) -> None:
    assert find_restated_turn(turn_of(question, *turns)) == meant


def positive_scores(turn: TurnView, rows: tuple[Row, ...], *plans: tuple[str, int, int]) -> list[bool]:
    return [score > 0 for score in score_meant(candidates_of(turn, rows, *plans), [turn]).tolist()]


def test_the_calculation_is_repeated_in_the_same_order() -> None:
    rows: tuple[Row, ...] = (
        ("new", COSTS_2008, 80.0), ("new", SALES_2008, 400.0), ("used", SALES_2009, 500.0), ("new", INCOME_2008, 30.0),
    )  # fmt: skip
    plans = (("divide", 0, 1), ("divide", 1, 0), ("subtract", 0, 1), ("divide", 0, 2), ("divide", 3, 1))
    assert positive_scores(turn_of("and in 2008?", RATIO), rows, *plans) == [True, False, False, True, False]


def test_line_that_the_question_does_not_name_is_not_used() -> None:
    rows: tuple[Row, ...] = (("new", COSTS_2009, -90.0), ("new", COSTS_2008, 80.0), ("used", SALES_2009, 500.0))
    plans = (("subtract", 0, 1), ("subtract", 0, 2))
    assert positive_scores(turn_of("what about for total costs?", CHANGE), rows, *plans) == [True, False]
    assert positive_scores(turn_of("what about for the others?", CHANGE), rows, *plans) == [False, False]


def test_a_change_over_its_base_is_a_percentage_change_elsewhere() -> None:
    rows: tuple[Row, ...] = (("new", COSTS_2009, -90.0), ("new", COSTS_2008, 80.0))
    turn = turn_of("and for total costs?", CHANGE, SHARE_OF_CHANGE)
    assert find_restated_turn(turn) == 1
    assert positive_scores(turn, rows, ("percentage_change", 0, 1), ("subtract", 0, 1)) == [True, False]


def test_turn_without_change_adds_no_restated_plan() -> None:
    rows: tuple[Row, ...] = (("used", COSTS_2009, 90.0), ("used", SALES_2009, 500.0))
    assert positive_scores(turn_of("and in 2009?", RATIO), rows, ("divide", 0, 1)) == [False]


def test_another_year_of_a_line_is_looked_up_in_that_line() -> None:
    rows: tuple[Row, ...] = (("new", SALES_2008, 400.0), ("new", COSTS_2008, 80.0), ("new", INCOME_2008, 30.0))
    turn = turn_of("and in 2008?", SALES)
    scores = score_meant(candidates_of(turn, rows, *(("lookup", n) for n in range(3))), [turn])
    assert [score > 0 for score in scores.tolist()] == [True, False, False]
