"""The times that a question names."""

import pytest

from quaestor.questions.moments import begin_years, read_moments


def _times(text: str, *names: str) -> list[tuple[object, ...]]:
    return [tuple(getattr(moment, name) for name in names) for moment in read_moments(text)]


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("fy24 vs fy23", [2024, 2023]),
        ("fiscal 25", [2025]),
        ("r&d for fiscal 99", [1999]),
        ("capex 2021 and 2020", [2021, 2020]),
        ("fiscal 2025, 2024 and 2023", [2025, 2024, 2023]),
        ("the board authorised in may 99", [1999]),
        ("up 20.5 % or 2,024 units", []),
        ("basic eps in '22?", [2022]),
        ("revenue in 08", [2008]),
        ("capex 24?", [2024]),
        ("24 vs 23", [2024, 2023]),
        ("sales in 24 and 23?", [2024, 2023]),
        ("cash at ye24", [2024]),
        ("debt y/e 24", [2024]),
        ("backlog 2024e", [2024]),
        ("share of the top 20", []),
        ("details in note 15?", []),
        ("more than 20", []),
    ],
)
def test_years_are_read(text: str, years: list[int]) -> None:
    assert _times(text, "year") == [(year,) for year in years]


@pytest.mark.parametrize(
    "text", ["2022-24", "from 2022 to 2024", "between fiscal 2022 and fiscal 2024", "fy22 to fy24"]
)
def test_ranges_have_an_end_and_a_length(text: str) -> None:
    assert _times(text, "year", "back", "count") == [(2024, 2, 3)]


@pytest.mark.parametrize(
    ("text", "quarter", "months"),
    [
        ("q2", 2, 3),
        ("third quarter", 3, 3),
        ("h1 24", 2, 6),
        ("first six months", 2, 6),
        ("nine months", 3, 9),
        ("6m24", 2, 6),
        ("9m 2024", 3, 9),
    ],
)
def test_parts_of_a_year_are_read(text: str, quarter: int, months: int) -> None:
    assert _times(text, "quarter", "months") == [(quarter, months)]


@pytest.mark.parametrize("text", ["31/12/24", "31.12.2024", "dec-24", "dec '24", "december 31, '24", "12/31/2024"])
def test_days_have_a_month_and_a_year(text: str) -> None:
    assert _times(f"cash at {text}", "year", "month") == [(2024, 12)]


@pytest.mark.parametrize("text", ["prior yr", "previous fiscal year", "the prior fy", "py", "a yr ago", "a year back"])
def test_the_year_before_has_many_names(text: str) -> None:
    assert _times(text, "back", "latest") == [(1, False)]


@pytest.mark.parametrize("text", ["the year after", "the following year", "a year later"])
def test_the_year_after_is_counted_forwards(text: str) -> None:
    assert _times(text, "back") == [(-1,)]


@pytest.mark.parametrize("text", ["at the prior year end", "previous yr-end"])
def test_the_end_of_the_year_before_is_before_the_last_one(text: str) -> None:
    assert _times(text, "quarter", "months", "back") == [(4, 0, 1)]


def test_relative_times_are_read() -> None:
    assert _times("a year earlier", "back", "latest") == [(1, False)]
    assert _times("two years ago", "back", "latest") == [(2, False)]
    assert _times("last year", "back", "latest") == [(1, True)]
    assert _times("this year and last", "back", "latest") == [(None, True), (1, False)]
    assert _times("last three years", "count") == [(3,)]
    assert _times("both years", "count") == [(2,)]
    assert _times("since december", "month", "months") == [(12, 0)]
    assert _times("cash at 30 june", "month", "months") == [(6, 0)]
    assert _times("december quarter of 2024", "year", "month", "months") == [(2024, 12, 3)]


@pytest.mark.parametrize(
    ("text", "year", "back"),
    [
        ("tax benefits, beginning of fiscal 2024", 2023, None),
        ("at the start of the year 2024", 2023, None),
        ("opening balance of 2024", 2023, None),
        ("shares outstanding at the beginning of fiscal 24", 2023, None),
        ("reserve when fiscal 2024 began", 2023, None),
        ("cash when the year started", None, 1),
        ("cash at the start of the year", None, 1),
    ],
)
def test_the_start_of_a_year_is_the_end_of_the_year_before(text: str, year: int | None, back: int | None) -> None:
    assert _times(text, "year", "quarter", "months", "back") == [(year, 4, 0, back)]


