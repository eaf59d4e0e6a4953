"""Numbers in questions."""

import pytest

from quaestor.questions.question import numbers_in, read_question


@pytest.mark.parametrize(
    ("question", "years", "numbers", "counts"),
    [
        ("those two values from 2007 to 2009, divided by 1,000?", (2007, 2009), (1000.0,), (2.0, 3.0)),
        ("and what is that in millions?", (), (), (1e6,)),
        ("what is $100 times 12.5?", (), (100.0, 12.5), ()),
        ("in 2008 and in 2008?", (2008,), (), (1.0,)),
        ("from 1990 to 2009?", (1990, 2009), (), ()),
        ("on december 31, 2008, for the s&p 500?", (2008,), (500.0,), ()),
        ("what was it?", (), (), ()),
        ("what is 1000 times the votes of class b-3?", (), (1000.0,), ()),
        ("as of 12/18, what was the sum less 7?", (), (7.0,), ()),
        ("what was it for the quarter ended 12/31/10?", (2010,), (), ()),
        ("what is it less -5?", (), (5.0,), ()),
    ],
)  # fmt: skip
def test_years_numbers_and_counts_are_distinguished(
    question: str, years: tuple[int, ...], numbers: tuple[float, ...], counts: tuple[float, ...]
) -> None:
    read = read_question(question)
    assert (read.years, read.numbers, read.counts) == (years, numbers, counts)
    assert read.year_set == set(years)


@pytest.mark.parametrize(
    ("text", "offsets"),
    [("and in the previous year?", (-1,)), ("and in the following year?", (1,)), ("two years before?", (-2,))],
)
def test_relative_periods(text: str, offsets: tuple[int, ...]) -> None:
    assert read_question(text).offsets == offsets


def test_a_number_of_too_many_digits_is_ignored() -> None:
    assert numbers_in(f"what is {'9' * 5_000} less {'9' * 20}?", ()) == (1e20,)
