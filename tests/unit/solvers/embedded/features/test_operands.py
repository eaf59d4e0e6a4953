"""Features of one operand, computed by hand."""

import numpy as np
import pytest
from feature_bench import (
    COSTS_2009,
    INCOME_2009,
    PROBABILITY,
    RATE_2009,
    SALES_2008,
    SALES_2009,
    changed,
    leaf,
    pool_of,
    state_of,
    turn_of,
)

from quaestor.solvers.embedded.operand_features import compare_labels, find_distinct_places, view_operands
from quaestor.solvers.embedded.operand_pool import NumberGroup
from quaestor.solvers.embedded.turn_state import Operand, TurnAction

# Net sales 2009, the result 400 of 2008, costs 2009, income 2009 and 2008, the constant 100, and no operand.
EXPECTED = {
    "kind": [0, 2, 0, 0, 0, 5, 6],
    "rank": [0, 1, 4, 2, 3, -1, -1],
    "turn": [0, 1, 0, 0, 0, 0, 0],
    "year": [0, -1, 0, 0, -1, 9, 9],
    "lead": [0, 0, 0, 2, 1, 0, 0],
    "table": [1, 1, 1, 0, 0, -1, -1],
    "word": [0.25, 0.25, 2, 0.25, 0.25, 2, 2],
    "said": [0.5, 0.5, 0, 0.5, 0.5, 0, 0],
    "percent": [0] * 7,
    "magnitude": [0] * 7,
    "negative": [0, 0, 1, 0, 0, 0, 0],
    "total": [0, 0, 1, 0, 0, 0, 0],
    "size": [float(np.log10(1 + n)) for n in (500, 400, 90, 60, 30, 100, 0)],
    "computed": [0] * 7,
}


@pytest.mark.parametrize("column", EXPECTED)
def test_column_has_the_expected_values(column: str) -> None:
    turn, candidates = changed()
    columns = view_operands(candidates.pool, [PROBABILITY], [turn]).columns
    assert columns[column].tolist() == pytest.approx(EXPECTED[column])


def test_scores_percentages_and_dropped_signs_are_those_of_the_pool() -> None:
    turn = turn_of("what is it?")
    pool = pool_of(turn.leaves, (("new", RATE_2009, 25.0), ("new", COSTS_2009, 90.0)), turn.state)
    pool.magnitude[1] = True
    columns = view_operands(pool, [PROBABILITY], [turn]).columns
    assert columns["percent"].tolist() == [True, False, False]
    assert columns["magnitude"].tolist() == [False, True, False]
    assert columns["score"].tolist() == pool.score.tolist()


def test_a_computed_result_has_the_words_of_its_question_and_leaves_and_the_year_that_they_share() -> None:
    both = TurnAction("add", (leaf(SALES_2009, 500.0), leaf(COSTS_2009, -90.0)), 410.0)
    mixed = TurnAction("subtract", (leaf(SALES_2009, 500.0), leaf(SALES_2008, 400.0)), 100.0)
    turn = turn_of("how much of revenue are the net costs?", ("revenue?", both), ("the gain?", mixed))
    view = view_operands(
        pool_of(turn.leaves, (("result2", 0, 410.0), ("result1", 1, 100.0)), turn.state), [PROBABILITY], [turn]
    )
    assert view.columns["computed"].tolist() == [True, True, False]
    assert view.year.tolist() == [2009, 0, 0]
    assert turn.question.stems == ("revenu", "net", "cost")
    assert view.question_words.tolist() == [[True, True, True], [False, True, False], [False] * 3]


def test_result_has_the_only_year_that_its_question_names() -> None:
    mixed = TurnAction("subtract", (leaf(SALES_2009, 500.0), leaf(SALES_2008, 400.0)), 100.0)
    turn = turn_of("and 2009?", ("the change until 2008?", mixed))
    assert (
        view_operands(pool_of(turn.leaves, (("result1", 0, 100.0),), turn.state), [PROBABILITY], [turn]).year[0] == 2008
    )


def test_a_group_has_the_words_of_all_its_leaves() -> None:
    turn = turn_of("total net tax?")
    group = NumberGroup(0, (leaf(SALES_2009, 500.0), leaf(RATE_2009, 25.0), Operand("result", 0, 1.0)))
    pool = pool_of(turn.leaves, (("group", 0, 525.0),), turn.state, (group,))
    assert view_operands(pool, [PROBABILITY], [turn]).question_words[0].tolist() == [False, True, True]


def test_labels_are_compared_by_shared_and_distinct_words() -> None:
    turn = turn_of("what are net sales less net income?")
    pool = pool_of(turn.leaves, (("new", SALES_2009, 500.0), ("new", INCOME_2009, 60.0)), state_of())
    view = view_operands(pool, [PROBABILITY], [turn])
    first, second = np.array([0, 1]), np.array([1, 0])
    alike, covered = compare_labels(view, first, second)
    assert alike == pytest.approx([1 / 5, 1 / 5])  # "net" of "net sale" and "net incom rose million"
    assert turn.question.stems == ("net", "sale", "less", "net", "incom")
    assert covered == pytest.approx([3 / 4, 3 / 4])
    assert [position.tolist() for position in find_distinct_places(view, first, second)] == [[0.25, 0.75], [0.75, 0.25]]


def test_operation_word_may_belong_to_a_label() -> None:
    turn = turn_of("what was the average change in total costs?")
    pool = pool_of(turn.leaves, (("new", COSTS_2009, -90.0), ("new", SALES_2009, 500.0)), turn.state)
    columns = view_operands(pool, [PROBABILITY], [turn]).columns
    assert columns["total_word"].tolist() == [1, -1, -1]
    assert columns["change_word"].tolist() == columns["average_word"].tolist() == [-1, -1, -1]
    assert columns["ratio_word"].tolist() == [0, 0, 0]
