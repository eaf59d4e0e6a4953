"""Input of the composers: a question bound to series, and the terms of a formula."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log
from typing import Literal

from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Scale
from quaestor.core.terms import terms
from quaestor.errors import PlanError
from quaestor.facts.lines import FactCell, Moment
from quaestor.facts.table import FactTable, Series
from quaestor.plan.expressions import parse_expression
from quaestor.plan.steps import Constant, Extract, Plan, counted
from quaestor.questions.understanding import ParsedQuestion, QuestionOperand
from quaestor.solvers.embedded.filings.past import COMPARATIVES, PastAnswer

LEAST = 1e-6
"""Added to probabilities to avoid the logarithm of 0."""

_EXCLUDED = lazy_regex(
    r"(?:\b(?:outside(?: of)?|other than|except(?: for)?|besides|apart from|beyond|leav(?:e|ing) out|excluding)"
    r"|^(?:and )?(?:after|behind|next to)(?= [^\d,]{2,40}, (?:who|which|what|in which)\b)) (?:the )?"
    r"((?:[a-z]\.){2,4}|[\w'&-]{2,30}(?: states| kingdom)?)"
)
_OUTFLOW = lazy_regex(
    r"\b(?:payments?|paid|purchases?|purchased|repurchases?|repurchased|repayments?|repaid|expenses?|costs?|dividends?"
    r"|expenditures?|additions|acquisitions?|provision|charges?|used|investments? in|taxes withheld|buybacks?|interest"
    r"|vested|forfeit\w*|exercised|expired|cancel+ed|settled|settlements?|redeemed|redemptions?|retired|retirements?"
    r"|released|write-?offs?|written[ -]off|charged[ -]off|allowances?|accumulated (?:depreciation|amortization)"
    r"|treasury (?:stock|shares))\b|^less\b", re.IGNORECASE
)  # fmt: skip
"""Words in labels of outflows and deductions."""
_INCOME_TAX = lazy_regex(r"\bincome tax")
"""Phrase that is removed from labels, so that an income tax provision does not count as income."""
_NET_OUTFLOW = lazy_regex(
    r"net (?:additions|purchases|payments|repayments|repurchases|capital expenditures|charge-?offs)\b"
)
_COUNTED = lazy_regex(r"\b(?:shares?|units?|rsus?|psus?|awards|options)\b", re.IGNORECASE)
_BOTH_WAYS = lazy_regex(
    r"\b(?:net|changes?|increase|decrease|gains?|loss|losses|income|profit|earnings|eps|per|activity|adjustments?|effect)\b",
    re.IGNORECASE,
)
"""Words in labels of numbers whose sign is meaningful."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Candidate series of an operand, with its probability."""

    series: Series
    share: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """Plan that may answer a question.

    Attributes:
        score: The logarithm of its probability.
        form: The kind of computation: `value`, `growth`, `ratio`.
        series: The series of its numbers.
        features: Input of the confidence model.
    """

    plan: Plan
    score: float
    form: str
    series: tuple[Series, ...]
    moments: tuple[Moment, ...]
    features: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BoundQuestion:
    """Question with the candidate series of its operands: the input of all composers.

    Attributes:
        intents: The probability of each intent.
        operands: The series that each operand may mean, likeliest first.
        base: The time of the previous turn, or the latest.
        before: The last answers that were read from the document, latest first.
        falls: Whether the last question asked for a decrease.
        bind: Returns the series that other words may mean.
    """

    reading: ParsedQuestion
    table: FactTable
    intents: Mapping[str, float]
    operands: tuple[tuple[Bound, ...], ...]
    moments: tuple[Moment, ...]
    base: Moment
    before: tuple[PastAnswer, ...]
    falls: bool
    bind: Callable[[QuestionOperand], tuple[Bound, ...]]

    @property
    def text(self) -> str:
        """The question in lower case, with a marker for each line that it quotes."""
        return self.reading.operation_text

    @property
    def own(self) -> bool:
        """Whether the question names something to measure."""
        return any(self.names(place) for place in range(len(self.reading.operands)))

    def names(self, place: int) -> bool:
        """Return whether an operand names something to measure, instead of only an operation."""
        operands = self.reading.operands
        if place >= len(operands):
            return False
        named = set(operands[place].terms) - COMPARATIVES
        # "% of sales in the later one" names only sales.
        of_whole = len(operands) == 2 and place == 0 and self.reading.relation in ("ratio", "part")
        return bool(named) and not (of_whole and self.last is not None and named <= set(operands[1].terms))

    @property
    def left_out(self) -> frozenset[str]:
        """The terms of the excluded member: "outside the US", "after Japan, which country is largest?"."""
        found = _EXCLUDED.search(self.text)
        return frozenset(terms(found[1])) if found else frozenset()

    @property
    def last(self) -> PastAnswer | None:
        """The last answer that was read from the document."""
        return self.before[0] if self.before else None

    @property
    def looks_ahead(self) -> bool:
        """Whether all named times are in the future, so that schedules of payments apply."""
        return bool(self.moments) and min(self.moments).end > self.table.latest.end

    @property
    def wanted(self) -> Sequence[Moment]:
        """The named times, else that of the previous turn; empty if there is none."""
        if self.moments:
            return self.moments
        return (self.last.anchor,) if self.last is not None and self.last.anchor is not None else ()


