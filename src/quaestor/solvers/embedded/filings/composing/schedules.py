"""Schedules: what falls due, or is expected, in each of the years to come."""

import re
from collections.abc import Iterator, Sequence

from quaestor.core.terms import terms
from quaestor.facts.moments import Moment
from quaestor.facts.table import FactTable, Series
from quaestor.questions.buckets import Bucket, bucket_of_label
from quaestor.solvers.embedded.filings.composing.question import Bound, Question, softmax

_DUE = re.compile(r"\b(?:due(?! to\b)|matur(?:e|es|ing|ity|ities)|principal|repa(?:y|id|yment)\w*|thereafter)\b")
_DUE_WORDS = frozenset(terms("due mature maturity maturities principal repay repayment come fall payment pay schedule"))
_DEBT = frozenset(terms("debt note notes borrowing borrowings principal bond bonds debenture loan loans"))
_OTHER = frozenset(
    terms(
        "lease leases rent purchase obligation pension benefit retiree retirement plan amortization intangible "
        "interest tax commitment award compensation"
    )
)
_NOTE = frozenset(terms("note notes"))
(_REST,) = terms("thereafter")
_LEAST_YEARS = 3
_SURE = 6.0
"""How strongly schedules that fit better are preferred."""
_AROUND = 0.5
"""What a word of the title of a table counts beside one of the labels of a line."""
_TOTAL = 0.2
"""Likewise a total, beside its parts."""
_ALONE = 0.2
"""Likewise a schedule beside which its table has none of leases and the like: with those, debts have their interest."""
_MOST, _NEAR = 3, 4
_LEAST_FIT = 0.3
"""How well years and totals must fit, which any schedule has; other parts of the time to come are printed seldom."""
_YEAR = 12
_SAME_LINE = 1.5
"""What the probability that a line, or another of its table, is meant counts for its part of the time to come."""


def asks_what_is_due(question: Question) -> bool:
    """Return whether a question asks what falls due in years to come."""
    return bool(_DUE.search(question.text))


def read_schedules(question: Question) -> list[Bound]:
    """Return the schedules that a question may mean, the likeliest first; of debts if it does not say of what."""
    table = question.table
    own = {term for operand in question.reading.operands for term in operand.terms} - table.company
    asked = own - _DUE_WORDS
    if not asked and question.last is not None:
        asked = {term for series in question.last.series[:2] for term in series.line.label_terms}
    wanted = _DEBT if (asked | own) & _DEBT else frozenset(asked & _OTHER) or _DEBT
    schedules = [series for series in table.series if len(years_to_come(series, table)) >= _LEAST_YEARS]
    mixed = {series.line.table for series in schedules if not _OTHER.isdisjoint(series.line.label_terms)}
    fits = [(_fit(series, wanted, asked), series) for series in schedules]
    found = [(fit + _ALONE * (series.line.table not in mixed), series) for fit, series in fits if fit > 0]
    found = sorted(found, key=lambda one: -one[0])[:_MOST]
    shares = softmax([_SURE * fit for fit, _ in found])
    return [Bound(series, share) for (_, series), share in zip(found, shares, strict=True)]


