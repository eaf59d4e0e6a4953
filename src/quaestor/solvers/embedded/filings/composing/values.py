"""Single numbers: what is printed, what a measure's formula gives, what was measured before at another time."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log

from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import terms as terms_of
from quaestor.facts.lines import Moment
from quaestor.facts.table import Series
from quaestor.plan.steps import Extract, Plan
from quaestor.questions.investments import asks_what_became
from quaestor.questions.stated_operation import asks_for_spread
from quaestor.solvers.embedded.filings.composing.finding import find_excluded_member
from quaestor.solvers.embedded.filings.composing.meant import (
    Meant,
    build_meant,
    read_meant,
    read_whole,
    repeat_node,
    swap_member,
)
from quaestor.solvers.embedded.filings.composing.question import Proposal, Question, Terms, log_share

_MOST = 8
_LOSS = lazy_regex(
    r"\b(?:loss(?:es)?|lose|lost|burn(?:ed|t)?|outflow|deficit|shortfall|charges?|red ink|sav(?:e|es|ed)|shav(?:e|ed)"
    r"|(?:take|takes|took|taken|knock\w*|came) off|releas\w+|writ\w+[ -]off|write-?offs?)\b"
)
_PROFIT = lazy_regex(r"\b(?:income|profit|earnings|gains?|change)\b")
_HIGH, _LOW = terms_of("high low")
_EXTREME = lazy_regex(r"\b(?:(?P<high>highest|high|peak|maximum)|lowest|low|minimum)\b")
_PRICE = lazy_regex(r"\b(?:(?:share|stock|closing|sales?|trading|market) price|stock|traded?|closing|close)\b")
_WHICH = lazy_regex(r"\b(?:which|when)\b")
_STATED = 0.5
"""Added to the score of what is less the member that a question leaves out."""
_INVESTED, _FEW = 100, 2
"""What a performance graph begins with, and numbers too few for one."""
_OTHER_TIME = 0.6
"""How sure a number is that is of the latest time, not of the one that was talked about."""


def list_moments(question: Question) -> Sequence[Moment | None]:
    """Return the times at which one number may be wanted, in order; None is the latest."""
    if question.moments:
        return question.moments[:1]
    return (*question.wanted[:1], None)


def spell_value(question: Question, meant: Meant, terms: Terms, label: str = "") -> str | None:
    """Return the formula of something at the time that is asked for; None if there is no number."""
    for rank, moment in enumerate(list_moments(question)):
        text = meant.spell(moment, terms, label)
        if text is not None:
            terms.score += rank * log(_OTHER_TIME)
            return text
    return None


def propose_values(question: Question) -> Iterator[Proposal]:
    """Yield what a question may mean as one number; of several times that are named it is a list, if at all."""
    yield from propose_investment(question)
    if len(question.moments) > 1:
        return
    yield from propose_printed_extremes(question)
    yield from _subtract_member(question)
    for meant in (*read_whole(question)[:_MOST], *repeat_measured(question)):
        terms = Terms(question.table)
        text = spell_value(question, meant, terms)
        if text is not None and (
            made := terms.proposal(text, "value" if meant.kind == "series" else meant.kind, log_share(meant.share))
        ):
            yield _drop_sign(made) if _asks_for_loss(question.text) else made


def propose_printed_extremes(question: Question) -> Iterator[Proposal]:
    """Yield the highest or the lowest price of the lines or columns "high" and "low", over the quarters asked for."""
    found = _EXTREME.search(question.text)
    if found is None or not _PRICE.search(question.text) or _WHICH.search(question.text):
        return
    terms = Terms(question.table)
    text = _spell_extreme(question, terms, high=bool(found["high"]))
    if text is not None and (made := terms.proposal(text, "value", _STATED)):
        yield made


def propose_price_spread(question: Question) -> Iterator[Proposal]:
    """Yield the highest less the lowest price of the lines or columns "high" and "low", over the quarters asked for."""
    terms = Terms(question.table)
    if not asks_for_spread(question.text) or (high := _spell_extreme(question, terms, high=True)) is None:
        return
    low = _spell_extreme(question, terms, high=False, table=terms.series[0].line.table)
    if low is not None and (made := terms.proposal(f"{high} - {low}", "change", _STATED)):
        yield made


def _spell_extreme(question: Question, terms: Terms, *, high: bool, table: int | None = None) -> str | None:
    """Return the formula of the highest or the lowest price, in the first or a given table of prices."""
    wanted, other = (_HIGH, _LOW) if high else (_LOW, _HIGH)
    tables = {series.line.table for series in question.table.series if other in _list_names(series)}
    year = (*question.wanted, question.table.latest)[0].year
    quarters = [moment for moment in question.moments if moment.months in (0, 3)]
    asked = [(moment.year, moment.quarter) for moment in quarters if moment.months == 3] or [
        (year, quarter) for quarter in (1, 2, 3, 4)
    ]
    for series in question.table.series:
        if _list_names(series) != {wanted} or series.line.table not in tables or series.line.sentence:
            continue
        if table is not None and series.line.table != table:
            continue
        cells = {(moment.year, moment.quarter): moment for moment in series.cells if moment is not None}
        names = [terms.add(series, cells[at], series.cells[cells[at]]) for at in asked if at in cells]
        if names:
            return names[0] if len(names) == 1 else f"{'max' if high else 'min'}({', '.join(names)})"
    return None


def propose_investment(question: Question) -> Iterator[Proposal]:
    """Yield what $100 became, as a line says that has all of its numbers from 100 on: of the company if none is named.

    A question names the time of the investment, the last time, or both.
    """
    if not asks_what_became(question.text):
        return
    table, asked = question.table, set(terms_of(question.text))
    found: list[tuple[int, bool, Series]] = []
    for line in table.lines:
        for series in table.series_of_line[line.place]:
            if len(times := _list_times(series)) > _FEW and series.cells[times[0]].quantity.value == _INVESTED:
                label = set(line.label_terms)
                named = {term for term in label & asked - table.company if not term[0].isdigit()}
                found.append((len(named), not label.isdisjoint(table.company), series))
    if not found:
        return
    series = max(found, key=lambda one: one[:2])[2]
    times = _list_times(series)
    ends = [moment.end for moment in question.moments if moment.end > times[0].end]
    moment = next((time for time in times if ends and time.end >= max(ends)), times[-1])
    terms = Terms(table)
    if made := terms.proposal(terms.add(series, moment, series.cells[moment]), "value", _STATED):
        yield made


def _list_times(series: Series) -> list[Moment]:
    """Return the times of a series, the first one first."""
    return sorted((moment for moment in series.cells if moment is not None), key=lambda moment: moment.end)


def _list_names(series: Series) -> set[str]:
    """Return what a series is called by: its label, and its column beside it."""
    label = set(series.line.label_terms)
    return (label & {_HIGH, _LOW} if len(label) == 1 else set[str]()) | ({*series.column} & {_HIGH, _LOW})


def _subtract_member(question: Question) -> Iterator[Proposal]:
    """Yield a whole less the member that the question leaves out: "revenue outside the US"."""
    for meant in read_meant(question)[:_MOST] if question.left_out else ():
        member = find_excluded_member(meant.series[0], question) if meant.kind == "series" else None
        terms = Terms(question.table)
        whole = spell_value(question, meant, terms) if member is not None else None
        if member is None or whole is None or not terms.moments:
            continue
        part = build_meant(member, 1.0).spell(terms.moments[-1], terms, "")
        if (
            part is not None
            and part != whole
            and (made := terms.proposal(f"{whole} - {part}", "difference", log_share(meant.share) + _STATED))
        ):
            yield made


def _asks_for_loss(text: str) -> bool:
    """Return whether a question asks for a loss or an outflow, whose size is given without a minus."""
    return bool(_LOSS.search(text)) and not _PROFIT.search(text)


def _drop_sign(proposal: Proposal) -> Proposal:
    """Return a single number as its magnitude."""
    steps = proposal.plan.steps
    if len(steps) != 1 or not isinstance(steps[0], Extract):
        return proposal
    return replace(proposal, plan=Plan((replace(steps[0], reading="magnitude"),)))


def repeat_measured(question: Question) -> Iterator[Meant]:
    """Yield what was computed last, for the member that the question names."""
    if question.last is not None and question.own:
        yield from swap_member(question, question.last)
    elif question.last is not None and question.moments and question.last.form in ("sum", "average"):
        yield repeat_node(question.last.measured[0], 0.3)
