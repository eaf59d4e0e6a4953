"""When a question about a filing asks for: the times that it names, in the company's fiscal calendar."""

from collections.abc import Sequence
from datetime import date

from quaestor.facts.moments import Moment
from quaestor.facts.table import FactTable
from quaestor.questions.understanding import AskedMoment, Reading

_LAST_DAY = 28
_FAR = 50


def resolve_moments(reading: Reading, table: FactTable, base: Moment | None) -> tuple[Moment, ...]:
    """Return the times that a question names; empty if it names none.

    Args:
        reading: The question.
        table: Whose calendar and latest period count.
        base: The time that was talked about before, which "the year before" counts from; None for the latest.
    """
    found: list[Moment] = []
    part = next((asked for asked in reading.moments if asked.year is None and asked.months), None)
    named = [asked for asked in reading.moments if asked.back is None and asked.count is None]
    for asked in reading.moments:
        if asked.back is not None and asked.latest and found and named:
            # "this half against last year": a year before the time that is named beside it
            found.append(found[0].before(years=asked.back))
            continue
        if asked is part and any(other.year is not None or other.back is not None for other in reading.moments):
            continue  # "in the second quarter of last year": part of another time
        for moment in _resolve(asked, table, base or table.latest, part):
            if moment not in found:
                found.append(moment)
    return tuple(found)


def _resolve(asked: AskedMoment, table: FactTable, base: Moment, part: AskedMoment | None) -> Sequence[Moment]:
    latest = table.latest
    if asked.count is not None:
        last = latest if asked.year is None else Moment(asked.year, 4, 12)
        years = sorted(
            {m.year for line in table.lines if line.role.is_statement for m in line.moments if m.months == 12}
        )
        most = len([year for year in years if year <= last.year]) or 3
        return [last.before(years=back) for back in range(asked.count or min(most, 3))]
    if asked.month is not None:
        year = asked.year or (latest.year if latest.months == 12 else table.calendar.end.year)
        day = date(year, asked.month, _LAST_DAY)
        if asked.year is None:
            ends = {
                (table.calendar.quarter_of(date(latest.year + shift, asked.month, _LAST_DAY)), shift)
                for shift in (-1, 0, 1)
            }
            shift = next(
                (s for q, s in sorted(ends, key=lambda pair: -pair[1])
                 if (table.calendar.year_of(date(latest.year + s, asked.month, _LAST_DAY)), q) <= latest.end),
                0,
            )  # fmt: skip
            day = date(latest.year + shift, asked.month, _LAST_DAY)
        return [Moment(table.calendar.year_of(day), table.calendar.quarter_of(day), asked.months or 0)]
    if asked.year is not None or asked.quarter is not None:
        year = asked.year if asked.year is not None else base.year
        year -= 100 * (year > latest.year + _FAR)  # "fy97"
        quarter, months = asked.quarter, asked.months
        if quarter is None and part is not None and part is not asked:
            quarter, months = part.quarter or latest.quarter, part.months
        if quarter is None and latest.months != 12 and year in (latest.year, latest.year - 1):
            return [Moment(year, latest.quarter, base.months or latest.months)]
        return [Moment(year, quarter or 4, 12 if quarter is None else months or 3)]
    if asked.back is not None:
        if asked.latest and latest.months == 12:  # the last year that is reported
            return [latest]
        return [base.before(years=asked.back)]
    if asked.quarters_back is not None:
        return [Moment(*latest.before(quarters=1).end, 3)]
    if asked.to_date:
        return [Moment(latest.year, latest.quarter, 3 * latest.quarter)]
    if asked.latest:
        return [latest]
    if asked.months is not None:
        quarter = 4 if asked.months == 12 else latest.quarter
        return [Moment(latest.year, quarter, asked.months)]
    return []
