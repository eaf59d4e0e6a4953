"""What the words of a question are bound to: times, and for each operand the series that it may mean."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np
from numpy.typing import NDArray

from quaestor.core.patterns import lazy_regex
from quaestor.documents.table import TableRole
from quaestor.facts.lines import Moment
from quaestor.facts.table import FactTable, Series
from quaestor.questions.understanding import MomentQuery, ParsedQuestion, QuestionOperand

_LAST_DAY = 28
_FAR = 50
_FEW = 3
_FISCAL = lazy_regex(r"\bfiscal\b|\bfy", re.IGNORECASE)
_QUARTERS = 4
_YEAR = 12


def resolve_moments(reading: ParsedQuestion, table: FactTable, base: Moment | None) -> tuple[Moment, ...]:
    """Return the times that a question names; empty if it names none.

    Args:
        table: Supplies the fiscal calendar and the latest period.
        base: The time of the previous turn, from which "the year before" is counted; None for the latest.
    """
    found: list[Moment] = []
    part = next((query for query in reading.moments if query.year is None and query.months), None)
    named = [query for query in reading.moments if query.back is None and query.count is None]
    for query in reading.moments:
        if query.back is not None and query.latest and found and named:
            # "this half against last year": a year before the other named time
            found.append(found[0].before(years=query.back))
            continue
        if (query is part or (query.is_year_end and query.back is None)) and any(
            other.year is not None or other.back is not None for other in reading.moments
        ):
            continue  # "in the second quarter of last year": part of another time
        for moment in _resolve(query, table, base or table.latest, part):
            if moment not in found:
                found.append(moment)
    return tuple(found)


def read_other_times(reading: ParsedQuestion, table: FactTable) -> tuple[Moment, ...]:
    """Return alternative times that a question's years may mean; empty if it names other times, or if there are none.

    "Total assets in 2024" of a report on June 30, 2025 are those of the last balance sheet of 2024. "In 2025" is fiscal
    2024 if that ended in February 2025 and is the latest.
    """
    latest = table.latest
    years: list[int] = []
    for query in reading.moments:
        if query.year is None or query.quarter or query.month or query.months or query.to_date or query.count == 0:
            return ()
        years += [query.year - back for back in range(query.count or 1)]
    if latest.quarter == _QUARTERS:
        ends_later = table.calendar.end.year == table.calendar.year + 1 and max(years, default=0) == latest.year + 1
        named = ends_later and not _FISCAL.search(reading.text)
        return tuple(Moment(year - 1, _QUARTERS, _YEAR) for year in dict.fromkeys(years)) if named else ()
    ends = (Moment(year, latest.quarter if year == latest.year else _QUARTERS, 0) for year in dict.fromkeys(years))
    return tuple(ends)


def _resolve(query: MomentQuery, table: FactTable, base: Moment, part: MomentQuery | None) -> Sequence[Moment]:
    if query.count is not None:
        return _resolve_years(query, table, base)
    if query.month is not None:
        return [_find_end_of_month(query, query.month, table)]
    if query.is_year_end:
        return [Moment(table.latest.year - (query.back or table.latest.quarter < 4), 4, 0)]
    if query.year is not None or query.quarter is not None:
        return [_resolve_named(query, table.latest, base, part)]
    found = _resolve_relative(query, table.latest, base)
    if part is None or part is query or query.quarters_back is not None or not part.months:
        return found
    # "in the first half, this year and last"
    quarter = part.quarter or (_QUARTERS if part.months == _YEAR else table.latest.quarter)
    return [Moment(moment.year, quarter, part.months) for moment in found]


def _resolve_years(query: MomentQuery, table: FactTable, base: Moment) -> Sequence[Moment]:
    """Return a range of years: as many as the question asks for, else those in the statements."""
    if query.back is not None and query.year is None:
        return [base.before(years=back) for back in range(query.back, query.back + (query.count or 1))]
    last = table.latest if query.year is None else Moment(query.year, 4, 12)
    years = {m.year for line in table.lines if line.role.is_statement for m in line.moments if m.months == 12}
    most = len([year for year in years if year <= last.year]) or _FEW
    return [last.before(years=back) for back in range(query.count or min(most, _FEW))]


def _find_end_of_month(query: MomentQuery, month: int, table: FactTable) -> Moment:
    """Return the end of a month; without a year, its latest reported occurrence."""
    latest, calendar = table.latest, table.calendar

    def moment(year: int) -> Moment:
        day = date(year, month, _LAST_DAY)
        return Moment(calendar.year_of(day), calendar.quarter_of(day), query.months or 0)

    if query.year is not None:
        return moment(query.year)
    years = (latest.year + 1, latest.year, latest.year - 1)
    return next((found for year in years if (found := moment(year)).end <= latest.end), moment(latest.year))


def _resolve_named(query: MomentQuery, latest: Moment, base: Moment, part: MomentQuery | None) -> Moment:
    """Return a named year or quarter, or the part of the year that the question names as well."""
    year = query.year if query.year is not None else base.year
    year -= 100 * (year > latest.year + _FAR)  # "fy97"
    quarter, months = query.quarter, query.months
    if quarter is None and part is not None and part is not query:
        quarter, months = part.quarter or latest.quarter, part.months
    if quarter is None and latest.months != _YEAR and year in (latest.year, latest.year - 1):
        return Moment(year, latest.quarter, base.months or latest.months)
    return Moment(year, quarter or 4, _YEAR if quarter is None else 3 if months is None else months)


def _resolve_relative(query: MomentQuery, latest: Moment, base: Moment) -> Sequence[Moment]:
    """Return a time given relative to the latest period or to the base."""
    if query.back is not None:
        # "last year" in an annual report is the reported year.
        return [latest if query.latest and latest.months == _YEAR else base.before(years=query.back)]
    if query.quarters_back is not None:
        return [Moment(*latest.before(quarters=query.quarters_back).end, 3 if query.months is None else query.months)]
    if query.to_date:
        return [Moment(latest.year, latest.quarter, 3 * latest.quarter)]
    if query.months is not None and not query.latest:
        return [Moment(latest.year, 4 if query.months == _YEAR else latest.quarter, query.months)]
    return [latest] if query.latest else []


@dataclass(frozen=True, slots=True)
class OperandQuery:
    """Query for the series that an operand may mean.

    Attributes:
        moments: The requested times; empty if the question names none.
        before: The series from which the last answers were read, latest first.
        inherited: Terms of earlier questions that the question may build on.
        goes_on: Whether the question refers to an earlier one.
        place: The index of the operand in the question: 0 or 1.
        percent: Whether a percentage is requested.
        count: Whether the question asks how many.
        intent: The probability of each intent, in the order of `INTENTS`.
        ignored: Terms that name the company itself.
        role: The table that the question names ("per the balance sheet"), or None.
        basis: `gaap` or `adjusted` if the question names a basis, else "".
        kinds: The probability of each kind of answer, in the order of `KINDS`.
        sentences: The probability that a sentence answers the question, by section and index, likeliest first.
        sources: The sentences from which earlier answers were read, by section and index.
        total: Whether a total is requested.
        quoted: The labels, as terms, of the lines that the operand quotes.
    """

    operand: QuestionOperand
    moments: tuple[Moment, ...] = ()
    before: tuple[Series, ...] = ()
    inherited: frozenset[str] = frozenset()
    goes_on: bool = False
    place: int = 0
    relation: str = ""
    percent: bool = False
    count: bool = False
    intent: tuple[float, ...] = ()
    ignored: frozenset[str] = frozenset()
    role: TableRole | None = None
    basis: str = ""
    kinds: tuple[float, ...] = ()
    sentences: Mapping[tuple[str, int], float] = field(default_factory=dict)
    sources: tuple[tuple[str, int], ...] = ()
    total: bool = False
    quoted: frozenset[tuple[str, ...]] = frozenset()

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms to search for."""
        return tuple(found for found in self.operand.terms if found not in self.ignored)


@dataclass(frozen=True, slots=True)
class SeriesCandidates:
    """The series that an operand may mean.

    `features` has the shape (candidates, features).
    """

    series: tuple[Series, ...]
    names: tuple[str, ...]
    features: NDArray[np.float32] = field(repr=False)
