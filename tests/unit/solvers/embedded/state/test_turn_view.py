"""Years and results that a question refers to, on a page with known leaves."""

import pytest
from feature_bench import COSTS_2009, RATE_2008, SALES_2008, SALES_2009, leaf, looked_up, state_of, turn_of

from quaestor.solvers.embedded.turn_state import Operand, TurnAction, last_leaves

NO_LEAF = ("twice that?", TurnAction("multiply", (Operand("result", 0, 1.0), Operand("constant", 0, 2.0)), 2.0))


def test_last_leaves_are_those_of_the_last_turn_with_leaves() -> None:
    both = TurnAction("add", (leaf(SALES_2008, 400.0), leaf(RATE_2008, 20.0)), 420.0)
    assert last_leaves(state_of(("a?", looked_up(COSTS_2009, -90.0)), ("b?", both), NO_LEAF)) == {SALES_2008, RATE_2008}
    assert last_leaves(state_of()) == frozenset()


@pytest.mark.parametrize(
    ("question", "targets"),
    [
        ("and in the previous year?", {2008}),
        ("and in the following year?", {2010}),
        ("what was it in the year before 2008?", {2007}),
        ("what was it?", set()),
    ],
)
def test_relative_periods_count_from_the_year_named_else_from_the_last_leaf(question: str, targets: set[int]) -> None:
    assert turn_of(question, ("net sales?", looked_up(SALES_2009, 500.0))).target_years == targets


def test_relative_periods_without_a_leaf_count_from_the_year_of_an_earlier_question() -> None:
    assert turn_of("and in the previous year?", ("in 2005?", TurnAction("lookup", (), 1.0))).target_years == {2004}


def test_the_years_of_the_context_are_those_of_the_last_question_that_named_any() -> None:
    turns = ("in 2006?", looked_up(0, 1.0)), ("from 2007 to 2008?", looked_up(0, 1.0)), ("and then?", looked_up(0, 1.0))
    assert turn_of("now?", *turns).context_years == (2007, 2008)
    assert turn_of("now?").context_years == ()


def test_every_turn_has_its_result_and_every_set_its_share() -> None:
    turn = turn_of("the change?", ("sales?", looked_up(SALES_2009, 500.0)), ("before?", looked_up(SALES_2008, 400.0)))
    assert [result.turn for result in turn.results] == [0, 1]
    assert {uses.turns for uses in turn.uses} >= {(), (0,), (1,), (0, 1)}
    assert sum(uses.score for uses in turn.uses) == pytest.approx(1)
    assert turn.leaves is turn.page.leaves
