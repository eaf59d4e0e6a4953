"""Traits and cues for people, and the ids that older weights mean."""

from collections.abc import Mapping

TRAIT_WORDS: Mapping[str, str] = {
    "none": "none",
    "the_last_result": "the last result",
    "the_last_two_results": "the last two results",
    "the_last_three_results": "the last three results",
    "the_last_four_results": "the last four results",
    "the_result_before_the_last": "the result before the last",
    "an_earlier_result": "an earlier result",
    "the_last_and_an_earlier_result": "the last and an earlier result",
    "two_earlier_results": "two earlier results",
    "none_in_the_same_year": "none in the same year",
    "not_used_yet": "not used yet",
    "one_used_already": "one used already",
    "used_already": "used already",
    "all_values_asked_since": "all values asked since",
    "a_change_without_its_base": "a change without its base",
    "a_change_whose_base_was_asked": "a change whose base was asked",
    "a_change_and_its_base": "a change and its base",
    "a_change_and_its_later_value": "a change and its later value",
    "a_result_and_a_part_of_it": "a result and a part of it",
    "of_one_thing": "of one thing",
    "of_one_kind": "of one kind",
    "of_the_years_named": "of the years named",
    "covering_the_years_named": "covering the years named",
    "of_one_of_the_years_named": "of one of the years named",
    "of_other_years": "of other years",
    "nothing_is_named": "nothing is named",
    "named_in_full": "named in full",
    "named_for_the_most_part": "named for the most part",
    "named_in_part": "named in part",
    "not_named": "not named",
    "with_the_result_called_so": "with the result called so",
    "without_the_result_called_so": "without the result called so",
    "with_the_value_of_the_year": "with the value of the year",
    "without_the_value_of_the_year": "without the value of the year",
    "one_for_each_year": "one for each year",
    "all_of_one_pointed_at": "all of one pointed at",
    "none_of_one_pointed_at": "none of one pointed at",
    "all_of_several_pointed_at": "all of several pointed at",
    "some_of_several_pointed_at": "some of several pointed at",
    "none_of_several_pointed_at": "none of several pointed at",
    "just_what_is_pointed_at": "just what is pointed at",
    "as_many_as_counted": "as many as counted",
    "not_as_many_as_counted": "not as many as counted",
    "one_for_each_expression": "one for each expression",
    "more_than_expressions": "more than expressions",
    "fewer_than_expressions": "fewer than expressions",
    "of_a_thing_neither_in_focus_nor_named": "of a thing neither in focus nor named",
    "of_a_thing_out_of_focus_that_is_named": "of a thing out of focus that is named",
    "of_the_thing_in_focus": "of the thing in focus",
}
"""The words of traits. Those of how results were made (`of_sum_and_value`, `none_after_change`) are not listed."""

CUE_WORDS: Mapping[str, str] = {
    "this": "this",
    "that": "that",
    "it": "it",
    "two_of_them": "two of them",
    "three_or_more_of_them": "three or more of them",
    "over_the_period": "over the period",
    "then": "then",
    "again": "again",
    "and": "and",
    "what_about": "what about",
    "the_former": "the former",
    "a_number_of_its_own": "a number of its own",
    "in_a_year": "in a year",
    "if": "if",
    "the_value_itself": "the value itself",
    "a_conversion": "a conversion",
    "an_addition": "an addition",
    "no_year_is_named": "no year is named",
    "a_year_is_named": "a year is named",
    "years_are_named": "years are named",
    "a_thing_is_named": "a thing is named",
    "no_thing_is_named": "no thing is named",
    "points_at_several_results": "points at several results",
    "points_at_a_result": "points at a result",
    "looks_a_thing_up": "looks a thing up",
    "a_new_thing_is_named": "a new thing is named",
    "looks_up_a_new_thing_in_a_year": "looks up a new thing in a year",
    "scales_one_result": "scales one result",
    "only_restates": "only restates",
    "restates_something": "restates something",
    "points_at_one_thing": "points at one thing",
    "points_at_two_things": "points at two things",
    "asks_again_for_what_it_points_at": "asks again for what it points at",
    "speaks_of_one_thing_in_years": "speaks of one thing in years",
    "turns_to_another_thing": "turns to another thing",
    "counts_the_results": "counts the results",
}
"""The words of cues. Those of what is asked for (`asks_for_sum`, `wording_in_relation`) are not listed."""

UNSPOKEN = frozenset(
    {
        "no_year_is_named",
        "a_year_is_named",
        "years_are_named",
        "a_thing_is_named",
        "no_thing_is_named",
        "a_new_thing_is_named",
        "wording_average_named",
        "wording_value_named",
    }
)
"""Cues that are left out of reasons: most questions have them, and they tell a reader nothing."""


def trait_words(trait: str) -> str:
    """Return a trait or a cue in words."""
    return TRAIT_WORDS.get(trait) or CUE_WORDS.get(trait) or trait.replace(",", ", ").replace("_", " ")


def trait_id(words: str) -> str:
    """Return the id of a trait or a cue in weights that were written when their keys were words; an id as it is."""
    return words.replace(", ", ",").replace(" ", "_")
