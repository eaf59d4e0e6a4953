from remembered import computed, looked_up, memory_of

from quaestor.conversation.references.lineage import latest_results, results_of_turns
from quaestor.conversation.references.ranking import (
    UNSPOKEN,
    cue_features,
    rank_sets,
    read_weights,
    sets_of,
    trait_words,
    traits_of,
)
from quaestor.ontology.core import read_core
from quaestor.questions.cues import pattern_words
from quaestor.questions.question import read_question

TRAITS = frozenset(
    "none the_last_result the_last_two_results the_last_three_results the_last_four_results "
    "the_result_before_the_last an_earlier_result the_last_and_an_earlier_result two_earlier_results "
    "none_in_the_same_year not_used_yet one_used_already used_already all_values_asked_since "
    "a_change_without_its_base a_change_whose_base_was_asked a_change_and_its_base a_change_and_its_later_value "
    "a_result_and_a_part_of_it of_one_thing of_one_kind of_the_years_named covering_the_years_named "
    "of_one_of_the_years_named of_other_years nothing_is_named named_in_full named_for_the_most_part named_in_part "
    "not_named with_the_result_called_so without_the_result_called_so with_the_value_of_the_year "
    "without_the_value_of_the_year one_for_each_year all_of_one_pointed_at none_of_one_pointed_at "
    "all_of_several_pointed_at some_of_several_pointed_at none_of_several_pointed_at just_what_is_pointed_at "
    "as_many_as_counted not_as_many_as_counted one_for_each_expression more_than_expressions fewer_than_expressions "
    "of_a_thing_neither_in_focus_nor_named of_a_thing_out_of_focus_that_is_named of_the_thing_in_focus".split()
)
CUES = frozenset(
    "this that it two_of_them three_or_more_of_them over_the_period then again and what_about the_former "
    "a_number_of_its_own in_a_year if the_value_itself a_conversion an_addition no_year_is_named a_year_is_named "
    "years_are_named a_thing_is_named no_thing_is_named points_at_several_results points_at_a_result looks_a_thing_up "
    "a_new_thing_is_named looks_up_a_new_thing_in_a_year scales_one_result only_restates restates_something "
    "points_at_one_thing points_at_two_things asks_again_for_what_it_points_at speaks_of_one_thing_in_years "
    "turns_to_another_thing counts_the_results".split()
)

LATEST = latest_results(
    results_of_turns(
        memory_of(
            looked_up("what was the rent in 2007?", "rent", 2007),
            looked_up("and in 2008?", "rent", 2008),
            computed("what was the change?", "subtract", -1, -2),
        )
    )
)


def test_all_sets_of_three_results_are_generated() -> None:
    turns = sorted(tuple(r.turn for r in chosen) for chosen in sets_of(read_question("what is it?"), LATEST))
    assert turns == [(), (0,), (0, 1), (0, 1, 2), (0, 2), (1,), (1, 2), (2,)]


def test_number_of_sets_is_bounded_in_long_conversations() -> None:
    turns = [looked_up(f"what was the rent in {year}?", "rent", year) for year in range(1960, 2010)]
    reading = read_question("what was the change of rent from 1960 to 2009?")
    assert len(sets_of(reading, latest_results(results_of_turns(memory_of(*turns))))) < 60


def test_traits_are_readable() -> None:
    reading = read_question("how much does this change represent?")
    base, later, change = sorted(LATEST, key=lambda result: result.turn)
    assert {"a_change_and_its_base", "of_value_and_change", "one_used_already"} <= set(
        traits_of((base, change), reading, LATEST)
    )
    assert "a_change_and_its_later_value" in traits_of((later, change), reading, LATEST)
    assert "the_last_result" in traits_of((change,), reading, LATEST)
    assert "none" in traits_of((), reading, LATEST)


def test_a_set_is_scored_by_the_weights_of_its_traits_and_the_question_s_cues() -> None:
    reading = read_question("how much does this change represent?")
    weights = {"the_last_result": {"this": 5.0}, "none": {"that": 9.0}}
    first = rank_sets(reading, LATEST, weights)[0]
    assert first.turns == (2,)
    assert "this" in first.reason


def test_weights_refer_to_existing_patterns_and_metric_types() -> None:
    """A name that is changed in the core would silently lose its weights."""
    cues = {cue for cues in read_weights().values() for cue in cues}
    features = {f"asks_for_{name}" for name in read_core().metric_types}
    patterns = {pattern_words(pattern.name) for pattern in read_core().patterns}
    of_metrics = {cue for cue in cues if cue.startswith("asks_for_")}
    of_patterns = {cue for cue in cues if cue.startswith("wording_")}
    assert of_metrics
    assert of_metrics <= features
    assert of_patterns
    assert of_patterns <= patterns
    assert cues - of_metrics - of_patterns <= CUES


def test_weights_refer_to_existing_traits() -> None:
    expected = {"value", "comparison", *(result.operation_kind for result in LATEST), "relative_change"}
    expected |= {"ratio", "sum", "product", "average", "change"}
    results = {f"of_{one}" for one in expected} | {f"of_{one}_and_{other}" for one in expected for other in expected}
    nothing = {f"none_after_{one}" for one in expected} | {
        f"none_after_{one},{other}" for one in expected for other in expected
    }
    assert set(read_weights()) <= TRAITS | results | nothing


def test_ids_have_readable_names() -> None:
    assert trait_words("none_after_value,relative_change") == "none after value, relative change"
    assert trait_words("of_sum_and_value") == "of sum and value"
    assert trait_words("wording_change_over_base") == "wording change over base"
    for known in read_weights():
        assert " " not in known
    assert not UNSPOKEN - CUES - {"wording_average_named", "wording_value_named"}


def test_cues_come_from_the_words_and_the_last_result() -> None:
    assert "points_at_a_result" in cue_features(read_question("what is that change in thousands?"), LATEST)
    assert "points_at_several_results" in cue_features(read_question("what is the sum of these two values?"), LATEST)
    assert "scales_one_result" in cue_features(read_question("what is that times 1000?"), LATEST)
    assert "looks_up_a_new_thing_in_a_year" in cue_features(read_question("what was the tax in 2008?"), LATEST)
    assert "looks_up_a_new_thing_in_a_year" not in cue_features(read_question("what was the rent in 2008?"), LATEST)
    assert "wording_sum" in cue_features(read_question("what is the sum?"), LATEST)


def test_two_lookups_may_be_followed_by_a_third_and_one_of_two_may_be_scaled() -> None:
    two = LATEST[1:]
    assert rank_sets(read_question("what was the tax in 2008?"), two, read_weights())[0].turns == ()
    assert rank_sets(read_question("what is that divided by 1000?"), two, read_weights())[0].turns == (1,)