class FormulaTerms:
    """Numbers of a formula by variable name.

    Attributes:
        amounts: Their amounts by variable name.
        score: The logarithm of the probability that they are the right ones.
    """

    def __init__(self, table: FactTable) -> None:
        self.table = table
        self.variables: dict[str, Extract] = {}
        self.amounts: dict[str, float] = {}
        self.series: list[Series] = []
        self.moments: list[Moment] = []
        self.score = 0.0

    def copy(self) -> "FormulaTerms":
        """Return a copy for `restore`."""
        other = FormulaTerms(self.table)
        other.restore(self)
        return other

    def restore(self, other: "FormulaTerms") -> None:
        """Restore the state of a copy."""
        self.variables, self.series, self.amounts = dict(other.variables), list(other.series), dict(other.amounts)
        self.moments, self.score = list(other.moments), other.score

    def add(
        self, series: Series, moment: Moment | None, cell: FactCell, *, signed: bool = False, label: str = ""
    ) -> str:
        """Add a number, and return its variable name."""
        extract = extract_cell(cell, series, self.table, signed=signed)
        if label:
            extract = replace(extract, label=label)
        for name, known in self.variables.items():
            if known == extract:
                return name
        name = f"x{len(self.variables)}"
        self.variables[name] = extract
        self.amounts[name] = cell.amount
        self.series.append(series)
        if moment is not None:
            self.moments.append(moment)
        return name

    def proposal(self, formula: str, form: str, score: float, **constants: Constant) -> Proposal | None:
        """Return the plan of a formula over the numbers and constants, or None if the formula is invalid."""
        try:
            plan = parse_expression(formula, {**self.variables, **constants})
        except PlanError:
            return None
        return Proposal(plan, score + self.score, form, tuple(self.series), tuple(self.moments))


def extract_cell(cell: FactCell, series: Series, table: FactTable, *, signed: bool = False) -> Extract:
    """Return the step that extracts a number; outflows lose their sign."""
    out = cell.quantity.value < 0 and not signed and _is_outflow(cell, series, table)
    label = ", ".join(part for part in (series.line.label, table.column_label(cell)) if part)
    # The scale of money in running text may not be printed next to the number; other quantities are in ones.
    money = cell.quantity.unit is not None and cell.quantity.unit.isupper()
    stated = cell.scale is cell.quantity.scale and (money or cell.scale is not Scale.ONE)
    scale, unit = (cell.scale, None) if series.line.sentence and not stated else _find_tag_scale(cell, table)
    way: Literal["magnitude", "signed"] = "magnitude" if out else "signed"
    return Extract(1, cell.ref, label, cell.quantity, way, label_scale=scale, label_unit=unit)


def _find_tag_scale(cell: FactCell, table: FactTable) -> tuple[Scale | None, str | None]:
    """Return the scale and unit of a cell's tag if they differ from those in the labels around it."""
    if not isinstance(cell.ref, CellRef):
        return None, None
    printed, row, column = table.document.table(cell.ref.table), cell.ref.row, cell.ref.column
    named = counted(cell.quantity, printed.scale_at(row, column), printed.unit_at(row, column))
    return (None, None) if (named.scale, named.unit) == (cell.scale, cell.unit) else (cell.scale, cell.unit)


