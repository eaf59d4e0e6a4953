"""Schedules: what falls due, or is expected, in each of the years to come."""

import re
from collections.abc import Sequence

from quaestor.core.terms import terms
from quaestor.facts.moments import Moment
from quaestor.facts.table import FactTable, Series
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
_MOST, _NEAR = 3, 4


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
    found = [
        (_fit(series, wanted, asked), series)
        for series in table.series
        if len(years_to_come(series, table)) >= _LEAST_YEARS
    ]
    found = sorted((one for one in found if one[0] > 0), key=lambda one: -one[0])[:_MOST]
    shares = softmax([_SURE * fit for fit, _ in found])
    return [Bound(series, share) for (_, series), share in zip(found, shares, strict=True)]


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
