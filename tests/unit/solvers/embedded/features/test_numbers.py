"""Columns of the leaf scorer on made-up pages, computed by hand with a weight of one for every stem."""

import numpy as np
import pytest
from feature_bench import (
    COSTS_2009,
    RATE_2009,
    SALES_2008,
    SALES_2009,
    features_of,
    leaf,
    looked_up,
    made_page,
    turn_of,
)
from many_cases import for_each_row

from quaestor.solvers.embedded.number_features import LEAF_FEATURES, measure_leaves
from quaestor.solvers.embedded.page import StemWeights, build_page_features
from quaestor.solvers.embedded.turn_state import TurnAction, TurnView

Columns = dict[str, list[float]]

BALANCES = features_of(
    [
        ["", "2009", "2008"],
        ["balance at january 1", "4", "5"],
        ["balance at december 31", "6", "4.5"],
        ["notes due 2015", "7", "8"],
    ],
    ("the balance increased $ 1 million .",),
)

# The stems of the question are "increas net sale million"; no leaf has the first. The leaves: net sales, total costs
# and the tax rate of 2009 and 2008; net income of 2008 and of 2009 in one sentence.
CHANGE_OF_SALES: Columns = {
    "question_in_leaf": [0.75, 0.75, 0.25, 0.25, 0.25, 0.25, 0.5, 0.5],
    "question_in_row": [0.5, 0.5, 0, 0, 0, 0, 0.25, 0.5],
    "question_in_column": [0, 0, 0, 0, 0, 0, 0.25, 0],
    "row_in_question": [1, 1, 0, 0, 0, 0, 1 / 3, 0.5],
    "column_in_question": [0, 0, 0, 0, 0, 0, 1, 0],
    # In the sentence, "net" is 4 words before the first number and "million" 14, so 6/10 + 6/20, of four stems.
    "question_near": [0.5, 0.5, 0, 0, 0, 0, 0.9 / 4, (6 / 24 + 6 / 14) / 4],
    "context_near": [1, 1, 0, 0, 0, 0, 0.6 / 2, 0.25 / 2],
    "best_near": [0, 0, -0.5, -0.5, -0.5, -0.5, 0.225 - 0.5, 0.1696 - 0.5],
    "whole_row": [1, 1, 0, 0, 0, 0, 0, 0],
    "pairs_in_question": [1, 1, 0, 0, 0, 0, 0, 0],
    "context_in_row": [1, 1, 0, 0, 0, 0, 0.5, 0.5],
    "context_in_leaf": [1, 1, 0, 0, 0, 0, 0.5, 0.5],
    "row_in_context": [1, 1, 0, 0, 0, 0, 1 / 3, 0.5],
    "column_in_context": [0, 0, 0, 0, 0, 0, 1, 0],
    "best_leaf": [0, 0, -0.5, -0.5, -0.5, -0.5, -0.25, -0.25],
    "best_row": [0, 0, -0.5, -0.5, -0.5, -0.5, -0.25, 0],
    "best_label": [0, 0, -1, -1, -1, -1, -2 / 3, -0.5],
    "best_context": [0, 0, -1, -1, -1, -1, -2 / 3, -0.5],
    "best_pairs": [0, 0, -1, -1, -1, -1, -1, -1],
    "year_first": [0, 1, 0, 1, 0, 1, 1, 0],
    "year_last": [1, 0, 1, 0, 1, 0, 0, 1],
    "year_context": [0, 1, 0, 1, 0, 1, 1, 0],
    "year_step": [1, 0, 1, 0, 1, 0, 0, 1],
    "year_newest": [0, -1, 0, -1, 0, -1, -1, 0],
    "same_row": [1, 1, 0, 0, 0, 0, 0, 0],
    "same_column": [0, 1, 0, 1, 0, 1, 0, 0],
    "row_taken": [1, 1, 0, 0, 0, 0, 0, 0],
    "column_taken": [0, 1, 0, 1, 0, 1, 0, 0],
    "taken": [0, 1, 0, 0, 0, 0, 0, 0],
    "percent": [0, 0, 0, 0, 1, 1, 0, 0],
    "in_table": [1, 1, 1, 1, 1, 1, 0, 0],
    "total": [0, 0, 1, 1, 0, 0, 0, 0],
    "lead": [0, 0, 0, 0, 0, 0, 1, 2],  # "from" and "to"
    "line": [1, 1, 2, 2, 3, 3, 0, 0],
    "place": [1, 2, 1, 2, 1, 2, 0, 1],
    "places": [2] * 8,
    "magnitude": [float(np.log10(1 + n)) for n in (500, 400, 90, 80, 25, 20, 30, 60)],
    "currency": [1, 0, 0, 0, 0, 0, 1, 1],
    "turn": [1] * 8,
    "years_named": [2] * 8,
    "question_in_caption": [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0, 0],
    "year_near": [0, 0, 0, 0, 0, 0, 6 / 7, 6 / 7],
    "question_moved": [1] * 8,
    "scale_asked": [1, 1, 1, 1, -1, -1, 1, 1],  # in millions; percentages are not
    # Of 8 leaves, 8 have "million", 4 "net" and 2 "sale": the weights are ln(9/8.5), ln(9/4.5) and ln(9/2.5).
    "telling": [1, 1, *[0.0572 / 2.0312] * 4, 0.7503 / 2.0312, 0.7503 / 2.0312],
    "best_telling": [0, 0, *[0.0281 - 1] * 4, 0.3694 - 1, 0.3694 - 1],
    "best_telling_label": [0, 0, *[-1.9741 / 2.0312] * 4, (0.7503 - 1.9741) / 2.0312, (0.7503 - 1.9741) / 2.0312],
    "label_told": [1, 1, 0, 0, 0, 0, 0.7503 / 3.3122, 0.7503 / 3.3122],
    "best_label_told": [0, 0, -1, -1, -1, -1, 0.2265 - 1, 0.2265 - 1],
    "lookup": [0.25] * 8,
    "fresh": [1.5] * 8,
}

