from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from many_cases import for_each_row
from printed_forms import PERIODS

from quaestor.core.periods import Period, find_period_edges, find_periods, find_relative_periods, parse_period

WHOLE = [
    ("2014", Period("year", 2014)),
    ("2012:", Period("year", 2012)),
    ("fiscal 2008", Period("year", 2008)),
    ("fy08", Period("year", 2008)),
    ("F19", Period("year", 2019)),
    ("year-ended 2013", Period("year", 2013)),
    ("years ended december 31 , 2013 ( 1 )", Period("year", 2013)),
    ("fiscal year ended september 30 2018", Period("year", 2018)),
    ("december 31 2017", Period("date", 2017, month=12, day=31)),
    ("december 312011", Period("date", 2011, month=12, day=31)),
    ("dec . 312012", Period("date", 2012, month=12, day=31)),
    ("september 30 2017 ( 1 )", Period("date", 2017, month=9, day=30)),
    ("as of december a031 , 2011", Period("date", 2011, month=12, day=31)),
    ("10/31/18", Period("date", 2018, month=10, day=31)),
    ("12/31/2012", Period("date", 2012, month=12, day=31)),
    ("31-dec-2015", Period("date", 2015, month=12, day=31)),
    ("as of december 2012", Period("month", 2012, month=12)),
    ("12/11", Period("month", 2011, month=12)),
    ("31 Dec 25", Period("date", 2025, month=12, day=31)),
    ("half-year ended 31 Dec 24", Period("span", 2024, month=12, months=6)),
    ("Oct-Dec 2023", Period("quarter", 2023, quarter=4)),
    ("Jan\u2013Dec 2023", Period("year", 2023)),
    ("January 2025 \u2013 December 2025", Period("year", 2025)),
    ("July 2025 - June 2026", Period("year", 2026)),
    ("January 2025 \u2013 June 2025", Period("span", 2025, month=6, months=6)),
    ("1 Oct\u201331 Dec 2023", Period("quarter", 2023, quarter=4)),
    ("Oct 1\u2013Dec 31, 2023", Period("quarter", 2023, quarter=4)),
    ("1.10.\u201331.12.2023", Period("quarter", 2023, quarter=4)),
    ("10\u201312/2023", Period("quarter", 2023, quarter=4)),
    ("1-6/2023", Period("span", 2023, month=6, months=6)),
    ("April 2026 - March 2028", Period("range", 2027, last=2028)),
    ("Dec/23", Period("month", 2023, month=12)),
    ("2H FY23/24", Period("span", 2024, month=12, months=6)),
    ("Q4 2023-24", Period("quarter", 2024, quarter=4)),
    ("HY 2025", Period("span", 2025, month=6, months=6)),
    ("HY25", Period("span", 2025, month=6, months=6)),
    ("HY2 2025", Period("span", 2025, month=12, months=6)),
    ("Half year 2025", Period("span", 2025, month=6, months=6)),
    ("dec-09", Period("month", 2009, month=12)),
    ("q4 2018", Period("quarter", 2018, quarter=4)),
    ("2001 first quarter", Period("quarter", 2001, quarter=1)),
    ("third quarter of fiscal 2012", Period("quarter", 2012, quarter=3)),
    ("quarter ended march 31 , 2009", Period("quarter", 2009, quarter=1)),
    ("three months ended december 31 2005", Period("quarter", 2005, quarter=4)),
    ("six months ended june 30, 2025", Period("span", 2025, month=6, months=6)),
    ("nine-month period ended september 30, 2025", Period("span", 2025, month=9, months=9)),
    ("13 weeks ended november 3, 2024", Period("quarter", 2024, quarter=4)),
    ("twenty-six weeks ended july 27, 2024", Period("span", 2024, month=7, months=6)),
    ("52 weeks ended february 1, 2025", Period("year", 2025)),
    ("2006 to 2010", Period("range", 2006, last=2010)),
    ("2011-2015", Period("range", 2011, last=2015)),
    ("2019 -20", Period("range", 2019, last=2020)),
    ("fiscal year 2021 -22", Period("range", 2021, last=2022)),
    ("2011 and 2012", Period("range", 2011, last=2012)),
    ("2016 2014 2020", Period("range", 2016, last=2020)),
    ("2015 2013 2019", Period("range", 2015, last=2019)),
    ("2020 and thereafter", Period("range", 2020)),
    ("2021 - thereafter", Period("range", 2021)),
    ("after fiscal 2016", Period("range", 2017)),
    ("december 1 2014 2013 december 31 2014", Period("month", 2014, month=12)),
    ("january 1 2012 to march 31 2012", Period("quarter", 2012, quarter=1)),
]


