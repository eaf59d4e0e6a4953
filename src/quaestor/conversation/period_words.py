"""Periods in words, for descriptions; and the one period of several."""

from collections.abc import Sequence

from quaestor.core.periods import Period

_MONTHS = "january february march april may june july august september october november december".split()
_QUARTERS = ("first", "second", "third", "fourth")


def period_words(period: Period) -> str:
    """Return a period for people: "2008", "the third quarter of 2008", "december 31, 2008", "2006 to 2010"."""
    match period.kind:
        case "quarter":
            return f"the {_QUARTERS[(period.quarter or 1) - 1]} quarter of {period.year}"
        case "month":
            return f"{_MONTHS[(period.month or 1) - 1]} {period.year}"
        case "date":
            return f"{_MONTHS[(period.month or 1) - 1]} {period.day}, {period.year}"
        case "span":
            return f"the {period.months} months to {_MONTHS[(period.month or 1) - 1]} {period.year}"
        case "range":
            return f"{period.year} and after" if period.last is None else f"{period.year} to {period.last}"
        case _:
            return str(period.year)


def shown_period(period: Period) -> str:
    """Return the words that a period adds to what is of it: " in 2008", " at december 31, 2008"."""
    return f" {'at' if period.kind == 'date' else 'in'} {period_words(period)}"


def shortened_period(period: Period, among: Sequence[Period]) -> Period:
    """Return a date or month as its year, where no other of the periods around it is of that year."""
    alone = len({other for other in among if other.year == period.year}) <= 1
    return Period("year", period.year) if alone and period.kind in ("date", "month") else period


def spanned_period(periods: tuple[Period, ...]) -> Period | None:
    """Return the one period of a result; where it spans several, the years from first to last; else the latest."""
    years = {period.year for period in periods}
    if len(years) > 1 and all(period.kind != "range" for period in periods):
        return Period("range", min(years), last=max(years))
    return max(periods, key=period_order, default=None)


def period_order(period: Period) -> tuple[int, int, int, int]:
    """Return what puts periods in the order of their ends."""
    return (period.last or period.year, period.quarter or 0, period.month or 0, period.day or 0)
