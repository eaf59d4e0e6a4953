"""Features of a group of numbers, computed by hand."""

from dataclasses import replace

import numpy as np
import pytest
from feature_bench import COSTS_2009, PROBABILITY, SALES_2008, SALES_2009, Row, candidates_of, leaf, looked_up, turn_of

from quaestor.conversation.references.expressions import AntecedentSet
from quaestor.solvers.embedded.operand_features import COLUMNS, measure_groups
from quaestor.solvers.embedded.operand_pool import GROUP_KINDS, NumberGroup
from quaestor.solvers.embedded.turn_state import Operand, TurnView

YEARS = NumberGroup(GROUP_KINDS.index("years of a line"), (leaf(SALES_2009, 500.0), leaf(SALES_2008, 400.0)))
LINES = NumberGroup(GROUP_KINDS.index("lines of a column"), (leaf(SALES_2009, 500.0), leaf(COSTS_2009, -90.0)))
RESULTS = NumberGroup(GROUP_KINDS.index("results"), (Operand("result", 0, 500.0), Operand("result", 1, 400.0)))
GROUPS = (YEARS, LINES, RESULTS)
ROWS: tuple[Row, ...] = (("group", 0, 900.0), ("group", 1, 410.0), ("group", 2, 900.0), ("new", SALES_2009, 500.0))


def measured(turn: TurnView) -> dict[str, list[float]]:
    plans = ("sum", 0), ("sum", 1), ("average", 2), ("lookup", 3)
    columns = measure_groups(candidates_of(turn, ROWS, *plans, groups=GROUPS), [PROBABILITY], [turn])
    return {name: values.tolist() for name, values in columns.items()}


def follow_up_turn(question: str) -> TurnView:
    return turn_of(question, ("sales?", looked_up(SALES_2009, 500.0)), ("and before?", looked_up(SALES_2008, 400.0)))


def test_a_group_is_known_by_kind_size_and_least_likely_leaf() -> None:
    columns = measured(follow_up_turn("what is the total?"))
    assert tuple(columns) == COLUMNS
    assert columns["group_kind"] == [YEARS.kind, LINES.kind, RESULTS.kind, 0]
    assert columns["group_size"] == [2, 2, 2, 0]
    assert columns["group_least"] == pytest.approx([np.log(0.7), np.log(0.3), 0, 0])


@pytest.mark.parametrize(
    ("question", "counted"),
    [
        ("what is the total?", [0, 0, 0, 0]),
        ("what is the total of these two?", [1, 1, 1, 0]),
        ("what is the total of these three?", [-1, -1, -1, 0]),
        ("what is the total of 2008 and 2009?", [1, -1, 1, 0]),
        ("what is the total of 2007 and 2009?", [-1, -1, -1, 0]),
    ],
)
def test_a_group_has_as_many_numbers_as_the_question_asks_for(question: str, counted: list[int]) -> None:
    assert measured(follow_up_turn(question))["group_counted"] == counted


def test_question_about_several_numbers_is_recognized() -> None:
    assert measured(follow_up_turn("what was the average of net sales from 2008 to 2009?"))["group_asked"] == [
        1,
        1,
        1,
        0,
    ]
    assert measured(follow_up_turn("what were net sales?"))["group_asked"] == [0, 0, 0, 0]


def test_only_results_have_a_reference_score() -> None:
    uses = (AntecedentSet((0,), 0.5, ""), AntecedentSet((0, 1), 0.25, ""), AntecedentSet((1, 0), 0.2, ""))
    columns = measured(replace(follow_up_turn("their total?"), uses=uses))
    assert columns["group_reference"] == pytest.approx([0, 0, np.log(0.25), 0])
    assert measured(replace(follow_up_turn("their total?"), uses=()))["group_reference"][2] == pytest.approx(
        np.log(1e-3)
    )