@for_each_row(WHOLE)
def test_a_label_that_names_a_period(text: str, period: Period) -> None:
    assert parse_period(text) == period


@for_each_row([(text, period) for period, texts in PERIODS for text in texts])
def test_a_period_in_many_forms(text: str, period: Period) -> None:
    assert parse_period(text) == period
    assert [mention.period for mention in find_periods(f"it was 5 in {text} and more")] == [period]


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("year ended February 3, 2024", date(2024, 2, 3)),
        ("fiscal year ended 30 June 2023", date(2023, 6, 30)),
        ("three months ended April 1, 2023", date(2023, 4, 1)),
        ("26 weeks ended July 27, 2024", date(2024, 7, 27)),
        ("year ended December 2023", date(2023, 12, 31)),
        ("13 wks to 30 Sep 23", date(2023, 9, 30)),
        ("3mth to 30 Jun 2024", date(2024, 6, 30)),
        ("01.01.2024 to 31.12.2024", date(2024, 12, 31)),
        ("2025年3月期 第3四半期", date(2024, 12, 31)),
        ("2024年1-6月", date(2024, 6, 30)),
        ("39 wks FY24", None),
        ("9MFY24", None),
        ("fiscal 2023", None),
        ("December 31, 2023", None),
    ],
)
def test_the_last_day_of_a_period_is_read_if_it_is_named(text: str, ends: date | None) -> None:
    period = parse_period(text)
    assert period is not None
    assert period.ends == ends


@pytest.mark.parametrize(
    "text", ["3M", "1H 20 stores", "Q4 23 stores", "H1N1", "1Q10K", "31.02.2023", "2,023", "2023.0", "version 2.0.2023"]
)
def test_returns_none_for_text_without_a_period(text: str) -> None:
    assert find_periods(text) == ()


@pytest.mark.parametrize(
    "text",
    ["", "total", "s&p 500", "$ 2014", "2009 2008", "net revenue 2008", "second quarter", "february 31 2010", "2014.5"],
)
def test_label_without_a_period(text: str) -> None:
    assert parse_period(text) is None


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("second quarter", Period("quarter", 2010, quarter=2)),
        ("quarter ended march 31", Period("quarter", 2010, quarter=1)),
        ("december 31", Period("date", 2010, month=12, day=31)),
        ("october 1-31", Period("month", 2010, month=10)),
        ("year ended june 30", Period("year", 2010)),
    ],
)
def test_a_label_that_leaves_the_year_to_its_section(text: str, period: Period) -> None:
    assert parse_period(text, 2010) == period


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("from 2006 to 2010 and in 2012", ["2006", "2010", "2012"]),
        ("at december 31 , 2015 , 2014 and 2013", ["december 31 , 2015", "2014", "2013"]),
        ("the years 2011-2015", ["2011-2015"]),
        ("q4 2018 , the first quarter of 2013", ["q4 2018", "first quarter of 2013"]),
        ("sold 2000 shares for $ 2014 , 2010 million", []),
        ("loans 2013 reported , notes 2014 during the year", []),
        ("the 201c2005 plan 201d", ["2005"]),
        ("stockholders 2019 equity in 2019 and 2018", ["2019", "2018"]),
        ("segment results 20142007 compared to 2006", ["2007", "2006"]),
        ("in 2010 , 2009 and 2008", ["2010", "2009", "2008"]),
        ("november 2014 november 2024", ["november 2014", "november 2024"]),
        ("at year-end 2018 of $ 5", ["2018"]),
        ("2024 %", ["2024"]),
        ("2022 Actual", ["2022"]),
        ("2022 restated", ["2022"]),
        ("Net sales 2022 amounted to", ["2022"]),
        ("from Oct 5 - Dec 12, 2023", ["Dec 12, 2023"]),
        ("2024 % of total", ["2024"]),
        ("a rise of 2000 % of it", []),
        ("2 december 31 , 2010 , 12 June 25 shares", ["december 31 , 2010"]),
        ("half year 31 December 2024", ["31 December 2024"]),
    ],
)
def test_periods_in_running_text(text: str, named: list[str]) -> None:
    assert [text[mention.start : mention.end] for mention in find_periods(text)] == named


