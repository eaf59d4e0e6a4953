"""The numbers of a formula: a series at a time, as printed or derived from other periods, and the sign to take."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isclose
from typing import Literal

from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Scale
from quaestor.core.terms import terms
from quaestor.documents.table import TableRole
from quaestor.errors import PlanError
from quaestor.facts.lines import FactCell, Moment
from quaestor.facts.table import FactTable, Series
from quaestor.plan.expressions import parse_expression
from quaestor.plan.steps import Constant, Extract, Plan, counted
from quaestor.solvers.embedded.filings.composing.question import Proposal, log_share

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
_TAX = "us-gaap:IncomeTaxExpenseBenefit"
_BENEFIT = lazy_regex(r"\b(?:benefit|credit|income\b(?! tax))")
_COST = lazy_regex(r"^(?!.*\b(?:income|gains?|before|after)\b).*\b(?:costs?|expenses?)\b")
_NEAR = 40
"""Number of lines before a line in which to look for costs."""
_NET_OUTFLOW = lazy_regex(
    r"net (?:additions|purchases|payments|repayments|repurchases|capital expenditures|charge-?offs)\b"
)
_COUNTED = lazy_regex(r"\b(?:shares?|units?|rsus?|psus?|awards|options)\b", re.IGNORECASE)
_BOTH_WAYS = lazy_regex(
    r"\b(?:net|changes?|increase|decrease|gains?|loss|losses|income|profit|earnings|eps|per|activity|adjustments?|effect)\b",
    re.IGNORECASE,
)
"""Words in labels of numbers whose sign is meaningful."""
_RESULT = lazy_regex(
    r"\b(?:ebitda?|results?|margin|total|cash|equity|balance|position|deficit|benefit|credit|taxes|eliminations?)\b"
)
"""More such words, for labels that name no outflow."""

_Span = tuple[int, int]
"""First quarter of a period and the quarter after its last one, counted from year 0."""

_DERIVED = 0.8
"""Certainty of a number derived from other periods, relative to a printed one."""
_LEAST_SAME, _LONG = 2, 4
"""Least number of equal numbers, and of digits of a single one, in two tables that show the same thing."""
_CORRECTED = 0.1
"""Largest relative difference of numbers that one of two tables shows corrected."""
_UNDATED = 0.5
"""Certainty that an undated number belongs to the latest period."""

VARIABLE = lazy_regex(r"\bx\d{1,3}\b")
"""A variable name of `FormulaTerms`."""


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

    def propose(self, formula: str | None, form: str, score: float, **constants: Constant) -> Iterator[Proposal]:
        """Yield the plan of a formula over the numbers and constants, unless the formula is missing or invalid."""
        if formula is None:
            return
        try:
            plan = parse_expression(formula, {**self.variables, **constants})
        except PlanError:
            return
        yield Proposal(plan, score + self.score, form, tuple(self.series), tuple(self.moments))


def extract_cell(cell: FactCell, series: Series, table: FactTable, *, signed: bool = False) -> Extract:
    """Return the step that extracts a number; outflows in a report lose their sign."""
    signed = signed or table.is_small
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
    is_rate = series.line.sentence and cell.quantity.scale is Scale.PERCENT  # "the provision uses a rate of (9.0)%"
    if is_rate or any(other.quantity.value > 0 for other in series.line.cells if other.column == cell.column):
        return False
    around = " ".join((series.line.label, *series.line.path[-1:], *series.column))
    if _COUNTED.search(around) and not _BOTH_WAYS.search(around):
        return cell.quantity.scale is not Scale.PERCENT  # a count of shares is never negative
    if series.line.concept == _TAX and not _BENEFIT.search(series.line.label.lower()):
        return _deducts_costs(series, table)
    label = _INCOME_TAX.sub("", series.line.label.lower())
    if not _OUTFLOW.search(label):
        # "Depreciation" among negative costs
        return not _BOTH_WAYS.search(label) and not _RESULT.search(label) and _deducts_costs(series, table)
    is_net = label.startswith("net ") and not _NET_OUTFLOW.match(label)
    return not (is_net or label.startswith("benefit") or "net cash" in label or "income" in label)


def _deducts_costs(series: Series, table: FactTable) -> bool:
    """Return whether all costs above a line in its table are negative, so that the line may be a charge too."""
    if series.line.sentence:
        return False
    costs = [
        cell.quantity.value
        for place in range(max(0, series.line.place - _NEAR), series.line.place)
        if (line := table.lines[place]).table == series.line.table and _COST.search(line.label.lower())
        for cell in line.cells
        if not cell.change
    ]
    return bool(costs) and all(value < 0 for value in costs)


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
        last = max(past, key=lambda moment: (moment.end, moment.months, moment.month))
        return last, series.cells[last]
    cell = series.cells.get(None)
    return None if cell is None else (None, cell)


def _pick_at(series: Series, want: Moment) -> tuple[Moment, FactCell] | None:
    exact = series.cells.get(want)
    if exact is not None:
        return want, exact
    near = [
        moment
        for moment in series.cells
        if moment is not None and moment.end == want.end and want.month in (0, moment.month)
    ]
    instants = [moment for moment in near if moment.months == 0]
    if instants:
        return instants[0], series.cells[instants[0]]
    if near and want.months == 12 and all(moment.months == 1 for moment in near):
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
    """Return equivalent series in other tables: those of the same concept and member, or with the same numbers."""
    alike = [] if series.line.sentence else list(_find_same_numbers(series, table))
    called = (other for one in (series, *alike) for other in _find_same_concept(one, table))
    found = {one.place: one for one in (*called, *alike) if one.place != series.place and _may_be_same(series, one)}
    return list(found.values())


def _find_same_concept(series: Series, table: FactTable) -> Iterator[Series]:
    """Yield series with the same concept, member and heading as another one."""
    label = set(series.line.label_terms)
    for line in table.by_concept.get(series.concept, ()) if series.concept else ():
        for other in table.series_of_line[line.place]:
            if (
                (other.concept, other.members, other.column) == (series.concept, series.members, series.column)
                and (line.tagged or label <= set(line.label_terms))
                and other.first.scale == series.first.scale
            ):
                yield other


def _find_same_numbers(series: Series, table: FactTable) -> Iterator[Series]:
    """Yield series in other tables that have equal numbers at all common times: at least two, or a long one."""
    for other in table.by_amount.get(f"{abs(series.first.amount):.9g}", ()):
        both = [moment for moment in series.cells if moment is not None and moment in other.cells]
        amounts = {(series.cells[moment].amount, other.cells[moment].amount) for moment in both}
        if (
            other.line.table != series.line.table
            and not other.line.sentence
            and all(one == another for one, another in amounts)
            and (len(amounts) >= _LEAST_SAME or any(_is_long(series.cells[moment]) for moment in both))
        ):
            yield other


def _is_long(cell: FactCell) -> bool:
    """Return whether a number has so many digits that it is hardly printed twice by coincidence."""
    return len(str(cell.quantity.value.copy_abs()).replace(".", "").strip("0")) >= _LONG


def _may_be_same(one: Series, other: Series) -> bool:
    """Return whether the numbers of two series differ by no more than a correction at all common times."""
    return all(
        isclose(cell.amount, other.cells[moment].amount, rel_tol=_CORRECTED)
        for moment, cell in one.cells.items()
        if moment is not None and moment in other.cells
    )


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


_LOSS = lazy_regex(
    r"\b(?:loss(?:es)?|lose|lost|burn(?:ed|t)?|outflow|deficit|shortfall|underfund\w*|charges?|red ink|impairments?"
    r"|write-?downs?|amorti[sz]ation|deductions?|spen(?:d|t|ding)|paid|repaid)\b"
)
_REDUCTION = lazy_regex(
    r"\b(?:sav(?:e|es|ed)|shav(?:e|ed)|(?:take|takes|took|taken|knock\w*|came) (?:off|out)|releas\w+"
    r"|writ\w+[ -]off|write-?offs?|(?:did|does|do|would)\b.* (?:cut|lower|reduce|cost)|tax (?:credits?|benefits?)"
    r"|benefits? of how (?:much|large)|deferred (?:income )?tax liabilit(?:y|ies)|recover(?:y|ies)|refunds?|rebates?)\b"
)
"""Words for reductions and liabilities, which are sizes regardless of a profit in the question."""
_OWED = lazy_regex(r"\bliabil(?:ity|ities)?\b", re.IGNORECASE)
"""The word, or its stem among the terms of a heading."""
_PROFIT = lazy_regex(r"\b(?:income(?! tax)|profit|earnings|gains?|change)\b")
_PARENTHESES = lazy_regex(r"\(([^()]{3,40})\)")
_DIRECTIONS = frozenset(
    terms("gain loss income earnings profit benefit provision expense cost charge credit increase decrease deficit")
)
_GAIN, _LOST = terms("gain loss")
_LOOKED_UP = ("value", "before", "list", "sum", "average")


def drop_signs(text: str, proposal: Proposal) -> Proposal:
    """Return a plan that looks up, lists or adds up numbers changed to take their sizes, if a question names these."""
    extracts = proposal.plan.extracts
    negative = all(one.quantity is not None and one.quantity.value <= 0 for one in extracts)
    if (
        proposal.form not in _LOOKED_UP
        or not (negative or len(proposal.plan.steps) == 1)
        or not all(asks_for_size(text, series) for series in proposal.series)
    ):
        return proposal
    sized = (replace(step, reading="magnitude") if isinstance(step, Extract) else step for step in proposal.plan.steps)
    return replace(proposal, plan=Plan(tuple(sized)))


def asks_for_loss(text: str) -> bool:
    """Return whether a lower-case question names a loss or an outflow, and no profit."""
    return bool(_LOSS.search(text)) and not _PROFIT.search(text.replace("income tax", "tax"))


def asks_for_size(text: str, series: Series) -> bool:
    """Return whether a lower-case question names the direction of a series whose numbers are negative.

    The label, or the title of the table, may give in parentheses what negative numbers are: "loss (gain)".
    """
    if _REDUCTION.search(text) or asks_for_loss(text):
        return True
    directions, line = _DIRECTIONS.intersection(terms(text)), series.line
    if _OWED.search(text) and line.role is not TableRole.CASH_FLOWS:
        return _OWED.search(" ".join((line.label, *line.path[-1:], *series.column))) is not None
    if not directions or line.sentence:
        return False
    for label in (line.label, *reversed(line.path), line.title):
        if opposite := {term for found in _PARENTHESES.findall(label) for term in terms(found)} & _DIRECTIONS:
            both = directions & set(terms(_PARENTHESES.sub("", label)))  # "the other income/expense line"
            return not both and not directions.isdisjoint(opposite)
    # Statements of cash flows take off the gains that are part of net income.
    named = line.label_terms
    return line.role is TableRole.CASH_FLOWS and _GAIN in directions and _GAIN in named and _LOST not in named
