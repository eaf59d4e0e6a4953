import pytest

from quaestor.conversation.meaning import period_words
from quaestor.core.periods import Period


@pytest.mark.parametrize(
    ("period", "words"),
    [
        (Period("year", 2008), "2008"),
        (Period("quarter", 2008, quarter=3), "the third quarter of 2008"),
        (Period("month", 2008, month=9), "september 2008"),
        (Period("date", 2008, month=12, day=31), "december 31, 2008"),
        (Period("range", 2006, last=2010), "2006 to 2010"),
        (Period("range", 2020), "2020 and after"),
    ],
)
def test_periods_in_words(period: Period, words: str) -> None:
    assert period_words(period) == words