# The leaves: the opening balance, the closing balance and notes due 2015, of 2009 and 2008; then a sentence.
END_OF_A_PERIOD: Columns = {
    "year_relative": [0, 1, 0, 1, 0, 1, 0],
    "year_step": [0, -1, 0, -1, 0, -1, 9],
    "year_newest": [0, -1, 0, -1, 0, -1, -20],
    "question_percent": [1] * 7,
    "question_total": [1] * 7,
    "question_count": [1] * 7,
    "question_price": [1] * 7,
    "question_moved": [0] * 7,
    "last_in_table": [1] * 7,
    "boundary": [-1, -1, 1, 1, 0, 0, 0],
    "asked": [0, 0, 0, 0, 1, 0, 0],
    "moved": [0, 0, 0, 0, 0, 0, 1],
    "whole": [1, 1, 1, 0, 1, 1, 1],
    "year_named": [0] * 7,
}
NOTES_DUE: Columns = {
    "year_named": [-1, -1, -1, -1, -1, -1, 0],
    "other_year_named": [0, 0, 0, 0, 1, 1, 0],
    "last_in_table": [-1] * 7,
    "question_percent": [0] * 7,
    "question_total": [0] * 7,
    "question_count": [0] * 7,
    "question_price": [0] * 7,
}
RATIO: Columns = {
    "side_first": [1, 1, 0, 0, 0, 0, 0.3, 0.125],
    "side_second": [0, 0, 1, 1, 0, 0, 0, 0],
    "side_best": [0, 0, 0, 0, -1, -1, -0.7, -0.875],
    "scale_asked": [0] * 8,
    "points_back": [0] * 8,
}
# In "those net sales", "sale" is the noun.
POINTED: Columns = {
    "pointed": [1, 1, 0, 0, 0, 0, 0, 0],
    "role": [2, 0, 1, 0, 0, 0, 0, 0],
    "points_back": [2] * 8,
}
OTHER_YEAR: Columns = {"year_named": [-1, 1, -1, 1, -1, 1, 1, -1], "year_near": [0, 0, 0, 0, 0, 0, 6 / 7, 6 / 7]}

