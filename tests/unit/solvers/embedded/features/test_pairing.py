"""Features of pairs of operands, computed by hand on one page."""

import pytest
from feature_bench import (
    COSTS_2009,
    INCOME_2008,
    INCOME_2009,
    PROBABILITY,
    RATE_2009,
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

from quaestor.solvers.embedded.candidates import Candidates
from quaestor.solvers.embedded.operand_features import measure_pairs, view_operands
from quaestor.solvers.embedded.turn_state import Operand, TurnAction, TurnView


def measured(turn: TurnView, candidates: Candidates) -> dict[str, list[float]]:
    view = view_operands(candidates.pool, [PROBABILITY], [turn])
    return {name: [float(v) for v in values] for name, values in measure_pairs(candidates, [turn], view).items()}


EXPECTED = {
    # 2009 less 2008, the reverse, 2009 twice, 2009 less 2008 in the sentence; then a constant, and no second operand.
    "year_gap": [1, -1, 0, 1, 99, 99],
    "years_covered": [1, 1, 0.5, 1, 0.5, 0.5],
    "years_outside": [0, 0, 0, 0, 0, 0],
    "first_is_first": [0, 1, 0, 0, 0, 0],
    "second_is_first": [1, 0, 0, 1, 0, 0],
    "same_row": [1, 1, 0, 1, 0, 0],
    "same_column": [0, 0, 1, 0, 0, 0],
    "sentence_order": [1, -1, 0, -1, 0, 0],
    "same_words": [1, 1, 0, 1, 0, 0],
    "words_covered": [0.5] * 6,
    # Net sales are distinguished from costs by "net", the second of four stems, and also if there is no other leaf.
    "first_distinct": [2, 2, 2, 2, 0.25, 0.25],
    "second_distinct": [2, 2, 0.25, 2, 2, 2],
    "word_order": [0, 0, -1, 0, 1, 1],
    "twins": [0] * 6,
    "same_percent": [1] * 6,
    "size_gap": [0.09691, -0.09691, -0.74473, 0.30103, 0.69897, 9],
    "larger_first": [1, 0, 0, 1, 1, 1],
    "constant": [-1, -1, -1, -1, 2, -1],
    "text_order": [0, 0, 0, 1, 0, 0],  # from the 30 of 2008 to the 60 of 2009
}


@pytest.mark.parametrize("column", EXPECTED)
def test_column_has_the_expected_values(column: str) -> None:
    assert measured(*changed())[column] == pytest.approx(EXPECTED[column], abs=1e-4)


def test_a_year_that_is_not_named_is_outside() -> None:
    turn = turn_of("what was the change in 2008?")
    rows: tuple[Row, ...] = (("new", SALES_2009, 500.0), ("new", SALES_2008, 400.0), ("new", COSTS_2009, -90.0))
    columns = measured(turn, candidates_of(turn, rows, ("subtract", 0, 1), ("subtract", 0, 2)))
    assert columns["years_outside"] == [1, 2]
    assert columns["years_covered"] == [1, 0]


def test_order_in_a_text_is_signed() -> None:
    turn = turn_of("what was the change?")
    rows: tuple[Row, ...] = (("new", INCOME_2009, 60.0), ("new", INCOME_2008, 30.0))
    columns = measured(turn, candidates_of(turn, rows, ("subtract", 0, 1), ("subtract", 1, 0)))
    assert columns["text_order"] == [1, -1]
    assert columns["sentence_order"] == [-1, 1]


def test_constants_are_written_in_digits_or_in_words() -> None:
    turn = turn_of("what is that over 1000, for the two years?", ("net sales?", looked_up(SALES_2009, 500.0)))
    rows: tuple[Row, ...] = (
        ("result1", 0, 500.0),
        ("constant", 0, 1000.0),
        ("constant", 0, 2.0),
        ("constant", 0, -1.0),
    )
    columns = measured(turn, candidates_of(turn, rows, ("divide", 0, 1), ("divide", 0, 2), ("multiply", 0, 3)))
    assert columns["constant_asked"] == [1, 0, 0]
    assert columns["constant_counted"] == [0, 1, 0]
    assert columns["constant"] == pytest.approx([3, 0.30103, -2], abs=1e-4)


def test_pairs_of_percentage_and_amount_and_of_one_number_twice() -> None:
    turn = turn_of("what is it?")
    rows: tuple[Row, ...] = (("new", SALES_2009, 500.0), ("new", RATE_2009, 25.0), ("new", SALES_2009, -500.0))
    columns = measured(turn, candidates_of(turn, rows, ("multiply", 0, 1), ("subtract", 0, 2)))
    assert columns["same_percent"] == [0, 1]
    assert columns["twins"] == [0, 1]


def test_operands_of_a_result_are_identified_by_place() -> None:
    change = TurnAction("subtract", (leaf(SALES_2009, 500.0), Operand("result", 0, 400.0)), 100.0)
    turn = turn_of("over it?", ("net sales in 2008?", looked_up(SALES_2008, 400.0)), ("the change?", change))
    rows: tuple[Row, ...] = (
        ("result1", 1, 100.0), ("result2", 0, 400.0), ("used", SALES_2009, 500.0), ("new", COSTS_2009, -90.0),
    )  # fmt: skip
    plans = ("divide", 0, 1), ("divide", 0, 2), ("divide", 0, 3), ("divide", 1, 0), ("divide", 2, 0)
    columns = measured(turn, candidates_of(turn, rows, *plans))
    assert columns["second_in_first"] == [2, 1, 0, 0, 0]
    assert columns["first_in_second"] == [0, 0, 0, 2, 1]


def test_a_count_times_a_price_is_a_worth() -> None:
    page = features_of([["", "2009"], ["number of shares", "40"], ["average price", "$ 3"], ["net sales", "500"]])
    turn = turn_of("what are they worth?", of=page)
    rows: tuple[Row, ...] = (("new", 0, 40.0), ("new", 1, 3.0), ("new", 2, 500.0))
    plans = ("multiply", 0, 1), ("multiply", 1, 0), ("multiply", 0, 2), ("divide", 0, 1)
    assert measured(turn, candidates_of(turn, rows, *plans))["worth"] == [1, 1, 0, 0]


def test_money_divided_by_a_count_is_a_price() -> None:
    page = features_of([["", "2009"], ["number of shares", "40"], ["paid for them", "$ 120"], ["net sales", "500"]])
    turn = turn_of("what was the average price?", of=page)
    rows: tuple[Row, ...] = (("new", 0, 40.0), ("new", 1, 120.0), ("new", 2, 500.0))
    plans = ("divide", 1, 0), ("divide", 0, 1), ("divide", 1, 2), ("add", 1, 0), ("add", 1, 2)
    columns = measured(turn, candidates_of(turn, rows, *plans))
    assert columns["price_of"] == [1, -1, 0, 0, 0]
    assert columns["kinds_apart"] == [1, 1, 0, 1, 0]
