"""Words that refer to earlier turns."""

import pytest

from quaestor.questions.cues import COUNTS, CUES, metric_nouns, noun_fits_metric, pattern_words
from quaestor.questions.question import read_question


@pytest.mark.parametrize(
    ("question", "cue"),
    [
        ("how much does this change represent?", "this"),
        ("what was that in 2008?", "that"),
        ("what is its share?", "it"),
        ("what is the sum of these two values?", "two_of_them"),
        ("what is the total of all?", "three_or_more_of_them"),
        ("what was the growth over the same period?", "over_the_period"),
        ("what, then, is it?", "then"),
        ("what was it, again?", "again"),
        ("and the rent?", "and"),
        ("what about 2009?", "what_about"),
        ("what is the former?", "the_former"),
        ("what is that over 12?", "a_number_of_its_own"),
        ("what was the rent in 2008?", "in_a_year"),
        ("what if it doubled?", "if"),
        ("what is that value?", "the_value_itself"),
        ("what is that in thousands?", "a_conversion"),
        ("what is the total including the rent?", "an_addition"),
        ("what is the sum?", "wording_sum"),
        ("what was the rent?", "a_thing_is_named"),
        ("what was it?", "no_thing_is_named"),
        ("what was it?", "no_year_is_named"),
        ("in 2008?", "a_year_is_named"),
        ("from 2007 to 2008?", "years_are_named"),
    ],
)
def test_a_question_has_the_cues_of_its_words(question: str, cue: str) -> None:
    assert cue in read_question(question).cues


def test_question_without_cues_is_a_look_up() -> None:
    found = read_question("rent").cues
    assert found & CUES.keys() == set()
    assert {"a_thing_is_named", "no_year_is_named"} <= found


def test_number_words_are_counts_but_one_is_a_pronoun() -> None:
    assert (COUNTS["both"], COUNTS["two"], COUNTS["five"]) == (2, 2, 5)
    assert "one" not in COUNTS


def test_a_result_is_called_by_the_nouns_of_its_metric_type_and_its_kind() -> None:
    assert noun_fits_metric("difference", "change") == 1
    assert noun_fits_metric("percentage", "percentage") == 1
    assert 0 < noun_fits_metric("change", "percentage_change") < 1
    assert noun_fits_metric("sum", "change") == 0
    assert noun_fits_metric("sum", "no such type") == 0
    assert {"change", "ratio", "sum"} <= metric_nouns()


def test_a_pattern_is_named_by_an_id() -> None:
    assert pattern_words("kg:PatternChangeOverBase") == "wording_change_over_base"


@pytest.mark.parametrize(
    ("question", "alone"),
    [
        ("what was the average of net sales from 2010 to 2012?", True),
        ("how much rent was paid in 2008?", True),
        ("and the rent?", True),
        ("what was the average rent over the three years?", True),
        ("what was it in 2008?", False),
        ("what was the change?", False),
        ("in 2008?", False),
    ],
)
def test_question_with_a_subject_and_no_references_is_self_contained(question: str, alone: bool) -> None:
    assert read_question(question).is_self_contained is alone
