"""Features of the agreement of a plan with its question, computed by hand."""

import pytest
from feature_bench import (
    COSTS_2009,
    PROBABILITY,
    SALES_2008,
    SALES_2009,
    Row,
    candidates_of,
    changed,
    features_of,
    leaf,
    looked_up,
    turn_of,
)

from quaestor.questions.comparison import KINDS
from quaestor.solvers.embedded.candidates import Candidates
from quaestor.solvers.embedded.operand_features import view_operands
from quaestor.solvers.embedded.plan_features import measure_agreement
from quaestor.solvers.embedded.turn_state import Operand, TurnAction, TurnView

SALES: tuple[Row, ...] = (("new", SALES_2009, 500.0), ("new", SALES_2008, 400.0), ("new", COSTS_2009, 90.0))


def measured(turn: TurnView, candidates: Candidates) -> dict[str, list[float]]:
    view = view_operands(candidates.pool, [PROBABILITY], [turn])
    return {name: [float(v) for v in values] for name, values in measure_agreement(candidates, [turn], view).items()}


EXPECTED = {
    # The confidence is 0.83 that a change is asked for, and 0.5 for a value after a value.
    "metric": [0.83, 0.83, 0, 0.83, 0, 0.5],
    "metric_gap": [0, 0, -0.83, 0, -0.83, -0.33],
    "order": [1, -1, 0, 1, 0, 0],
    "first_side_year": [1, -1, 1, 1, 1, 1],
    "second_side_year": [1, -1, -1, 1, 0, 0],
    "side_kind": [KINDS.index("move")] * 6,
    "magnitude_asked": [0] * 6,
}


@pytest.mark.parametrize("column", EXPECTED)
def test_column_has_the_expected_values(column: str) -> None:
    assert measured(*changed())[column] == pytest.approx(EXPECTED[column])


def test_sides_match_the_operands_that_they_name() -> None:
    turn = turn_of("what is the ratio of net sales to total costs?")
    columns = measured(turn, candidates_of(turn, SALES, ("divide", 0, 2), ("divide", 2, 0), ("lookup", 0)))
    assert columns["first_side"] == [1, -1, 1]
    assert columns["second_side"] == [1, -1, 0]
    assert columns["sides"] == [2, -2, 1]
    assert columns["order"] == [1, -1, 0]  # as named


def test_reference_on_a_side_matches_a_result() -> None:
    turn = turn_of("what is that change divided by the total costs?", ("net sales?", looked_up(SALES_2009, 500.0)))
    rows: tuple[Row, ...] = (("result1", 0, 500.0), ("new", COSTS_2009, -90.0))
    columns = measured(turn, candidates_of(turn, rows, ("divide", 0, 1), ("divide", 1, 0)))
    assert columns["first_back"] == [1, -1]
    assert columns["second_back"] == [0, 0]
    turn = turn_of("what are the total costs divided by that change?", ("net sales?", looked_up(SALES_2009, 500.0)))
    columns = measured(turn, candidates_of(turn, rows, ("divide", 0, 1), ("divide", 1, 0), ("lookup", 0)))
    assert columns["first_back"] == [0, 0, 0]
    assert columns["second_back"] == [-1, 1, 0]


def test_sides_match_the_start_and_end_of_a_period() -> None:
    page = features_of([["", "2009"], ["balance at january 1", "4"], ["balance at december 31", "6"]])
    turn = turn_of("what was the change from the beginning of the year to the end of the year?", of=page)
    rows: tuple[Row, ...] = (("new", 0, 4.0), ("new", 1, 6.0))
    columns = measured(turn, candidates_of(turn, rows, ("subtract", 1, 0), ("subtract", 0, 1)))
    assert columns["first_end"] == [1, -1]
    assert columns["second_end"] == [1, -1]


def test_numbers_of_the_question_are_operands() -> None:
    turn = turn_of("what are the 500 less the 90 and the 7?")
    columns = measured(turn, candidates_of(turn, SALES, ("subtract", 0, 2), ("subtract", 1, 2), ("subtract", 0, 1)))
    assert columns["first_asked"] == [1, 0, 1]
    assert columns["second_asked"] == [1, 1, 0]
    assert columns["asked_covered"] == pytest.approx([2 / 3, 1 / 3, 1 / 3])


def test_a_change_over_its_base_is_a_percentage_change() -> None:
    change = TurnAction("subtract", (leaf(SALES_2009, 500.0), leaf(SALES_2008, 400.0)), 100.0)
    ratio = TurnAction("divide", (leaf(SALES_2009, 500.0), leaf(SALES_2008, 400.0)), 1.25)
    turn = turn_of("what is the percentage change?", ("the change?", change), ("the ratio?", ratio))
    rows: tuple[Row, ...] = (
        ("result2", 0, 100.0), ("used", SALES_2008, 400.0), ("result1", 1, 1.25), ("constant", 0, 1.0),
    )  # fmt: skip
    plans = ("divide", 0, 1), ("subtract", 2, 3), ("percentage_change", 2, 1), ("subtract", 1, 3), ("multiply", 0, 1)
    sure, one_less, own, other, product = measured(turn, candidates_of(turn, rows, *plans))["metric"]
    assert sure == one_less == own > 0.5
    assert product == 0
    assert other < own


def test_question_may_ask_for_a_magnitude() -> None:
    turn = turn_of("what is the absolute value of the change?")
    assert turn.question.magnitude
    assert measured(turn, candidates_of(turn, SALES, ("subtract", 0, 1)))["magnitude_asked"] == [1]


@pytest.mark.parametrize(("operand", "made"), [(Operand("constant", 0, 1.0), 1), (Operand("constant", 0, 2.0), 0)])
def test_only_a_ratio_minus_one_is_a_percentage_change(operand: Operand, made: int) -> None:
    ratio = TurnAction("divide", (leaf(SALES_2009, 500.0), leaf(SALES_2008, 400.0)), 1.25)
    turn = turn_of("what is the percentage change?", ("the ratio?", ratio))
    rows: tuple[Row, ...] = (("result1", 0, 1.25), ("constant", 0, operand.value))
    columns = measured(turn, candidates_of(turn, rows, ("subtract", 0, 1)))
    assert (columns["metric_gap"][0] == 0) is bool(made)
