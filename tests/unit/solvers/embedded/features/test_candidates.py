"""Columns of the ranker for the signature, the result and the leaves of a plan."""

import numpy as np
import pytest
from feature_bench import PROBABILITY, Row, candidates_of, changed, leaf, turn_of

from quaestor.solvers.embedded.candidates import Candidates
from quaestor.solvers.embedded.number_features import LEAF_FEATURES, measure_leaves
from quaestor.solvers.embedded.operand_pool import NumberGroup, Signatures
from quaestor.solvers.embedded.plan_features import CANDIDATE_FEATURES, CATEGORIES, measure_candidates
from quaestor.solvers.embedded.turn_state import TurnView

SIGNATURES = Signatures({"subtract(new,result1)": 0.6, "lookup(new)": 0.3, "subtract(other)": 0.1})


def measured(turn: TurnView, candidates: Candidates) -> dict[str, list[float]]:
    rows = measure_candidates(candidates, [turn], measure_leaves([turn], [0.25], [1.5]), [PROBABILITY], [SIGNATURES])
    return {name: rows[:, n].tolist() for n, name in enumerate(CANDIDATE_FEATURES)}


EXPECTED = {
    "operation_p": [0.7, 0.7, 0, 0.7, 0, 0.3],
    "operation": [1, 1, 3, 1, 4, 0],
    "signature": np.log([0.5, 0.42, 0.34, 0.26, 0.18, 0.1]).tolist(),
    "signature_gap": np.log([1, 0.84, 0.68, 0.52, 0.36, 0.2]).tolist(),
    "prior": np.log([0.4, 0.36, 0.32, 0.28, 0.24, 0.2]).tolist(),
    "prior_gap": np.log([1, 0.9, 0.8, 0.7, 0.6, 0.5]).tolist(),
    "value_negative": [0, 1, 1, 0, 0, 0],
    "value_size": np.log10([101, 101, 1.18, 31, 50001, 501]).tolist(),
    "value_small": [0, 0, 1, 0, 0, 0],
    # Operands: net sales of 2009 and 2008, costs, income twice; -9 if an operand is not a leaf.
    "first:year_named": [1, 1, 1, 1, 1, 1],
    "second:year_named": [1, 1, 1, 1, -9, -9],
    "first:row_in_question": [1, 1, 0, 0.5, 1, 1],
    "second:row_in_question": [1, 1, 1, 1 / 3, -9, -9],
    "first:taken": [0, 1, 0, 0, 0, 0],
    "second:taken": [1, 0, 0, 0, -9, -9],
}


@pytest.mark.parametrize("column", EXPECTED)
def test_column_has_the_expected_values(column: str) -> None:
    assert measured(*changed())[column] == pytest.approx(EXPECTED[column], abs=2e-4)


def test_columns_of_leaves_are_those_of_the_leaf_scorer() -> None:
    turn, candidates = changed()
    of_leaves = dict(zip(LEAF_FEATURES, measure_leaves([turn], [0.25], [1.5])[0].T.tolist(), strict=True))
    columns = measured(turn, candidates)
    taken = [name.partition(":")[2] for name in CANDIDATE_FEATURES if name.startswith("first:")]
    assert len(taken) == 24
    for name in taken:
        assert columns[f"first:{name}"][2] == of_leaves[name][2]  # the costs
        assert columns[f"second:{name}"][3] == of_leaves[name][6]  # the income of 2008


def test_result_of_zero_is_marked() -> None:
    turn = turn_of("how much less?")
    rows: tuple[Row, ...] = (("new", 0, 500.0), ("new", 1, 500.0))
    columns = measured(turn, candidates_of(turn, rows, ("subtract", 0, 1), ("lookup", 0)))
    assert columns["value_zero"] == [1, 0]


def test_a_group_has_the_mean_of_its_leaves() -> None:
    turn = turn_of("total net sales?")
    group = NumberGroup(1, (leaf(0, 500.0), leaf(2, -90.0)))
    columns = measured(turn, candidates_of(turn, (("group", 0, 410.0),), ("sum", 0), groups=(group,)))
    assert columns["first:row_in_question"] == [pytest.approx((1 + 0.5) / 2)]  # "total" of "total cost"


def test_codes_are_in_the_columns_declared_for_codes() -> None:
    assert set(CATEGORIES) == {
        name for name, meaning in CANDIDATE_FEATURES.items() if meaning.startswith("code of")
    } - {"operation"} | {"second_kind", "second_lead", "first_in_second", "second_role"}
