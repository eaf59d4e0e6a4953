"""What the words of a question are bound to: times, and for each operand the series that it may mean."""

import re
from calendar import monthrange
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quaestor.core.patterns import lazy_regex
from quaestor.facts.lines import Moment
from quaestor.facts.table import FactTable, Series
from quaestor.questions.understanding import MomentQuery, ParsedQuestion, QuestionOperand
from quaestor.solvers.embedded.filings.past import PastAnswer, list_last_moments
from quaestor.solvers.embedded.filings.translation import Translation

_LAST_DAY = 28
_FAR = 50
_FEW = 3
_WHOLE_YEAR = lazy_regex(r"\byear\b|\bfy|\bannual", re.IGNORECASE)
_FISCAL = lazy_regex(r"\bfiscal\b|\bfy", re.IGNORECASE)


def resolve_moments(
    reading: ParsedQuestion, table: FactTable, base: Moment | None, trail: Sequence[Moment] = ()
) -> tuple[Moment, ...]:
    """Return the times that a question names; empty if it names none.

    Args:
        table: Supplies the fiscal calendar and the latest period.
        base: The time of the previous turn, from which "the year before" is counted; None for the latest.
        trail: The times of the last answers: "in those two years".
    """
    found: list[Moment] = []
    has_year = any(query.is_plain_year for query in reading.moments)
    parts = (
        query
        for query in reading.moments
        if query.year is None and (query.months or (query.to_date and has_year)) and not query.again
    )
    part = next(parts, None)
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
        repeated = _repeat_trail(query, trail)
        known = base if base is not None and not (query.again and base.end > table.latest.end) else table.latest
        for moment in repeated or _repeat_part(query, reading, table, base) or _resolve(query, table, known, part):
            if moment not in found:
                found.append(moment)
    return tuple(found)


def _repeat_trail(query: MomentQuery, trail: Sequence[Moment]) -> Sequence[Moment]:
    """Return the times of the last answers if a question refers to them, or the years that contain them."""
    if not query.again or query.back is not None or len(trail) != (query.count or len(trail)):
        return ()
    return [Moment(moment.year, 4, 12) for moment in trail] if query.months else trail


def _repeat_part(query: MomentQuery, reading: ParsedQuestion, table: FactTable, base: Moment | None) -> list[Moment]:
    """Return the quarter of the last question in another year: "and in 2023?"; empty if the table does not have it."""
    is_short = query.is_plain_year and reading.goes_on and not reading.terms and not _WHOLE_YEAR.search(reading.text)
    if base is None or base.months in (0, 12) or not is_short:
        return []
    same = replace(base, year=query.year or base.year)
    return [same] if same in table.lines_at else []


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
    if latest.quarter == 4:
        ends_later = table.calendar.end.year == table.calendar.year + 1 and max(years, default=0) == latest.year + 1
        named = ends_later and not _FISCAL.search(reading.text)
        return tuple(Moment(year - 1, 4, 12) for year in dict.fromkeys(years)) if named else ()
    ends = (Moment(year, latest.quarter if year == latest.year else 4, 0) for year in dict.fromkeys(years))
    return tuple(ends)


def _resolve(query: MomentQuery, table: FactTable, base: Moment, part: MomentQuery | None) -> Sequence[Moment]:
    if query.count is not None:
        return _resolve_years(query, table, base)
    if query.month is not None:
        return [_find_end_of_month(query, query.month, table)]
    if query.is_year_end:
        year = base.year if query.again else table.latest.year
        return [Moment(year - (query.back or table.latest.quarter < 4), 4, 0)]
    if query.year is not None or query.quarter is not None:
        return [_resolve_named(query, table, base, part)]
    found = _resolve_relative(query, table.latest, base)
    if part is None or part is query or query.quarters_back is not None or not part.months:
        return found
    # "in the first half, this year and last"
    quarter = part.quarter or (4 if part.months == 12 else table.latest.quarter)
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
        day = date(year, month, min(query.day or _LAST_DAY, monthrange(year, month)[1]))
        found = Moment(calendar.year_of(day), calendar.quarter_of(day), query.months or 0)
        named = (replace(found, months=months, month=month) for months in (1, 0))
        return next((one for one in named if one in table.lines_at), found)

    if query.year is not None:
        return moment(query.year)
    years = (latest.year + 1, latest.year, latest.year - 1)
    return next((found for year in years if (found := moment(year)).end <= latest.end), moment(latest.year))


