"""Schedules of payments that fall due in future years."""

import re
from collections.abc import Sequence

from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import terms
from quaestor.facts.lines import Moment
from quaestor.facts.table import FactTable, Series
from quaestor.solvers.embedded.filings.composing.question import BoundOperand, BoundQuestion, softmax

_DUE = lazy_regex(r"\b(?:due(?! to\b)|matur(?:e|es|ing|ity|ities)|principal|repa(?:y|id|yment)\w*|thereafter)\b")
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
_SHARPNESS = 6.0
"""Factor of the softmax that prefers better matching schedules."""
_IN_TITLE = 0.5
"""Weight of a word in the title of a table, relative to one in a line's labels."""
_TOTAL = 0.2
"""Bonus for totals."""
_UNMIXED = 0.2
"""Bonus for schedules in tables without leases and the like, because mixed tables include interest in debts."""
_MOST, _NEAR = 3, 4


def asks_what_is_due(question: BoundQuestion) -> bool:
    """Return whether a question asks for payments that fall due in future years."""
    return bool(_DUE.search(question.text))


def read_schedules(question: BoundQuestion) -> list[BoundOperand]:
    """Return the schedules that a question may mean, likeliest first; those of debts if it names no kind of payment."""
    table = question.table
    own = {term for operand in question.reading.operands for term in operand.terms} - table.company
    schedule_terms = own - _DUE_WORDS
    if not schedule_terms and question.last is not None:
        schedule_terms = {term for series in question.last.series[:2] for term in series.line.label_terms}
    wanted = _DEBT if (schedule_terms | own) & _DEBT else frozenset(schedule_terms & _OTHER) or _DEBT
    schedules = [series for series in table.series if len(list_future_years(series, table)) >= _LEAST_YEARS]
    mixed = {series.line.table for series in schedules if not _OTHER.isdisjoint(series.line.label_terms)}
    fits = [(_measure_fit(series, wanted, schedule_terms), series) for series in schedules]
    found = [(fit + _UNMIXED * (series.line.table not in mixed), series) for fit, series in fits if fit > 0]
    found = sorted(found, key=lambda one: -one[0])[:_MOST]
    shares = softmax([_SHARPNESS * fit for fit, _ in found])
    return [BoundOperand(series, share) for (_, series), share in zip(found, shares, strict=True)]


def list_future_years(series: Series, table: FactTable) -> Sequence[Moment]:
    """Return the years after the latest period for which a series has numbers, in order."""
    return sorted(m for m in series.cells if m is not None and m.end > table.latest.end and m.months in (0, 12))


def find_rest(series: Series, table: FactTable) -> Series | None:
    """Return the series, next to a schedule, for payments after its last year, or None."""
    own = {*series.line.label_terms, *series.line.path_terms, *series.column}
    found = [
        one
        for place in range(series.line.place, series.line.place + _NEAR)
        for one in table.series_of_line.get(place, ())
        if one.line.table == series.line.table and _REST in {*one.line.label_terms, *one.column}
    ]
    return max(found, key=lambda one: (set(one.column) <= own, len(own & set(one.column))), default=None)


def _measure_fit(series: Series, wanted: frozenset[str], schedule_terms: set[str]) -> float:
    """Return how well the labels of a schedule, and the words around it, match the requested payments."""
    line = series.line
    concept = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", series.concept.partition(":")[2])
    names = {*line.label_terms, *line.path_terms, *series.column, *terms(concept)}
    # A title that also names other payments, or only "Note 7", does not count.
    around = frozenset() if line.title_terms & _OTHER - wanted else line.title_terms - _NOTE
    if names & _OTHER - wanted or not (names | around) & wanted:
        return 0.0
    fit = sum(1.0 if term in names else _IN_TITLE * (term in line.title_terms) for term in schedule_terms) / max(
        1, len(schedule_terms)
    )
    return (1.0 if names & wanted else _IN_TITLE) + _IN_TITLE * fit + _TOTAL * ("total" in names)
