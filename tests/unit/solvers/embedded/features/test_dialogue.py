"""Features of a plan relative to the turns before it, computed by hand."""

from feature_bench import (
    COSTS_2008,
    COSTS_2009,
    RATE_2009,
    SALES_2008,
    SALES_2009,
    Row,
    candidates_of,
    changed,
    leaf,
    looked_up,
    turn_of,
)

from quaestor.solvers.embedded.candidates import ADD, LOOKUP, OPERATIONS, Candidates
from quaestor.solvers.embedded.plan_features import measure_dialogue
from quaestor.solvers.embedded.turn_state import Operand, TurnAction, TurnView

SUBTRACTED = TurnAction("subtract", (Operand("result", 0, 500.0), Operand("result", 1, 400.0)), 100.0)
TWO_SALES = ("net sales in 2009?", looked_up(SALES_2009, 500.0)), ("and in 2008?", looked_up(SALES_2008, 400.0))
TWO_COSTS = ("costs in 2009?", looked_up(COSTS_2009, -90.0)), ("and in 2008?", looked_up(COSTS_2008, 80.0))


def measured(turn: TurnView, candidates: Candidates) -> dict[str, list[float]]:
    return {name: [float(v) for v in values] for name, values in measure_dialogue(candidates, [turn]).items()}


def test_counts_of_the_conversation_and_the_question() -> None:
    columns = measured(*changed())
    assert columns["turn"] == [1] * 6
    assert columns["question_length"] == [13] * 6
    assert columns["years_named"] == [2] * 6
    assert columns["unused_results"] == [1] * 6
    assert columns["last_operation"] == [LOOKUP] * 6
    assert columns["same_operation"] == [0, 0, 0, 0, 0, 1]
    assert columns["uses_last"] == [1, 1, 0, 0, 0, 0]


def test_the_first_turn_has_nothing_before_it() -> None:
    turn = turn_of("what is it?")
    columns = measured(turn, candidates_of(turn, (("new", SALES_2009, 500.0),), ("lookup", 0)))
    zero = ("turn", "unused_results", "same_operation", "uses_last", "uses_all", "value_said", "reference", "analogy")
    assert [columns[name] for name in zero] == [[0]] * len(zero)
    assert columns["last_operation"] == [-1]


def test_use_of_the_last_two_results() -> None:
    turn = turn_of("the change?", *TWO_SALES, ("the rate?", looked_up(RATE_2009, 25.0)))
    rows: tuple[Row, ...] = (("result3", 0, 500.0), ("result2", 1, 400.0), ("result1", 2, 25.0))
    plans = ("subtract", 2, 1), ("subtract", 1, 2), ("subtract", 0, 2), ("subtract", 0, 1), ("lookup", 0)
    columns = measured(turn, candidates_of(turn, rows, *plans))
    assert columns["uses_last"] == [1, 1, 1, 0, 0]
    assert columns["uses_all"] == [1, 1, 0, 0, 0]
    assert columns["value_said"] == [0, 0, 0, 0, 1]


def test_results_that_a_turn_used_are_not_unused() -> None:
    turn = turn_of("and?", *TWO_SALES, ("the rate?", looked_up(RATE_2009, 25.0)), ("the change?", SUBTRACTED))
    columns = measured(turn, candidates_of(turn, (("result1", 3, 100.0),), ("lookup", 0)))
    assert columns["unused_results"] == [1]
    assert columns["last_operation"] == [OPERATIONS.index("subtract")]


def test_constant_equals_the_count_of_the_preceding_numbers() -> None:
    added = TurnAction("add", (Operand("result", 0, 500.0), Operand("result", 1, 400.0)), 900.0)
    rows: tuple[Row, ...] = (("new", RATE_2009, 25.0), *(("constant", 0, float(n)) for n in (2, 3, 4)))
    plans = ("divide", 0, 1), ("divide", 0, 2), ("divide", 0, 3)
    turn = turn_of("their average?", *TWO_SALES, ("the sum?", added))
    # The sum counts two numbers, and each look-up before it one more.
    assert measured(turn, candidates_of(turn, rows, *plans))["constant_turns"] == [0, 0, 1]
    turn = turn_of("their average?", ("rent?", TurnAction("multiply", (), 1.0)), *TWO_SALES)
    assert measured(turn, candidates_of(turn, rows, *plans))["constant_turns"] == [1, 0, 0]


