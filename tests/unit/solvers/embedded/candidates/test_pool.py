"""The operands of a turn, on a page with known leaves."""

import math

import numpy as np
import pytest
from feature_bench import (
    COSTS_2008,
    COSTS_2009,
    INCOME_2008,
    PROBABILITY,
    RATE_2009,
    SALES_2008,
    SALES_2009,
    leaf,
    looked_up,
    made_page,
    state_of,
)

from quaestor.core.quantity import Scale
from quaestor.plan.scales import Dimension
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.operand_pool import KINDS, MAX_RESULTS, TOP_LEAVES, Pool, Signatures, build_pool
from quaestor.solvers.embedded.turn_state import DialogueState, Operand, TurnAction

Row = tuple[str, int, float]


def pool_of_state(state: DialogueState, question: str = "what is it?", likely: np.ndarray = PROBABILITY) -> Pool:
    return build_pool(made_page().leaves, likely, state, read_question(question), Signatures({"lookup(new)": 1.0}))


def rows(pool: Pool, *kinds: str) -> list[Row]:
    pairs = zip(pool.kind.tolist(), pool.operands, strict=True)
    return [(KINDS[kind], o.index, o.value) for kind, o in pairs if KINDS[kind] in kinds]


def test_leaves_are_ordered_by_probability_and_negative_ones_repeated_as_magnitudes() -> None:
    pool = pool_of_state(state_of())
    assert [value for _, _, value in rows(pool, "new")] == [500, 400, 60, 30, -90, 90, 80, 25, 20]
    assert pool.magnitude.tolist()[:9] == [False] * 5 + [True] + [False] * 3
    assert pool.score[:2].tolist() == pytest.approx([math.log(0.8), math.log(0.7)])
    assert pool.percent.tolist()[6:9] == [False, True, True]


def test_the_last_operand_means_none() -> None:
    pool = pool_of_state(state_of())
    assert KINDS[pool.kind[-1]] == "none"
    assert KINDS.index("none") not in pool.kind[:-1]


def test_constants_are_factors_one_counts_and_numbers_of_the_question() -> None:
    values = [
        value for _, _, value in rows(pool_of_state(state_of(), "what is that over 365 of these six?"), "constant")
    ]
    assert values == [100, 1000, 1e6, 1e9, 1, -1, 2, 3, 4, 5, 365, 6]
    pool = pool_of_state(state_of())
    counts = {counts.constant for counts, kind in zip(pool.counts, pool.kind, strict=True) if KINDS[kind] == "constant"}
    assert all(constant is not None for constant in counts)


def test_results_are_named_by_their_distance_in_turns() -> None:
    taken = ((RATE_2009, 25.0), (SALES_2009, 500.0), (SALES_2008, 400.0), (COSTS_2008, 80.0))
    pool = pool_of_state(state_of(*((f"turn {n}?", looked_up(*each)) for n, each in enumerate(taken))))
    assert rows(pool, "result1", "result2", "result3") == [
        ("result1", 3, 80.0), ("result2", 2, 400.0), ("result3", 1, 500.0), ("result3", 0, 25.0),
    ]  # fmt: skip
    first = pool.operands.index(Operand("result", 3, 80.0))
    assert pool.turn[first : first + 4].tolist() == [1, 2, 3, 4]
    assert pool.leaf[first : first + 4].tolist() == [COSTS_2008, SALES_2008, SALES_2009, RATE_2009]
    # A leaf that was looked up is listed as a result only.
    assert {index for _, index, _ in rows(pool, "new", "used")} == {COSTS_2009, 5, INCOME_2008, 7}


def test_operands_exclude_missing_boolean_infinite_and_repeated_results() -> None:
    pool = pool_of_state(
        state_of(
            ("a?", looked_up(SALES_2009, 500.0)),
            ("b?", TurnAction("divide", (), None)),
            ("c?", TurnAction("greater", (), 1.0)),
            ("d?", TurnAction("divide", (), math.inf)),
            ("e?", looked_up(SALES_2009, 500.0)),
        )
    )
    assert rows(pool, "result1", "result2", "result3") == [("result1", 4, 500.0)]


def test_only_the_latest_results_are_operands() -> None:
    state = state_of(*((f"{n}?", TurnAction("add", (), float(n))) for n in range(MAX_RESULTS + 2)))
    found = [index for _, index, _ in rows(pool_of_state(state), "result1", "result2", "result3")]
    assert found == [9, 8, 7, 6, 5, 4, 3, 2]


def test_leaf_of_an_earlier_calculation_is_marked_used() -> None:
    change = TurnAction("subtract", (leaf(SALES_2009, 500.0), leaf(COSTS_2009, -90.0)), 590.0)
    pool = pool_of_state(state_of(("the difference?", change), ("the rate?", looked_up(RATE_2009, 25.0))))
    assert rows(pool, "used") == [("used", SALES_2009, 500.0), ("used", COSTS_2009, -90.0), ("used", COSTS_2009, 90.0)]
    at = pool.operands.index(leaf(SALES_2009, 500.0))
    assert pool.turn[at] == 2


def test_result_keeps_its_dimension() -> None:
    share = TurnAction("lookup", (leaf(RATE_2009, 25.0),), 25.0, Dimension(Scale.PERCENT))
    pool = pool_of_state(state_of(("the rate?", share)))
    at = pool.operands.index(Operand("result", 0, 25.0))
    assert (pool.counts[at], bool(pool.percent[at])) == (Dimension(Scale.PERCENT), True)


def test_lines_used_before_are_operands_in_the_years_named_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quaestor.solvers.embedded.operand_pool.TOP_LEAVES", 1)
    assert TOP_LEAVES > 1
    state = state_of(("costs?", looked_up(COSTS_2009, -90.0)))
    assert rows(pool_of_state(state, "and in 2008?"), "new") == [("new", SALES_2009, 500.0), ("new", COSTS_2008, 80.0)]
    assert rows(pool_of_state(state), "new") == [("new", SALES_2009, 500.0)]


def test_score_of_an_impossible_leaf_is_finite() -> None:
    assert np.isfinite(pool_of_state(state_of(), likely=np.zeros(8)).score).all()


def test_the_ratio_of_two_printed_amounts_is_known() -> None:
    sales, costs = leaf(SALES_2009, 500.0), leaf(COSTS_2009, 90.0)
    pool = pool_of_state(
        state_of(
            ("costs over sales?", TurnAction("divide", (costs, sales), 0.18)),
            ("in thousands?", TurnAction("divide", (sales, Operand("constant", 0, 1000.0)), 0.5)),
            ("sales over the rate?", TurnAction("divide", (sales, leaf(RATE_2009, 25.0)), 2000.0)),
            ("the sum?", TurnAction("add", (sales, costs), 590.0)),
            ("the change?", TurnAction("percentage_change", (sales, leaf(SALES_2008, 400.0)), 0.25)),
        )
    )
    ratios = [operand.value for operand, ratio in zip(pool.operands, pool.ratio.tolist(), strict=True) if ratio]
    assert ratios == [0.25, 0.18]
