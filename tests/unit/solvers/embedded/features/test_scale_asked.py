"""Whether a result has the scale asked for, computed by hand on a page in millions."""

import math

import pytest
from feature_bench import COSTS_2009, RATE_2009, SALES_2008, SALES_2009, Row, candidates_of, leaf, looked_up, turn_of

from quaestor.solvers.embedded.operand_features import measure_scale, power_of
from quaestor.solvers.embedded.operand_pool import NumberGroup
from quaestor.solvers.embedded.turn_state import DialogueState, Operand, TurnAction

ROWS: tuple[Row, ...] = (
    ("new", SALES_2009, 500.0),
    ("new", SALES_2008, 400.0),
    ("constant", 0, 1000.0),
    ("new", RATE_2009, 25.0),
    ("group", 0, 410.0),
    ("constant", 0, 1_000_000.0),
)
PLANS = (
    ("lookup", 0),
    ("subtract", 0, 1),
    ("divide", 0, 1),
    ("divide", 0, 2),
    ("multiply", 0, 2),
    ("multiply", 0, 5),
    ("lookup", 3),
    ("sum", 4),
    ("percentage_change", 0, 1),
)
GROUP = NumberGroup(0, (leaf(SALES_2009, 500.0), leaf(COSTS_2009, -90.0)))


@pytest.mark.parametrize(
    ("question", "fits"),
    [
        ("", [0, 0, 0, 0, 0, 0, 0, 0, 0]),
        # Percentages, ratios and relative changes have no scale.
        (" in millions", [1, 1, 0, -1, -1, -1, 0, 1, 0]),
        (" in billions", [-1, -1, 0, 1, -1, -1, 0, -1, 0]),
        (" in thousands", [-1, -1, 0, -1, 1, -1, 0, -1, 0]),
        (" in dollars", [-1, -1, 0, -1, -1, 1, 0, -1, 0]),
    ],
)
def test_a_factor_moves_a_number_to_another_scale(question: str, fits: list[int]) -> None:
    turn = turn_of(f"what were net sales{question}?")
    assert measure_scale(candidates_of(turn, ROWS, *PLANS, groups=(GROUP,)), [turn]).tolist() == fits


def test_result_has_the_scale_of_its_operands() -> None:
    turn = turn_of(
        "and in billions?",
        ("sales?", looked_up(SALES_2009, 500.0)),
        ("over 1000?", TurnAction("divide", (Operand("result", 0, 500.0), Operand("constant", 0, 1000.0)), 0.5)),
        ("sales less costs?", TurnAction("subtract", (Operand("result", 0, 500.0), leaf(COSTS_2009, -90.0)), 590.0)),
    )
    rows: tuple[Row, ...] = (("result3", 0, 500.0), ("result2", 1, 0.5), ("result1", 2, 590.0))
    found = measure_scale(candidates_of(turn, rows, ("lookup", 0), ("lookup", 1), ("lookup", 2)), [turn])
    assert found.tolist() == [-1, 1, -1]


@pytest.mark.parametrize(
    ("operation", "operands", "power"),
    [
        ("lookup", (leaf(0, 1.0),), 6),
        ("average", (leaf(0, 1.0), leaf(1, 1.0)), 6),
        ("divide", (leaf(0, 1.0), Operand("constant", 0, 1000.0)), 9),
        ("divide", (Operand("constant", 0, 1000.0), leaf(0, 1.0)), math.nan),
        ("divide", (leaf(0, 1.0), leaf(1, 1.0)), math.nan),
        ("multiply", (leaf(0, 1.0), Operand("constant", 0, 1000.0)), 3),
        ("multiply", (Operand("constant", 0, 1000.0), leaf(0, 1.0)), 3),
        ("multiply", (leaf(0, 1.0), leaf(1, 1.0)), math.nan),
        ("lookup", (), math.nan),
        ("lookup", (leaf(RATE_2009, 25.0),), math.nan),
    ],
)
def test_the_power_of_ten_of_a_result(operation: str, operands: tuple[Operand, ...], power: float) -> None:
    leaves = turn_of("?").leaves
    assert power_of(TurnAction(operation, operands, 1.0), DialogueState(), leaves) == pytest.approx(power, nan_ok=True)