def _is_outflow(cell: FactCell, series: Series, table: FactTable) -> bool:
    """Return whether a negative number is the size of an outflow; signs of a line with both signs are meaningful."""
    fact = table.document.fact(cell.ref)
    if fact is not None and fact.value is not None:
        return fact.value > 0
    if any(other.quantity.value > 0 for other in series.line.cells if other.column == cell.column):
        return False
    around = " ".join((series.line.label, *series.line.path[-1:], *series.column))
    if _COUNTED.search(around) and not _BOTH_WAYS.search(around):
        return cell.quantity.scale is not Scale.PERCENT  # a count of shares is never negative
    label = _INCOME_TAX.sub("", series.line.label.lower())
    if (
        not _OUTFLOW.search(label)
        or label.startswith("benefit")
        or (label.startswith("net ") and not _NET_OUTFLOW.match(label))
    ):
        return False
    return "net cash" not in label and "income" not in label


def log_share(share: float) -> float:
    """Return the logarithm of a probability that may be 0."""
    return log(share + LEAST)


def softmax(scores: Sequence[float]) -> list[float]:
    """Return probabilities in proportion to the exponentials of scores."""
    best = max(scores, default=0.0)
    odds = [exp(score - best) for score in scores]
    return [one / sum(odds) for one in odds]


_Span = tuple[int, int]
"""First quarter of a period and the quarter after its last one, counted from year 0."""

_YEAR = 12
_DERIVED = 0.8
"""Certainty of a number derived from other periods, relative to a printed one."""
_LEAST_SAME = 2
_UNDATED = 0.5
"""Certainty that an undated number belongs to the latest period."""


def pick_cell(
    series: Series, wanted: Sequence[Moment], table: FactTable, *, strict: bool
) -> tuple[Moment | None, FactCell] | None:
    """Return a series' number at the first time of `wanted` that it has; without `wanted`, the latest.

    Args:
        wanted: The times, in order of preference.
        table: Supplies the latest period if no time is given.
        strict: Whether to reject undated numbers.
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
        return near[0], series.cells[near[0]]  # "December 2023" over a column of balances: the last day of the month
    if near and want.months == 0:
        longest = max(near, key=lambda moment: moment.months)
        return longest, series.cells[longest]
    return _pick_by_year(series, want) if want.year in series.line.years else None


def _pick_by_year(series: Series, want: Moment) -> tuple[Moment, FactCell] | None:
    """Return the number of a line whose text names the year of a time, with the number's own time.

    A sentence that names the year may date its number by a day in it, or by its own date. A line may have a year in its
    name, like notes by the year they fall due: then its latest number is meant. A quarter needs its own number.
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
    series: Series, moment: Moment | None, terms: FormulaTerms, label: str = "", *, signed: bool = False
) -> str | None:
    """Return a formula for the number of a series at a time, or None.

    Args:
        moment: The time; None for the latest.
        terms: Receives the numbers.
        signed: Whether the numbers keep their printed sign.
    """
    picked = pick_cell(series, () if moment is None else (moment,), terms.table, strict=moment is not None)
    if picked is not None:
        return terms.add(series, *picked, signed=signed, label=label)
    assert moment is not None
    undated = series.cells.get(None)
    if undated is not None and len(series.cells) == 1 and moment.end == terms.table.latest.end:
        terms.score += log_share(_UNDATED)
        return terms.add(series, None, undated, signed=signed, label=label)
    for other in _find_same_elsewhere(series, terms.table):
        if (found := _pick_at(other, moment)) is not None:
            return terms.add(other, *found, signed=signed, label=label)
    if moment.months < 3:
        return None
    spans = _index_spans(series, terms.table)
    formula = _combine_spans(_read_span(moment), spans, terms, label)
    if formula is not None:
        terms.score += log_share(_DERIVED)
        terms.moments.append(moment)
    return formula


def _read_span(moment: Moment) -> _Span:
    end = 4 * moment.year + moment.quarter
    return end - moment.months // 3, end


