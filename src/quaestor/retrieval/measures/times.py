"""The times that a question for a measure is of: one, two that are compared, or several years in a row.

Which periods are of one time, `moments` says.
"""

from collections.abc import Sequence

from quaestor.core.periods import Period
from quaestor.questions.measures import AskedMeasure
from quaestor.retrieval.measures.moments import Moment, moments_asked

_MOST = 12
_QUARTER = 3

Times = tuple[Moment, ...]
"""Those of one answer, in the order in which it has them."""


class PeriodFinder:
    """Finds the times that a question may mean."""

    def __init__(self, moments: Sequence[Moment], *, flows: bool, balances: bool) -> None:
        """Take the times of the document, and whether figures of a duration and of a day are asked for."""
        self._moments, self._flows, self._balances = moments, flows, balances

    def of(self, asked: AskedMeasure) -> Sequence[Times]:
        """Return the times that a question may mean, the likeliest first; none if one of them is lacking."""
        if asked.form in ("average", "average_change") or (asked.form == "value" and asked.last_years):
            return self._years(asked)
        match asked.form:
            case "growth_rate":
                return [(times[0], times[-1]) for times in self._years(asked)]
            case "change" | "percentage_change" | "higher" | "lower":
                return self._two(asked.periods)
        if len(asked.periods) > 1:
            each = [self._at(period)[:1] for period in asked.periods[:_MOST]]
            return [tuple(found[0] for found in each)] if all(each) else []
        found = self._at(asked.periods[0] if asked.periods else None)
        if asked.offset:
            return [(before,) for moment in found for before in self._before(moment, -asked.offset)[:1]]
        return [(moment,) for moment in found if not asked.months or _is_of_months(moment, asked.months)]

    def _at(self, period: Period | None) -> Sequence[Moment]:
        return moments_asked(self._moments, period, flows=self._flows, balances=self._balances)

    def _at_any(self) -> Sequence[Moment]:
        return [m for m in self._moments if m.flow is not None or not self._flows]

    def _years(self, asked: AskedMeasure) -> Sequence[Times]:
        """The years from the first to the last that is named, or so many up to the latest, the earliest first."""
        if asked.last_years:
            latest = [moment for moment in self._at(None) if moment.is_year][:1]
            each = [self._before(latest[0], n)[:1] for n in range(min(asked.last_years, _MOST))][::-1] if latest else []
        else:
            named = sorted({period.year for period in asked.periods})
            if not named:
                # Of no time in particular: all years in a row that there are.
                whole_years = sorted({m.year for m in self._at_any() if m.is_year})
                named = [whole_years[0], whole_years[-1]] if len(whole_years) > 1 else []
            years = range(named[0], named[-1] + 1) if len(named) == 2 else tuple(named)
            whole = ([m for m in self._at(Period("year", year)) if m.is_year][:1] for year in years[: _MOST + 1])
            each = list(whole) if 1 < len(years) <= _MOST else []
        return [tuple(found[0] for found in each)] if each and all(each) else []

    def _two(self, periods: Sequence[Period]) -> Sequence[Times]:
        """Two times that are compared, the earlier first: both as they are named, else one and the year before it."""
        if len(periods) > 1:
            earlier, later = sorted(periods[:2], key=lambda period: (period.year, period.month or 0))
            pairs = [(one, other) for other in self._at(later) for one in self._at(earlier)]
            return [pair for pair in pairs if pair[0] != pair[1] and (not self._flows or _last_alike(*pair))]
        later_ones = self._at(periods[0] if periods else None)
        return [(before, later) for later in later_ones for before in self._before(later, 1)[:1]]

    def _before(self, moment: Moment, years: int) -> Sequence[Moment]:
        """The same time so many years earlier; of balances alone, of a part of a year, the last day of that year."""
        if moment.flow is None or (not self._flows and not moment.is_year):
            return self._at(Period("year", moment.balance.year - years)) if moment.balance is not None else ()
        same = [m for m in self._moments if m.flow is not None and m.year == moment.year - years]
        return [m for m in same if _last_alike(m, moment) and (not self._balances or m.balance is not None)]


def _is_of_months(moment: Moment, months: int) -> bool:
    """Whether the flow of a time lasts so many months; a balance is of any."""
    if moment.flow is None:
        return True
    return months == (_QUARTER if moment.flow.kind == "quarter" else moment.flow.months or 0)


def _last_alike(one: Moment, other: Moment) -> bool:
    """Whether the flows of two times are of as many months."""
    if one.flow is None or other.flow is None:
        return one.flow is other.flow
    return (one.flow.kind, one.flow.months) == (other.flow.kind, other.flow.months)