def _resolve_named(query: MomentQuery, table: FactTable, base: Moment, part: MomentQuery | None) -> Moment:
    """Return a named year or quarter, or the part of the year that the question names as well."""
    latest = table.latest
    year = query.year if query.year is not None else base.year
    year -= 100 * (year > latest.year + _FAR)  # "fy97"
    quarter, months = query.quarter, query.months
    if quarter is None and part is not None and part is not query:
        quarter, months = part.quarter or latest.quarter, part.months or 3 * latest.quarter
    is_printed = Moment(year, 4, 12) in table.lines_at
    if quarter is None and latest.months != 12 and year in (latest.year, latest.year - 1) and not is_printed:
        return Moment(year, latest.quarter, base.months or latest.months)
    return Moment(year, quarter or 4, 12 if quarter is None else 3 if months is None else months)


def _resolve_relative(query: MomentQuery, latest: Moment, base: Moment) -> Sequence[Moment]:
    """Return a time given relative to the latest period or to the base."""
    if query.back is not None:
        # "last year" in an annual report is the reported year.
        moment = latest if query.latest and latest.months == 12 else base.before(years=query.back)
        return [replace(moment, months=query.months or moment.months)]
    if query.quarters_back is not None:
        return [Moment(*latest.before(quarters=query.quarters_back).end, 3 if query.months is None else query.months)]
    if query.to_date:
        return [Moment(latest.year, latest.quarter, 3 * latest.quarter)]
    if query.months is not None and not query.latest:
        return [Moment(latest.year, 4 if query.months == 12 else latest.quarter, query.months)]
    return [latest] if query.latest else []


@dataclass(frozen=True, slots=True)
class QuestionProbabilities:
    """Probabilities of what a question asks for.

    Attributes:
        intents: The probability of each of `INTENTS`.
        kinds: The probability of each of `KINDS`.
        sentences: The probability that a sentence answers it, by section and index, likeliest first.
    """

    intents: NDArray[np.float64]
    kinds: NDArray[np.float64]
    sentences: Mapping[tuple[str, int], float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TurnState:
    """State of the conversation before a question.

    Attributes:
        base: The time of the last question; None before the first.
        series: The series from which the last answer was read, in the order of its plan.
        moments: The times of the last answer, else those that the last question named.
        terms: The terms of the last question; of earlier ones, too, if it has few.
        turns: The number of turns.
        before: The last answers, latest first.
        falls: Whether the last question asked for a decrease.
        intent: The intent of the last question, from the form of its answer; "" before the first.
        sentences: The sentences from which answers were read, by section and index, latest last.
        kind: The kind of the last answer; "" before the first.
        rights: The probabilities that the answers are right, latest last.
        question: The text of the last question.
        previous: The state before the last question; None before the first.
    """

    base: Moment | None = None
    series: tuple[Series, ...] = ()
    moments: tuple[Moment, ...] = ()
    terms: frozenset[str] = frozenset()
    turns: int = 0
    before: tuple[PastAnswer, ...] = ()
    falls: bool = False
    intent: str = ""
    sentences: tuple[tuple[str, int], ...] = ()
    kind: str = ""
    rights: tuple[float, ...] = ()
    question: str = ""
    previous: "TurnState | None" = None

    @property
    def trail(self) -> tuple[Moment, ...]:
        """The times of the last answer, or of the last two if each has one, in the order of the questions."""
        return list_last_moments(self.before)


@dataclass(frozen=True, slots=True)
class OperandQuery:
    """Query for the series that an operand may mean.

    Attributes:
        reading: The question of the operand.
        moments: The requested times; empty if the question names none.
        state: The state of the conversation before the question.
        likely: The probabilities of what the question asks for.
        place: The index of the operand in the question: 0 or 1.
        percent: Whether a percentage is requested.
        count: Whether the question asks how many.
        ignored: Terms that name the company itself.
        quoted: The labels, as terms, of the lines that the operand quotes.
        translation: The words of questions for the words of lines.
    """

    operand: QuestionOperand
    reading: ParsedQuestion
    moments: tuple[Moment, ...]
    state: TurnState
    likely: QuestionProbabilities
    place: int = 0
    percent: bool = False
    count: bool = False
    ignored: frozenset[str] = frozenset()
    quoted: frozenset[tuple[str, ...]] = frozenset()
    translation: Translation = field(default_factory=Translation)

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms to search for."""
        return tuple(found for found in self.operand.terms if found not in self.ignored)


@dataclass(frozen=True)
class SeriesCandidates:
    """The series that an operand may mean.

    Attributes:
        measure: Returns the names of the features and their matrix with the shape (candidates, features).
    """

    series: tuple[Series, ...]
    measure: Callable[[], tuple[tuple[str, ...], NDArray[np.float32]]] = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        return self._measured[0]

    @property
    def features(self) -> NDArray[np.float32]:
        """The features, with the shape (candidates, features)."""
        return self._measured[1]

    @cached_property
    def _measured(self) -> tuple[tuple[str, ...], NDArray[np.float32]]:
        return self.measure()
