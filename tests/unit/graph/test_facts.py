from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.periods import Period
from quaestor.graph.facts import period_code, read_period_code, year_of

YEARS = st.integers(1950, 2099)
PERIODS = st.one_of(
    st.builds(lambda y: Period("year", y), YEARS),
    st.builds(lambda y, q: Period("quarter", y, quarter=q), YEARS, st.integers(1, 4)),
    st.builds(lambda y, m: Period("month", y, month=m), YEARS, st.integers(1, 12)),
    st.builds(lambda y, m, d: Period("date", y, month=m, day=d), YEARS, st.integers(1, 12), st.integers(1, 28)),
    st.builds(lambda y, n: Period("range", y, last=y + n), YEARS, st.integers(1, 9)),
    st.builds(lambda y: Period("range", y), YEARS),
)


@given(PERIODS)
def test_a_period_survives_its_code(period: Period) -> None:
    assert read_period_code(period_code(period)) == period


def test_the_year_of_a_range_is_its_last() -> None:
    assert year_of(Period("range", 2006, last=2010)) == 2010
    assert year_of(Period("range", 2006)) == 2006
    assert year_of(None) is None
