"""Numbers of a series at a time: as printed, or put together from longer and shorter periods."""

from collections.abc import Mapping, Sequence

from quaestor.facts.lines import FactCell
from quaestor.facts.moments import Moment
from quaestor.facts.table import FactTable, Series
from quaestor.solvers.embedded.filings.composing.question import Terms, log_share

_Span = tuple[int, int]
"""The quarters that a period begins and ends with, counted from year 0; the end is behind it."""

_YEAR = 12
_PUT_TOGETHER = 0.8
"""How sure a number is that is put together from those of other periods, beside one that is printed."""
_UNDATED = 0.5
"""How sure a number without a known time is of the latest one."""


def pick_cell(
    series: Series, wanted: Sequence[Moment], table: FactTable, *, strict: bool
) -> tuple[Moment | None, FactCell] | None:
    """Return the number of a series at the first of some times; without any, at the latest.

    Args:
        wanted: The times, in order of preference.
        table: Whose latest period counts if no time is given.
        strict: Whether a number without a known time is refused.
    """
    for want in wanted:
        if (found := _pick_at(series, want)) is not None:
            return found
    if wanted and strict:
        return None
    timed = [moment for moment in series.cells if moment is not None]
    if wanted and timed:
        return None
    latest = table.latest
    for moment in (latest, Moment(*latest.end, 0), Moment(latest.year, latest.quarter, 3 * latest.quarter)):
        if moment in series.cells:
            return moment, series.cells[moment]
    if timed:
        past = [moment for moment in timed if moment.end <= latest.end] or timed
        last = max(past, key=lambda moment: (moment.end, moment.months))
        return last, series.cells[last]
    cell = series.cells.get(None)
    return None if cell is None else (None, cell)


def _pick_at(series: Series, want: Moment) -> tuple[Moment, FactCell] | None:
    exact = series.cells.get(want)
    if exact is not None:
        return want, exact
    near = [moment for moment in series.cells if moment is not None and moment.end == want.end]
    instants = [moment for moment in near if moment.months == 0]
    if instants:
        return instants[0], series.cells[instants[0]]
    if near and want.months == _YEAR and all(moment.months == 1 for moment in near):
        return near[0], series.cells[near[0]]  # "December 2023" over a column of a balance: its last day
    if near and want.months == 0:
        longest = max(near, key=lambda moment: moment.months)
        return longest, series.cells[longest]
    return _pick_by_year(series, want) if want.year in series.line.years else None


def _pick_by_year(series: Series, want: Moment) -> tuple[Moment, FactCell] | None:
    """Return the number of a line that names the year of a time, and when it is.

    A sentence that names the year may date its number by a day in it, or by its own date. A line may be called by a
    year, as notes are by that in which they fall due: its latest number is meant. The number of a quarter is of it.
    """
    timed = {moment: cell for moment, cell in series.cells.items() if moment is not None}
    if want.months not in (0, 12):
        timed = {at: cell for at, cell in timed.items() if at.end == want.end and at.months <= 1}
    elif of_year := [at for at in timed if at.year == want.year]:
        return of_year[0], timed[of_year[0]]
    if timed:
        at = next(iter(timed)) if series.line.sentence else max(timed)
        return at, timed[at]
    return (want, series.cells[None]) if None in series.cells else None


def spell_at(
    series: Series, moment: Moment | None, terms: Terms, label: str = "", *, signed: bool = False
) -> str | None:
    """Return a formula of the number of a series at a time, or at the latest; None if it has none.

    Args:
        moment: The time; None for the latest.
        terms: What the numbers are added to.
        signed: Whether they keep their printed sign.
    """
    picked = pick_cell(series, () if moment is None else (moment,), terms.table, strict=moment is not None)
    if picked is not None:
        return terms.add(series, *picked, signed=signed, label=label)
    assert moment is not None
    undated = series.cells.get(None)
    if undated is not None and len(series.cells) == 1 and moment.end == terms.table.latest.end:
        terms.score += log_share(_UNDATED)
        return terms.add(series, None, undated, signed=signed, label=label)
    for other in _same_elsewhere(series, terms.table):
        if other.first.concept and (found := _pick_at(other, moment)) is not None:
            return terms.add(other, *found, signed=signed, label=label)
    if moment.months < 3:
        return None
    spans = _spans_of(series, terms.table)
    formula = _put_together(_span_of(moment), spans, terms, label)
    if formula is not None:
        terms.score += log_share(_PUT_TOGETHER)
        terms.moments.append(moment)
    return formula


def _span_of(moment: Moment) -> _Span:
    end = 4 * moment.year + moment.quarter
    return end - moment.months // 3, end


def _spans_of(series: Series, table: FactTable) -> Mapping[_Span, tuple[Series, Moment, FactCell]]:
    """Return the numbers of a series by their periods, with those of series that are the same elsewhere."""
    found: dict[_Span, tuple[Series, Moment, FactCell]] = {}
    for one in (series, *_same_elsewhere(series, table)):
        for moment, cell in one.cells.items():
            if moment is not None and moment.months in (3, 6, 9, 12):
                found.setdefault(_span_of(moment), (one, moment, cell))
    return found


def _same_elsewhere(series: Series, table: FactTable) -> list[Series]:
    if not series.concept:
        return []
    label = set(series.line.label_terms)
    return [
        other
        for line in table.by_concept.get(series.concept, ())
        for other in table.series_of_line[line.place]
        if other.place != series.place and other.concept == series.concept
        and other.members == series.members and other.column == series.column
        and (line.tagged or label <= set(line.label_terms))
        and other.first.scale == series.first.scale
    ]  # fmt: skip


def _put_together(
    want: _Span, spans: Mapping[_Span, tuple[Series, Moment, FactCell]], terms: Terms, label: str
) -> str | None:
    """Return a difference or a sum of periods: the second half is the year less the first."""
    begin, end = want

    def named(span: _Span) -> str:
        series, moment, cell = spans[span]
        return terms.add(series, moment, cell, label=label)

    if want in spans:
        return named(want)
    for longer in spans:
        rest = (end, longer[1]) if longer[0] == begin else (longer[0], begin) if longer[1] == end else None
        if rest is not None and rest[0] < rest[1] and rest in spans:
            return f"({named(longer)} - {named(rest)})"
    for part in sorted(spans, key=lambda span: span[0] - span[1]):
        if part[0] == begin and part[1] < end:
            rest_of = _put_together((part[1], end), spans, terms, label)
            if rest_of is not None:
                return f"({named(part)} + {rest_of})"
    for year in spans:  # the last quarter is the year less three quarters
        if year[1] == end and year[0] < begin:
            others = [(at, at + 1) for at in range(year[0], begin)]
            if end - begin == 1 and all(other in spans for other in others):
                return f"({named(year)} - {' - '.join(map(named, others))})"
    return None