@pytest.mark.parametrize("text", ["over the next five years", "due next year", "in which quarter", "half of it"])
def test_future_and_asked_times_are_not_times_of_numbers(text: str) -> None:
    assert _times(text, "year") == []


@pytest.mark.parametrize("text", ["and the two years before?", "and in the prior two years"])
def test_years_before_are_counted_from_the_previous_moment(text: str) -> None:
    assert _times(text, "back", "count", "year") == [(1, 2, None)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sales for the six months ended june 30, 2023", (2023, 6, 6)),
        ("the quarter ended march 31", (None, 3, 3)),
        ("the quarter ended march 31 of 2024", (2024, 3, 3)),
        ("the fiscal year ending september 2024", (2024, 9, 12)),
        ("in the june quarter of 2023", (2023, 6, 3)),
        ("cash at june 30, 2023", (2023, 6, 0)),
    ],
)
def test_a_span_that_ends_on_a_day_has_a_length(text: str, expected: tuple[object, ...]) -> None:
    assert _times(text, "year", "month", "months") == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3q24 sales", (2024, 3, 3)),
        ("1h25 sales", (2025, 2, 6)),
        ("2024q3", (2024, 3, 3)),
        ("q3-24", (2024, 3, 3)),
        ("f18", (2018, None, None)),
        ("2023/24", (2024, None, None)),
        ("cash at 12/31/2023", (2023, None, 0)),
        ("cash on 2023-12-31", (2023, None, 0)),
        ("and at year end?", (None, 4, 0)),
        ("inventories at the end of last year", (None, 4, 0)),
        ("cash at year-end 2024", (2024, 4, 0)),
        ("debt at the end of fiscal 2024", (2024, 4, 0)),
    ],
)
def test_times_are_read_in_any_notation(text: str, expected: tuple[object, ...]) -> None:
    assert _times(text, "year", "quarter", "months") == [expected]


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("sales in the years of 2022 and 2024", [2022, 2024]),
        ("sales for the years ended 2022 and 2024", [2022, 2024]),
        ("the ratio of sales in 2024 to 2022", [2024, 2022]),
        ("between 2024 and 2022", [2024, 2022]),
    ],
)
def test_only_named_years_are_read(text: str, years: list[int]) -> None:
    assert [year for (year,) in _times(text, "year")] == years


@pytest.mark.parametrize("text", ["goodwill at the beginning of the year", "beginning balance", "opening balances"])
def test_a_beginning_is_the_end_of_the_year_before(text: str) -> None:
    assert _times(text, "quarter", "months", "back") == [(4, 0, 1)]


def test_the_beginning_of_a_quarter_is_the_end_of_the_one_before() -> None:
    assert _times("equity at the start of the quarter", "quarters_back", "months") == [(1, 0)]


def test_the_beginning_of_the_year_is_of_the_years_that_are_named() -> None:
    (one,) = begin_years(tuple(read_moments("cash at beginning of year in 2023")))
    assert (one.year, one.quarter, one.months) == (2022, 4, 0)
    (several,) = begin_years(tuple(read_moments("cash at beginning of year from 2022 to 2023")))
    assert (several.year, several.count) == (2022, 2)
    day = tuple(read_moments("cash from the beginning of the year to june 30, 2023"))
    assert begin_years(day) == day


@pytest.mark.parametrize(
    ("text", "month", "day"),
    [("at february 3, 2024", 2, 3), ("six months ended august 4, 2023", 8, 4), ("in may 2024", 5, None)],
)
def test_days_are_read(text: str, month: int, day: int | None) -> None:
    assert _times(text, "month", "day") == [(month, day)]


def test_the_same_quarter_of_another_year_is_one_time() -> None:
    assert _times("and in the same quarter of the prior year?", "months", "back") == [(3, 1)]