@pytest.mark.parametrize(
    ("text", "offsets"),
    [
        ("what about the prior year?", [-1]),
        ("in the previous year", [-1]),
        ("in the year before", [-1]),
        ("a year earlier", [-1]),
        ("and over the precedent year", [-1]),
        ("the following year", [1]),
        ("and next year?", [1]),
        ("the year after that", [1]),
        ("two years before", [-2]),
        ("two years earlier", [-2]),
        ("3 years later", [3]),
        ("the prior fiscal year and the subsequent year", [-1, 1]),
        ("in 2008", []),
    ],
)
def test_years_named_by_their_distance(text: str, offsets: list[int]) -> None:
    assert [relative.offset for relative in find_relative_periods(text)] == offsets


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("in the first year of that period", [1]),
        ("in the last year of the period", [-1]),
        ("between the last two years of this five year period", [-2]),
        ("the final three years of those years", [-3]),
        ("in the last year", []),
        ("the first year of operation", []),
    ],
)
def test_the_first_and_the_last_years_of_a_period(text: str, counts: list[int]) -> None:
    assert [edge.count for edge in find_period_edges(text)] == counts


def test_the_last_year_of_a_period_is_not_the_year_before() -> None:
    assert find_relative_periods("in that last year of the period") == ()
    assert [relative.offset for relative in find_relative_periods("in the last year")] == [-1]


NUMBERS = st.sampled_from(
    ["2013", "2014", "2008", "2019", "20142007", "31", "29", "30", "12/11", "$", "-", "/", ".", ","]
)
PIECES = NUMBERS | st.sampled_from(
    ["december", "dec", "february", "to", "and", "q4", "first", "quarter", "fiscal", "year", "ended", " "]
)
TEXT = st.one_of(
    st.text(max_size=60), st.lists(PIECES, max_size=12).map(" ".join), st.lists(PIECES, max_size=8).map("".join)
)


@given(TEXT)
def test_any_text_gives_ordered_mentions(text: str) -> None:
    position = 0
    for mention in find_periods(text):
        assert position <= mention.start < mention.end <= len(text)
        assert 1950 <= mention.period.year < 2100
        position = mention.end
    assert isinstance(parse_period(text, 2010), Period | None)
    assert all(text[found.start : found.end] for found in find_relative_periods(text))
    assert all(text[edge.start : edge.end] for edge in find_period_edges(text))


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("2017/2018", [2018]),
        ("in 2017/18", [2018]),
        ("fiscal 1999/00", [2000]),
        ("in 2018/2019 and 2017/2018", [2019, 2018]),
        ("2018/20", []),
        ("12/31/2018", [2018]),
    ],
)
def test_a_year_of_two_numbers_is_the_fiscal_year_that_ends_in_the_second(text: str, years: list[int]) -> None:
    assert [mention.period.year for mention in find_periods(text)] == years