CASES: dict[str, tuple[TurnView, Columns]] = {
    "change": (
        turn_of(
            "what was the increase in net sales from 2008 to 2009 in millions?",
            ("net sales in 2008?", looked_up(SALES_2008, 400.0)),
        ),
        CHANGE_OF_SALES,
    ),
    "end": (
        turn_of(
            "how many percent of the total price of 7 was the balance at the end of the previous year?",
            ("balance?", looked_up(2, 6.0)),
            of=BALANCES,
        ),
        END_OF_A_PERIOD,
    ),
    "notes": (turn_of("what are the notes due in 2015?", of=BALANCES), NOTES_DUE),
    "ratio": (turn_of("what is the ratio of net sales to total costs?"), RATIO),
    "pointed": (
        turn_of(
            "what percentage of those net sales was the tax?",
            ("costs over sales?", TurnAction("divide", (leaf(COSTS_2009, 90.0), leaf(SALES_2009, 500.0)), 0.18)),
            ("costs?", looked_up(COSTS_2009, -90.0)),
        ),
        POINTED,
    ),
    "year": (turn_of("what was it in 2008?"), OTHER_YEAR),
}


def measured(turn: TurnView) -> Columns:
    (rows,) = measure_leaves([turn], [0.25], [1.5])
    return {name: rows[:, n].tolist() for n, name in enumerate(LEAF_FEATURES)}


@for_each_row([(case, column) for case, (_, all_) in CASES.items() for column in all_])
def test_column_has_the_expected_values(case: str, column: str) -> None:
    turn, expected = CASES[case]
    assert measured(turn)[column] == pytest.approx(expected[column], abs=2e-4)


def test_every_column_is_tested_with_different_values() -> None:
    found: dict[str, set[float]] = {}
    for _, expected in CASES.values():
        for column, values in expected.items():
            found.setdefault(column, set()).update(values)
    assert found.keys() == {name for name in LEAF_FEATURES if "similar" not in name}  # below
    one_value = {column for column, values in found.items() if len(values) == 1}
    assert one_value == {"turn", "years_named", "places", "lookup", "fresh"}  # one value per turn, checked above


def test_words_of_similar_use_are_similar() -> None:
    columns = measured(turn_of("what was the revenue?"))
    sales, costs, tax = (columns["similar_asked"][row] for row in (0, 2, 4))
    assert sales > costs > tax
    assert columns["best_similar_asked"][0] == 0
    assert columns["similar"][:2] == [columns["similar"][0]] * 2


def test_earlier_turns_have_less_weight() -> None:
    turn = turn_of(
        "and now?",
        ("tax rate?", looked_up(RATE_2009, 25.0)),
        ("net sales?", looked_up(SALES_2008, 400.0)),
        ("costs?", looked_up(COSTS_2009, -90.0)),
    )
    columns = measured(turn)
    assert columns["taken"] == [0, 2, 1, 0, 3, 0, 0, 0]
    assert columns["row_taken"] == pytest.approx([1 / 3] * 6 + [0, 0], abs=1e-4)
    assert columns["column_taken"] == pytest.approx([2 / 3, 1 / 3] * 3 + [0, 0], abs=1e-4)
    # "cost" counts 1, "net sale" 0.6 each and "tax rate" 0.36 each: 2.92 in all.
    assert columns["context_in_row"][::2] == pytest.approx([1.2 / 2.92, 1 / 2.92, 0.72 / 2.92, 0.6 / 2.92], abs=1e-4)
    assert columns["same_row"] == [0, 0, 1, 1, 0, 0, 0, 0]


def test_common_words_have_lower_weight() -> None:
    page = build_page_features(made_page().leaves, StemWeights({"net": 0.5, "sale": 3.5}, 1.0))
    columns = measured(turn_of("the sales?", of=page))
    assert columns["row_in_question"][0] == pytest.approx(3.5 / 4, abs=1e-4)
