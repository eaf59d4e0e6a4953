"""Years of a page and of a question: only certain ones count."""

import pytest
from pages import page

from quaestor.questions.question import Question
from quaestor.questions.question_times import years_asked
from quaestor.solvers.embedded.answerability import find_years, show_years

GRID = [["( in millions )", "2012", "2011"], ["net sales", "12", "11"], ["costs", "7", "6"]]


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("what were net sales in 2009?", (2009,)),
        ("what were net sales for the year ended december 31, 2009?", (2009,)),
        ("and in 2009 and 2010?", (2009, 2010)),
        ("what was the change from 2009 to 2012?", (2009, 2012)),
        ("as of 2009, what was the balance?", (2009,)),
        ("what is the 2009 plan's amount?", ()),
        ("what was the balance of notes due 2021?", ()),
        ("what was the balance of notes issued in 2009?", ()),
        ("what would sales be in 2020 if they grew?", ()),
        ("what are the payments due in 2020?", ()),
        ("what was it in the year before 2011?", ()),
        ("what was it at the beginning of 2013?", ()),
        ("what were the shares of the 2009 offering?", ()),
    ],
)
def test_years_that_are_asked_for(text: str, years: tuple[int, ...]) -> None:
    assert years_asked(Question(text)) == years


@pytest.mark.parametrize(
    ("sentence", "year"),
    [
        ("sales rose .", 2012),
        ("notes due 2021 were issued .", 2021),
        ("in the prior year sales fell .", 2010),
        ("from 2005 to 2009 sales fell .", 2007),
        ("from 2005 - 09 sales fell .", 2008),
        ("fiscal '08 was good .", 2008),
        ("our year ended on february 2 , 2010 .", 2009),
        ("amounts due in 2013 and thereafter .", 2016),
        ("over the last five years sales rose .", 2008),
        ("in 2009 sales rose , as in the year before .", 2008),
    ],
)
def test_years_that_a_page_may_have(sentence: str, year: int) -> None:
    assert not find_years(page(GRID, [sentence])).lacks(year)


def test_years_that_a_page_lacks() -> None:
    known = find_years(page(GRID, ["sales rose in 2012 ."]))
    assert [year for year in range(2006, 2018) if not known.lacks(year)] == [2011, 2012]
    assert known.shown == (2011, 2012)


def test_a_page_without_years_lacks_none() -> None:
    assert not find_years(page([["", "amount"], ["net sales", "12"], ["costs", "7"]], ["sales rose ."])).lacks(2012)


def test_years_are_shown_as_ranges() -> None:
    assert show_years((2008, 2010, 2011, 2012)) == "2008, 2010 to 2012"
    assert show_years((2011, 2012)) == "2011, 2012"
