import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pages import page

from quaestor.documents.alignment import _align_nearest
from quaestor.documents.sentences import read_sentences
from quaestor.graph.builder import build_graph
from quaestor.ontology.builder import build_ontology


def years(*sentences: str) -> list[int | None]:
    return [mention.year for mention in build_graph(page([], sentences), build_ontology([])).mentions]


def test_lists_are_aligned_in_order() -> None:
    assert years("costs were $ 3 million and $ 4 million in 2012 and 2011 , respectively .") == [2012, 2011]


def test_list_is_aligned_with_periods_of_equal_number() -> None:
    sentence = "since 1998 , the expense for the next three years is $ 39 , $ 58 and $ 24 in 2012 , 2013 and 2014 ."
    assert years(sentence) == [2012, 2013, 2014]


def test_two_lists_share_one_list_of_periods() -> None:
    sentence = (
        "at december 31 , 2016 and 2015 we held $ 2 million and $ 7 million , and owed $ 5 million and $ 6 million ."
    )
    assert years(sentence) == [2016, 2015, 2016, 2015]


def test_several_lists_share_periods_or_have_one_list_each() -> None:
    one = "at december 31 , 2016 and 2015 it was $ 2 and $ 7 ( of which $ 1 and $ 3 ) ."
    assert years(one.replace("of which ", "")) == [2016, 2015, 2016, 2015]
    two = "it was $ 2 and $ 7 , and $ 5 and $ 6 in 2016 and 2015 , of which $ 1 at the end of 2014 and 2013 ."
    assert years(two)[:4] == [2016, 2015, 2014, 2013]


def test_a_list_behind_its_numbers_does_not_date_those_that_follow() -> None:
    sentence = (
        "it was $ 3 and $ 4 , respectively , in 2014 and 2013 , and $ 5 and $ 6 , respectively , in 2012 and 2011 ."
    )
    assert years(sentence) == [2014, 2013, 2012, 2011]
    against = "in 2014 and 2013 the share of it was $ 3 and $ 4 , compared to $ 9 and $ 8 in 2012 and 2011 ."
    assert years(against) == [2014, 2013, 2012, 2011]


def test_noun_may_be_between_numbers() -> None:
    assert years("in 2017 , 2016 and 2015 we issued 11 shares , 13 shares and 14 shares .") == [2017, 2016, 2015]


def test_noun_after_each_number_of_a_list_is_the_unit() -> None:
    assert years("output was 24 mbpd , 77 mbpd and 71 mbpd in 2006 , 2005 and 2004 .") == [2006, 2005, 2004]
    assert years("we sold 5 barrels per day and 7 barrels per day in 2012 and 2011 .") == [2012, 2011]
    # Numbers of different things are not a list.
    assert years("output was 24 oil and 77 gas in 2012 and 2011 .") == [2012, 2012]


def test_list_without_periods_uses_those_of_the_previous_sentence() -> None:
    assert (
        years(
            "plan costs for 2009 , 2008 and 2007 were $ 35 , $ 29 and $ 31 , respectively .",
            "a further contribution of $ 3 , $ 4 and $ 5 was made .",
        )
        == [2009, 2008, 2007] * 2
    )


def test_list_with_periods_ignores_the_previous_sentence() -> None:
    assert years("costs for 2009 and 2008 were $ 35 and $ 29 .", "in 2011 we paid $ 3 and $ 4 .")[2:] == [2011, 2011]


def test_single_number_ignores_the_previous_sentence() -> None:
    assert years("costs for 2009 and 2008 were $ 35 and $ 29 .", "we paid $ 3 .")[2:] == [None]


def test_number_after_from_belongs_to_the_previous_year() -> None:
    assert years("earnings rose in 2002 from $ 128 million to $ 201 million .") == [2001, 2002]


def test_number_after_from_keeps_its_own_year() -> None:
    assert years("earnings rose from $ 128 million in 1999 to $ 201 million in 2002 .") == [1999, 2002]


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("sales were $ 7 million compared with $ 5 million in 2008 .", [2009, 2008]),
        ("sales of $ 7 million were down from $ 9 million in 2005 and $ 8 million in 2004 .", [2006, 2005, 2004]),
        ("sales in 2010 were $ 7 million compared with $ 5 million in 2008 .", [2010, 2008]),
        ("sales were $ 7 million , versus $ 5 million .", [None, None]),
    ],
)
def test_a_number_set_against_another_is_a_year_after_it_unless_it_has_a_period(text: str, dated: list[int]) -> None:
    assert years(text) == dated


def test_nearest_period_is_used_and_a_later_one_on_a_tie() -> None:
    assert years("in 2009 we paid $ 3 million , then $ 5 million , then $ 6 million in 2010 .") == [2009, 2010, 2010]


def test_no_period_named() -> None:
    assert years("we paid $ 3 million .") == [None]


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("maturity was 10.8 years at the end of 2014 and 10.5 years at the end of 2015 .", [2014, 2015]),
        ("we own 141 shops and 93 depots as of 2008 , and owned 132 shops and 86 depots as of 2007 .",
         [2008, 2008, 2007, 2007]),
        ("under the leases , 2009 brings $ 5.6 million , while 2010 should bring $ 5.4 million .", [2009, 2010]),
    ],
)  # fmt: skip
def test_alternating_numbers_and_periods_are_paired(text: str, dated: list[int]) -> None:
    assert years(text) == dated


def test_of_those_too_a_number_set_against_the_next_one_is_a_year_after_it() -> None:
    sentence = "sales of $ 7 million compared with $ 5 million of sales in 2008 , and $ 4 million of sales in 2007 ."
    assert years(sentence) == [2009, 2008, 2007]


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("for 2014 , costs rose by $ 64 million from 2013 .", [2014]),
        ("the share for 2012 fell 0.6 points versus 2011 .", [2012]),
        ("2012 compared with 2011 : sales of $ 4 million were lower .", [2012]),
        # Without another period the base is used, and the first of two bounds is not a base.
        ("costs rose by $ 64 million from 2013 .", [2013]),
        ("costs rose by $ 64 million from 2013 to 2014 .", [2013]),
    ],
)
def test_a_period_that_a_number_is_only_set_against_dates_none(text: str, dated: list[int]) -> None:
    assert years(text) == dated


@example(["5 million", ",", "compared with", "5 million", "in 2012"])
@given(
    st.lists(
        st.sampled_from(["5 million", "7 %", "in 2012", "2011", "from 2010 to", ",", "and", "was", "compared with"])
    )
)
def test_the_nearest_period_is_that_with_the_fewest_characters_and_numbers_between(words: list[str]) -> None:
    (sentence,) = read_sentences("d", "s", [" ".join(words)])
    spans = [(mention.ref.start, mention.ref.end) for mention in sentence.mentions]

    def distance(n: int, begin: int, stop: int) -> tuple[int, int]:
        start, end = spans[n]
        if begin >= end:
            return begin - end + 60 * sum(end <= other < begin for other, _ in spans), 0
        return 2 * (start - stop) + 60 * sum(stop <= other < start for other, _ in spans), 1

    found = _align_nearest(spans, sentence.text, sentence.periods)
    for n, period in enumerate(found):
        following = spans[n + 1][0] if n + 1 < len(spans) else len(sentence.text)
        compared = re.match(r"[ ,]*(?:was )?(?:compared with|from)\b", sentence.text[spans[n][1] :]) is not None
        left = [dated for dated in sentence.periods if not (compared and dated[1] >= following)]
        wanted = min(left, key=lambda dated: distance(n, dated[1], dated[2]))[0] if left else None
        assert period == wanted
