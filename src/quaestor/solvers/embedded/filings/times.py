"""When a question about a filing asks for: the times that it names, in the company's fiscal calendar."""

from collections.abc import Sequence
from datetime import date

from quaestor.facts.moments import Moment
from quaestor.facts.table import FactTable
from quaestor.questions.understanding import AskedMoment, Reading

_LAST_DAY = 28
_FAR = 50
_FEW = 3
_YEAR = 12


def resolve_moments(reading: Reading, table: FactTable, base: Moment | None) -> tuple[Moment, ...]:
    """Return the times that a question names; empty if it names none.

    Args:
        table: Whose calendar and latest period count.
        base: The time that was talked about before, which "the year before" counts from; None for the latest.
    """
    found: list[Moment] = []
    part = next((asked for asked in reading.moments if asked.year is None and asked.months), None)
    moments = [asked for asked in reading.moments if not _begins_bucket(asked, reading, table)]
    named = [asked for asked in moments if asked.back is None and asked.count is None]
    for asked in moments:
        if asked.back is not None and asked.latest and found and named:
            # "this half against last year": a year before the time that is named beside it
            found.append(found[0].before(years=asked.back))
            continue
        if (asked is part or (asked.is_year_end and asked.back is None)) and any(
            other.year is not None or other.back is not None for other in moments
        ):
            continue  # "in the second quarter of last year": part of another time
        for moment in _resolve(asked, table, base or table.latest, part):
            if moment not in found:
                found.append(moment)
    return tuple(found)


def _begins_bucket(asked: AskedMoment, reading: Reading, table: FactTable) -> bool:
    """Return whether a year only tells when a part of the time to come begins: "due after 2030"."""
    bucket = reading.bucket
    return bucket is not None and bucket.covers(asked.start, asked.end) and (bucket.year or 0) > table.latest.year


def _resolve(asked: AskedMoment, table: FactTable, base: Moment, part: AskedMoment | None) -> Sequence[Moment]:
    if asked.count is not None:
        return _several_years(asked, table, base)
    if asked.month is not None:
        return [_end_of_month(asked, asked.month, table)]
    if asked.is_year_end:
        return [Moment(table.latest.year - (asked.back or table.latest.quarter < 4), 4, 0)]
    if asked.year is not None or asked.quarter is not None:
        return [_named(asked, table.latest, base, part)]
    return _relative(asked, table.latest, base)


def _several_years(asked: AskedMoment, table: FactTable, base: Moment) -> Sequence[Moment]:
    """Return the years that are meant together: as many as are said, else those that the statements have."""
    if asked.back is not None and asked.year is None:
        return [base.before(years=back) for back in range(asked.back, asked.back + (asked.count or 1))]
    last = table.latest if asked.year is None else Moment(asked.year, 4, 12)
    years = {m.year for line in table.lines if line.role.is_statement for m in line.moments if m.months == 12}
    most = len([year for year in years if year <= last.year]) or _FEW
    return [last.before(years=back) for back in range(asked.count or min(most, _FEW))]


def _end_of_month(asked: AskedMoment, month: int, table: FactTable) -> Moment:
    """Return the end of a month; without a year, of the last one that is reported."""
    latest, calendar = table.latest, table.calendar

    def moment(year: int) -> Moment:
        day = date(year, month, _LAST_DAY)
        return Moment(calendar.year_of(day), calendar.quarter_of(day), asked.months or 0)

    if asked.year is not None:
        return moment(asked.year)
    years = (latest.year + 1, latest.year, latest.year - 1)
    return next((found for year in years if (found := moment(year)).end <= latest.end), moment(latest.year))


def _named(asked: AskedMoment, latest: Moment, base: Moment, part: AskedMoment | None) -> Moment:
    """Return a year or a quarter that is named; of a year the part that is named beside it."""
    year = asked.year if asked.year is not None else base.year
    year -= 100 * (year > latest.year + _FAR)  # "fy97"
    quarter, months = asked.quarter, asked.months
    if quarter is None and part is not None and part is not asked:
        quarter, months = part.quarter or latest.quarter, part.months
    if quarter is None and latest.months != _YEAR and year in (latest.year, latest.year - 1):
        return Moment(year, latest.quarter, base.months or latest.months)
    return Moment(year, quarter or 4, _YEAR if quarter is None else 3 if months is None else months)


def _relative(asked: AskedMoment, latest: Moment, base: Moment) -> Sequence[Moment]:
    """Return a time that is named by its distance to the latest one, or to the one that was talked about."""
    if asked.back is not None:
        # "last year" of an annual report is the one that it reports.
        return [latest if asked.latest and latest.months == _YEAR else base.before(years=asked.back)]
    if asked.quarters_back is not None:
        return [Moment(*latest.before(quarters=asked.quarters_back).end, 3)]
    if asked.to_date:
        return [Moment(latest.year, latest.quarter, 3 * latest.quarter)]
    if asked.months is not None and not asked.latest:
        return [Moment(latest.year, 4 if asked.months == _YEAR else latest.quarter, asked.months)]
    return [latest] if asked.latest else []