def test_analogy_repeats_an_operation_on_later_results() -> None:
    turn = turn_of("and of these?", *TWO_SALES, ("the change?", SUBTRACTED), *TWO_COSTS)
    rows: tuple[Row, ...] = (("result3", 0, 500.0), ("result2", 3, -90.0), ("result1", 4, 80.0))
    plans = ("subtract", 1, 2), ("subtract", 2, 1), ("divide", 1, 2), ("subtract", 0, 2)
    assert measured(turn, candidates_of(turn, rows, *plans))["analogy"] == [1, 0, 0, 0]


def test_analogy_ignores_the_order_of_a_sum() -> None:
    added = TurnAction("add", SUBTRACTED.operands, 900.0)
    turn = turn_of("and of these?", *TWO_SALES, ("the sum?", added), *TWO_COSTS)
    rows: tuple[Row, ...] = (("result2", 3, -90.0), ("result1", 4, 80.0))
    candidates = candidates_of(turn, rows, ("add", 0, 1), ("add", 1, 0))
    assert candidates.operation.tolist() == [ADD, ADD]
    assert measured(turn, candidates)["analogy"] == [1, 1]


def test_parallel_marks_the_same_lines_in_other_places_or_other_lines_in_the_same_places() -> None:
    change = TurnAction("subtract", (leaf(SALES_2009, 500.0), leaf(SALES_2009 + 2, -90.0)), 590.0)
    turn = turn_of("and in 2008?", ("the difference in 2009?", change))
    rows: tuple[Row, ...] = (
        ("new", SALES_2008, 400.0), ("new", COSTS_2008, 80.0), ("used", SALES_2009, 500.0), ("new", RATE_2009, 25.0),
    )  # fmt: skip
    plans = ("subtract", 0, 1), ("divide", 0, 1), ("subtract", 1, 0), ("subtract", 0, 2)
    assert measured(turn, candidates_of(turn, rows, *plans))["parallel"] == [1, 0, 0, 0]
    turn = turn_of("and the rate?", TWO_COSTS[0])
    plans_of_one = ("lookup", 3), ("lookup", 1), ("lookup", 0)
    assert measured(turn, candidates_of(turn, rows, *plans_of_one))["parallel"] == [2, 1, 0]


def test_parallel_depends_on_the_wording_of_the_question() -> None:
    rows: tuple[Row, ...] = (("new", SALES_2008, 400.0), ("new", RATE_2009, 25.0))
    columns = "parallel_short", "parallel_again"
    for text, expected in (
        ("and in 2008?", (1, 0)),
        ("and what was it in 2008?", (0, 1)),
        ("what was, then, the same in 2008?", (0, 1)),
        ("what were, then, these in 2008?", (0, 1)),
        ("what were the costs in 2008?", (0, 0)),
    ):
        turn = turn_of(text, TWO_SALES[0])
        found = measured(turn, candidates_of(turn, rows, ("lookup", 0), ("divide", 0, 1)))
        assert [found[name] for name in columns] == [[one, 0] for one in expected], text


def test_role_of_an_operand_in_the_last_turn() -> None:
    divided = TurnAction("divide", (leaf(SALES_2009, 500.0), Operand("result", 0, 80.0)), 6.25)
    before = (TWO_COSTS[1], ("sales as a share of them?", divided))
    turn = turn_of("and the rate?", *before)
    rows: tuple[Row, ...] = (
        ("used", SALES_2009, 500.0), ("result2", 0, 80.0), ("new", RATE_2009, 25.0), ("result1", 1, 6.25),
    )  # fmt: skip
    plans = ("divide", 0, 2), ("divide", 1, 2), ("divide", 2, 0), ("divide", 3, 1)
    columns = measured(turn, candidates_of(turn, rows, *plans))
    assert (columns["first_role"], columns["second_role"]) == ([1, 2, 0, 0], [0, 0, 1, 2])
    # If a side refers back, its operand is distinguished from that of the other side.
    turn = turn_of("how much did it represent in relation to the rate?", *before)
    columns = measured(turn, candidates_of(turn, rows, *plans))
    assert (columns["first_role"], columns["second_role"]) == ([3, 4, 0, 0], [0, 0, 1, 2])


def test_a_look_up_gives_its_operand_no_role() -> None:
    turn = turn_of("and it?", TWO_SALES[0])
    rows: tuple[Row, ...] = (("used", SALES_2009, 500.0), ("new", RATE_2009, 25.0))
    assert measured(turn, candidates_of(turn, rows, ("divide", 0, 1)))["first_role"] == [0]


def test_repeated_question_is_marked() -> None:
    turn = turn_of("Net sales in 2009?", *TWO_SALES)
    rows: tuple[Row, ...] = (("result2", 0, 500.0), ("result1", 1, 400.0))
    assert measured(turn, candidates_of(turn, rows, ("lookup", 0), ("lookup", 1)))["first_repeat"] == [1, 0]
