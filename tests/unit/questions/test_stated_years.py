"""Years relative to those of earlier questions."""

import pytest

from quaestor.questions.question import read_question
from quaestor.questions.question_times import with_stated_years

OVER_THREE = "what was the change in rent from 2015 to 2017?"


@pytest.mark.parametrize(
    ("before", "question", "years"),
    [
        (["what was rent in 2012?"], "and in the year before, what was the price?", (2011,)),
        (["what was rent in 2012?"], "and in the subsequent year?", (2013,)),
        (["what was rent in 2012?", "and the tax?"], "and in the previous year?", (2011,)),
        (["what was rent in 2012?", "and in the year before?"], "and in the year before?", (2010,)),
        ([OVER_THREE], "in the previous year of this period, what was rent?", (2014,)),
        ([OVER_THREE], "and in the next year?", (2018,)),
        ([OVER_THREE], "in that last year of the period, what was rent?", (2017,)),
        ([OVER_THREE], "in the first year of that period, what was rent?", (2015,)),
        ([OVER_THREE], "in the last two years of that period, what were they?", (2016, 2017)),
        ([OVER_THREE], "and over the next year, what was the decline in rent?", (2017, 2018)),
        ([OVER_THREE], "what was the variation over the previous year?", (2014, 2015)),
        ([OVER_THREE], "and over the next year?", (2017, 2018)),
        ([OVER_THREE, "what was rent in 2015?"], "and over the next year?", (2016,)),
        (["what was rent in 2012?"], "and in the previous year, in 2009?", (2009,)),
        (["what was rent in 2012?"], "and the tax?", ()),
        (["what was rent?"], "and in the year before?", ()),
        ([], "and in the year before?", ()),
    ],
)
def test_years_are_counted_from_those_of_the_last_question_that_names_some(
    before: list[str], question: str, years: tuple[int, ...]
) -> None:
    reading = with_stated_years(read_question(question), [read_question(text) for text in before])
    assert reading.years == years
    assert reading.year_set == set(years)


def test_a_question_that_states_no_years_stays_the_same_object() -> None:
    reading = read_question("and the tax?")
    assert with_stated_years(reading, [read_question(OVER_THREE)]) is reading
