"""Single numbers: printed ones, measures by formula, and earlier measurements at another time."""

from collections.abc import Iterator, Sequence
from math import log

from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import terms as terms_of
from quaestor.facts.lines import Moment
from quaestor.facts.table import Series
from quaestor.plan.steps import Constant
from quaestor.questions.developments import asks_for_change, asks_what_became
from quaestor.solvers.embedded.filings.composing.finding import CHANGES, find_rest, list_future_years
from quaestor.solvers.embedded.filings.composing.formulas import FormulaTerms, spell_at
from quaestor.solvers.embedded.filings.composing.meanings import (
    OperandMeaning,
    read_meanings,
    read_whole_meanings,
)
from quaestor.solvers.embedded.filings.composing.question import BoundQuestion, Proposal, log_share

_MOST = 8
_AFTER = lazy_regex(r"\b(?:after|beyond|later than) (?:fiscal )?(?:year )?20\d\d\b")
_STATED = 0.5
"""Score of the plan for an investment's value."""
_INVESTED, _FEW = 100, 2
"""Initial value of a performance graph, and a number of values that is too small for one."""
_OTHER_TIME = 0.6
"""Certainty of a number at the latest time instead of the last answer's."""


def list_moments(question: BoundQuestion) -> Sequence[Moment | None]:
    """Return the possible times of a single number, in order of preference; None means the latest."""
    if question.moments:
        return question.moments[:1]
    return (*question.wanted[:1], None)


def spell_value(question: BoundQuestion, meaning: OperandMeaning, terms: FormulaTerms, label: str = "") -> str | None:
    """Return the formula of a meaning at the requested time, or None."""
    for rank, moment in enumerate(list_moments(question)):
        text = meaning.spell(moment, terms, label)
        if text is not None:
            terms.score += rank * log(_OTHER_TIME)
            return text
    return None


def propose_value(
    question: BoundQuestion,
    meaning: OperandMeaning,
    score: float,
    form: str = "value",
    formula: str = "{}",
    **constants: Constant,
) -> Iterator[Proposal]:
    """Yield the number of a meaning at the requested time, or a formula over it; nothing if the filing lacks it."""
    terms = FormulaTerms(question.table)
    text = spell_value(question, meaning, terms)
    if text is not None:
        yield from terms.propose(formula.format(text), form, score, **constants)


def is_change(series: Series) -> bool:
    """Return whether a series is called a change in its label, heading or column."""
    named = {*series.line.label_terms, *series.line.path_terms, *series.column}
    return series.first.change or not CHANGES.isdisjoint(named)


def _means_change(question: BoundQuestion, meaning: OperandMeaning) -> bool:
    """Return whether a meaning is itself a change, by its name."""
    if meaning.kind == "measure":
        return not CHANGES.isdisjoint(question.reading.whole.terms)  # only lexicon phrases have these terms
    return not meaning.series or is_change(meaning.series[0])


def propose_values(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans for a single number; none if the question names several times."""
    yield from _propose_investment(question)
    if len(question.moments) > 1:
        return
    if found := list(_propose_rest(question)):
        yield from found
        return
    moves = asks_for_change(question.text)
    for meaning in read_whole_meanings(question)[:_MOST]:
        if moves and not _means_change(question, meaning):
            continue
        form = "value" if meaning.kind == "series" else meaning.kind
        yield from propose_value(question, meaning, log_share(meaning.share), form)


def _propose_rest(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield the payments after the last year of a schedule, if a question asks for those after that year."""
    if not question.looks_ahead or not _AFTER.search(question.text):
        return
    for meaning in read_meanings(question)[:_MOST]:
        years = list_future_years(meaning.series[0], question.table) if meaning.series else ()
        if not years or years[-1].year != question.moments[0].year:
            continue
        rest, terms = find_rest(meaning.series[0], question.table), FormulaTerms(question.table)
        text = spell_at(rest, None, terms) if rest is not None else None
        yield from terms.propose(text, "value", log_share(meaning.share))


def _propose_investment(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield the value of a $100 investment, from a line of a performance graph; of the company if no other is named.

    A question names the time of the investment, the last time, or both.
    """
    if not asks_what_became(question.text):
        return
    table, question_terms = question.table, set(terms_of(question.text))
    found: list[tuple[int, bool, Series]] = []
    for line in table.lines:
        for series in table.series_of_line[line.place]:
            if len(times := _list_times(series)) > _FEW and series.cells[times[0]].quantity.value == _INVESTED:
                label = set(line.label_terms)
                named = {term for term in label & question_terms - table.company if not term[0].isdigit()}
                found.append((len(named), not label.isdisjoint(table.company), series))
    if not found:
        return
    series = max(found, key=lambda one: one[:2])[2]
    times = _list_times(series)
    ends = [moment.end for moment in question.moments if moment.end > times[0].end]
    moment = next((time for time in times if ends and time.end >= max(ends)), times[-1])
    terms = FormulaTerms(table)
    yield from terms.propose(terms.add(series, moment, series.cells[moment]), "value", _STATED)


def _list_times(series: Series) -> list[Moment]:
    """Return the times of a series in order."""
    return sorted((moment for moment in series.cells if moment is not None), key=lambda moment: moment.end)