def _index_spans(series: Series, table: FactTable) -> Mapping[_Span, tuple[Series, Moment, FactCell]]:
    """Index the numbers of a series, and of its equivalents in other tables, by period."""
    found: dict[_Span, tuple[Series, Moment, FactCell]] = {}
    for one in (series, *_find_same_elsewhere(series, table)):
        for moment, cell in one.cells.items():
            if moment is not None and moment.months in (3, 6, 9, 12):
                found.setdefault(_read_span(moment), (one, moment, cell))
    return found


def _find_same_elsewhere(series: Series, table: FactTable) -> list[Series]:
    """Return equivalent series in other tables: those of the same concept, else those with the same numbers."""
    label = set(series.line.label_terms)
    called = [
        other
        for line in (table.by_concept.get(series.concept, ()) if series.concept else ())
        for other in table.series_of_line[line.place]
        if other.place != series.place and other.concept == series.concept
        and other.members == series.members and other.column == series.column
        and (line.tagged or label <= set(line.label_terms))
        and other.first.scale == series.first.scale
    ]  # fmt: skip
    return called or ([] if series.line.sentence else list(_find_same_numbers(series, table)))


def _find_same_numbers(series: Series, table: FactTable) -> Iterator[Series]:
    """Yield series in other tables that have equal numbers at all common times, at least two."""
    for other in table.by_amount.get(f"{abs(series.first.amount):.9g}", ()):
        both = [moment for moment in series.cells if moment is not None and moment in other.cells]
        amounts = {(series.cells[moment].amount, other.cells[moment].amount) for moment in both}
        if (
            other.line.table != series.line.table
            and not other.line.sentence
            and len(amounts) >= _LEAST_SAME
            and all(one == another for one, another in amounts)
        ):
            yield other


def _combine_spans(
    want: _Span, spans: Mapping[_Span, tuple[Series, Moment, FactCell]], terms: FormulaTerms, label: str
) -> str | None:
    """Return a formula that derives a period from others, such as the second half as the year less the first half."""
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
            rest_of = _combine_spans((part[1], end), spans, terms, label)
            if rest_of is not None:
                return f"({named(part)} + {rest_of})"
    for year in spans:  # the last quarter is the year less three quarters
        if year[1] == end and year[0] < begin:
            others = [(at, at + 1) for at in range(year[0], begin)]
            if end - begin == 1 and all(other in spans for other in others):
                return f"({named(year)} - {' - '.join(map(named, others))})"
    return None


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


def read_schedules(question: BoundQuestion) -> list[Bound]:
    """Return the schedules that a question may mean, likeliest first; those of debts if it names no kind of payment."""
    table = question.table
    own = {term for operand in question.reading.operands for term in operand.terms} - table.company
    asked = own - _DUE_WORDS
    if not asked and question.last is not None:
        asked = {term for series in question.last.series[:2] for term in series.line.label_terms}
    wanted = _DEBT if (asked | own) & _DEBT else frozenset(asked & _OTHER) or _DEBT
    schedules = [series for series in table.series if len(list_future_years(series, table)) >= _LEAST_YEARS]
    mixed = {series.line.table for series in schedules if not _OTHER.isdisjoint(series.line.label_terms)}
    fits = [(_measure_fit(series, wanted, asked), series) for series in schedules]
    found = [(fit + _UNMIXED * (series.line.table not in mixed), series) for fit, series in fits if fit > 0]
    found = sorted(found, key=lambda one: -one[0])[:_MOST]
    shares = softmax([_SHARPNESS * fit for fit, _ in found])
    return [Bound(series, share) for (_, series), share in zip(found, shares, strict=True)]


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


def _measure_fit(series: Series, wanted: frozenset[str], asked: set[str]) -> float:
    """Return how well the labels of a schedule, and the words around it, match the requested payments."""
    line = series.line
    names = {*line.label_terms, *line.path_terms, *series.column, *terms(_split_name(series.concept))}
    # A title that also names other payments, or only "Note 7", does not count.
    around = frozenset() if line.title_terms & _OTHER - wanted else line.title_terms - _NOTE
    if names & _OTHER - wanted or not (names | around) & wanted:
        return 0.0
    fit = sum(1.0 if term in names else _IN_TITLE * (term in line.title_terms) for term in asked) / max(1, len(asked))
    return (1.0 if names & wanted else _IN_TITLE) + _IN_TITLE * fit + _TOTAL * ("total" in names)


def _split_name(concept: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", concept.partition(":")[2])
