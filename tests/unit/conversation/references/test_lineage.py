from remembered import TableCell, computed, looked_up, memory_of, unanswered, ungrounded

from quaestor.conversation.references.lineage import latest_results, results_of_turns

RENT_2007 = looked_up("what was the rent in 2007?", "rent", 2007)
RENT_2008 = looked_up("and in 2008?", "rent", 2008)
CHANGE = computed("what was the change?", "subtract", -1, -2)


def test_calculation_depends_on_the_results_that_it_refers_to() -> None:
    change = results_of_turns(memory_of(RENT_2007, RENT_2008, CHANGE))[2]
    assert change is not None
    assert (change.operation_kind, change.dependencies) == ("change", (1, 0))


def test_cell_that_is_read_again_is_the_result_of_the_first_turn() -> None:
    anew = computed("what was the change?", "subtract", TableCell("rent", 2008), TableCell("rent", 2007))
    results = results_of_turns(memory_of(RENT_2007, RENT_2008, anew, CHANGE))
    assert results[2] is not None
    assert results[2].dependencies == (1, 0)


def test_equal_results_are_attributed_to_the_last_turn() -> None:
    again = looked_up("what was the rent in 2007, again?", "rent", 2007)
    latest = latest_results(results_of_turns(memory_of(RENT_2007, RENT_2008, again)))
    assert [result.turn for result in latest] == [2, 1]


def test_a_relative_change_is_a_change_over_its_base() -> None:
    at_once = computed("by what percentage did it change?", "percentage_change", -2, -3)
    in_two = computed("what is that over the value of 2007?", "divide", -1, -3)
    results = results_of_turns(memory_of(RENT_2007, RENT_2008, CHANGE, in_two, at_once))
    first, second = results[3], results[4]
    assert first is not None
    assert second is not None
    assert (first.operation_kind, first.dependencies) == ("relative change", (2, 0))
    assert first.operation_kind == second.operation_kind


def test_lineage_of_turns_without_answer_or_plan_is_empty() -> None:
    results = results_of_turns(memory_of(unanswered("what was the rent?"), ungrounded("what was it?")))
    assert results[0] is None
    assert results[1] is not None
    assert results[1].dependencies == ()


def test_years_are_those_of_the_question_or_of_the_answer() -> None:
    results = results_of_turns(memory_of(RENT_2007, looked_up("and the year after?", "rent", 2008)))
    assert [result.years for result in results if result] == [{2007}, {2008}]


def test_lineage_with_shared_results_is_computed_quickly() -> None:
    doubled = [computed("what is twice that?", "add", -1, -1) for _ in range(200)]
    results = results_of_turns(memory_of(RENT_2007, *doubled, RENT_2007, *doubled))
    assert [result.turn for result in latest_results(results)] == [*range(401, 200, -1)]