def read_buckets(question: Question) -> list[tuple[Bound, Moment | None]]:
    """Return what may fall due in the part of the time to come that a question names, and when it is dated.

    The time is that of the year if the part is one of the years of a schedule, and None if the part is printed as such.
    """
    bucket = question.reading.bucket
    if bucket is None:
        return []
    table = question.table
    own = {term for operand in question.reading.operands for term in operand.terms} - table.company
    asked = own - _DUE_WORDS
    if not asked and question.last is not None:
        asked = {term for series in question.last.series[:2] for term in series.line.label_terms}
    likely = tuple(reversed(question.operands[0])) if question.operands else ()
    of_line = {one.series.line.place: one.share for one in likely}
    of_table = {one.series.line.table: one.share for one in likely}
    found = []
    for series, moment, is_row in _parts_of_future(bucket, table):
        line = series.line
        names = {
            *line.path_terms,
            *series.column,
            *terms(_words(series.concept)),
            *(() if is_row else line.label_terms),
        }
        said = sum(1.0 if term in names else _AROUND * (term in line.title_terms) for term in asked) / max(
            1, len(asked)
        )
        sure = of_table.get(line.table, 0.0) if is_row else of_line.get(line.place, 0.0)
        fit = said + _SAME_LINE * sure + _TOTAL * ("total" in names)
        if fit > (_LEAST_FIT if bucket.is_all or moment is not None else 0.0):
            found.append((fit, series, moment))
    found = sorted(found, key=lambda one: -one[0])[:_MOST]
    shares = softmax([_SURE * fit for fit, _, _ in found])
    return [(Bound(series, share), moment) for (_, series, moment), share in zip(found, shares, strict=True)]


def _parts_of_future(bucket: Bucket, table: FactTable) -> Iterator[tuple[Series, Moment | None, bool]]:
    """Yield what a part of the time to come is called by, its time if that is a year, and whether its line names it."""
    latest = table.latest
    begins = bucket.begins(latest.year)
    last: dict[int, int] = {}
    called: list[tuple[Series, Bucket, bool]] = []
    for series in table.series:
        line = series.line
        if line.sentence:
            continue
        years = years_to_come(series, table)
        if len(years) > 1:
            last[line.table] = max(last.get(line.table, 0), years[-1].year)
            if (begins, bucket.until) == (0, _YEAR) and years[0].year == latest.year + 1:
                yield series, years[0], False
        of_row = bucket_of_label(line.label)
        if (label := of_row or bucket_of_label(table.column_label(series.first))) is not None:
            called.append((series, label, of_row is not None))
    schedules = {*last, *(series.line.table for series, label, _ in called if not label.is_all)}
    for series, label, is_row in called:
        ends = last.get(series.line.table)
        if bucket.is_all or label.is_all:
            same = bucket.is_all and label.is_all and series.line.table in schedules
        elif label.rest:
            same = bucket.rest or (bucket.until is None and ends is not None and begins == _YEAR * (ends - latest.year))
        else:
            same = (label.after, label.until) == (begins, bucket.until) and not bucket.rest
        if same:
            yield series, None, is_row


def years_to_come(series: Series, table: FactTable) -> Sequence[Moment]:
    """Return the years after the latest period that a series has numbers of, the earliest first."""
    return sorted(m for m in series.cells if m is not None and m.end > table.latest.end and m.months in (0, 12))


def find_rest(series: Series, table: FactTable) -> Series | None:
    """Return what falls due after the last year of a schedule; None if no line beside it gives it."""
    own = {*series.line.label_terms, *series.line.path_terms, *series.column}
    found = [
        one
        for place in range(series.line.place, series.line.place + _NEAR)
        for one in table.series_of_line.get(place, ())
        if one.line.table == series.line.table and _REST in {*one.line.label_terms, *one.column}
    ]
    return max(found, key=lambda one: (set(one.column) <= own, len(own & set(one.column))), default=None)


def _fit(series: Series, wanted: frozenset[str], asked: set[str]) -> float:
    """Return how well a schedule is called after what falls due: by its labels, else by the words around them."""
    line = series.line
    names = {*line.label_terms, *line.path_terms, *series.column, *terms(_words(series.concept))}
    # A title that names something else as well, or "Note 7" alone, says little.
    around = frozenset() if line.title_terms & _OTHER - wanted else line.title_terms - _NOTE
    if names & _OTHER - wanted or not (names | around) & wanted:
        return 0.0
    said = sum(1.0 if term in names else _AROUND * (term in line.title_terms) for term in asked) / max(1, len(asked))
    return (1.0 if names & wanted else _AROUND) + _AROUND * said + _TOTAL * ("total" in names)


def _words(concept: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", concept.partition(":")[2])
