"""What plans are composed from: a question, the series that its words may mean, and what was talked about before."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log
from typing import Literal

from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Scale
from quaestor.core.terms import terms
from quaestor.errors import PlanError
from quaestor.facts.lines import FactCell
from quaestor.facts.moments import Moment
from quaestor.facts.table import FactTable, Series
from quaestor.plan.expressions import parse_expression
from quaestor.plan.steps import Constant, Extract, Plan, counted
from quaestor.questions.understanding import Operand, Reading
from quaestor.solvers.embedded.filings.past import PastAnswer
from quaestor.solvers.embedded.filings.repeating import COMPARATIVES

LEAST = 1e-6
"""Added to probabilities before their logarithm is taken."""

_LEFT_OUT = re.compile(
    r"(?:\b(?:outside(?: of)?|other than|except(?: for)?|besides|apart from|beyond)"
    r"|^(?:and )?(?:after|behind|next to)(?= [^\d,]{2,40}, (?:who|which|what|in which)\b)) (?:the )?"
    r"((?:[a-z]\.){2,4}|[\w'&-]{2,30}(?: states| kingdom)?)"
)
_OUT = re.compile(
    r"\b(?:payments?|paid|purchases?|purchased|repurchases?|repurchased|repayments?|repaid|expenses?|costs?|dividends?"
    r"|expenditures?|additions|acquisitions?|provision|charges?|used|investments? in|taxes withheld|buybacks?|interest"
    r"|vested|forfeit\w*|exercised|expired|cancel+ed|settled|settlements?|redeemed|redemptions?|retired|retirements?"
    r"|released|write-?offs?|written[ -]off|charged[ -]off|allowances?|accumulated (?:depreciation|amortization)"
    r"|treasury (?:stock|shares))\b|^less\b", re.IGNORECASE
)  # fmt: skip
"""Words of labels of what goes out or is taken off."""
_TAXED = re.compile(r"\bincome tax")
"""What makes a provision no income."""
_NET_OUT = re.compile(
    r"net (?:additions|purchases|payments|repayments|repurchases|capital expenditures|charge-?offs)\b"
)
_COUNTED = re.compile(r"\b(?:shares?|units?|rsus?|psus?|awards|options)\b", re.IGNORECASE)
_BOTH_WAYS = re.compile(
    r"\b(?:net|changes?|increase|decrease|gains?|loss|losses|income|profit|earnings|eps|per|activity|adjustments?|effect)\b",
    re.IGNORECASE,
)
"""Words of labels of numbers whose sign means something."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A series that an operand may mean, with its probability."""

    series: Series
    share: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan that may answer a question.

    Attributes:
        score: The log of its probability.
        form: What it does: `value`, `growth`, `ratio`.
        series: What it takes its numbers from.
        features: What is known of it, for the confidence.
    """

    plan: Plan
    score: float
    form: str
    series: tuple[Series, ...]
    moments: tuple[Moment, ...]
    features: Mapping[str, float] = field(default_factory=dict)

    @property
    def confidence(self) -> float:
        """The probability that it is right."""
        return 1 / (1 + exp(-self.score - 1))


@dataclass(frozen=True, slots=True)
class Question:
    """All that a plan is composed from.

    Attributes:
        intents: The probability of each intent.
        operands: The series that each operand may mean, the likeliest first.
        base: The time that was talked about before, or the latest.
        before: The last answers that were taken from the document, the latest first.
        falls: Whether the last question asked for a fall.
        bind: Returns what other words may mean.
    """

    reading: Reading
    table: FactTable
    intents: Mapping[str, float]
    operands: tuple[tuple[Bound, ...], ...]
    moments: tuple[Moment, ...]
    base: Moment
    before: tuple[PastAnswer, ...]
    falls: bool
    bind: Callable[[Operand], tuple[Bound, ...]]

    @property
    def text(self) -> str:
        """The question in lower case."""
        return self.reading.text.lower()

    @property
    def own(self) -> bool:
        """Whether the question names something measured."""
        return any(self.names(place) for place in range(len(self.reading.operands)))

    def names(self, place: int) -> bool:
        """Return whether an operand names something measured, rather than an operation alone."""
        operands = self.reading.operands
        if place >= len(operands):
            return False
        named = set(operands[place].terms) - COMPARATIVES
        # "% of sales in the later one" names sales alone.
        of_whole = len(operands) == 2 and place == 0 and self.reading.relation in ("ratio", "part")
        return bool(named) and not (of_whole and self.last is not None and named <= set(operands[1].terms))

    @property
    def left_out(self) -> frozenset[str]:
        """The terms of the member that is left out: "outside the US", "after Japan, which country is largest?"."""
        found = _LEFT_OUT.search(self.text)
        return frozenset(terms(found[1])) if found else frozenset()

    @property
    def last(self) -> PastAnswer | None:
        """The last answer that was taken from the document."""
        return self.before[0] if self.before else None

    @property
    def looks_ahead(self) -> bool:
        """Whether all times that are named are to come: what falls due then is in a schedule."""
        return bool(self.moments) and min(self.moments).end > self.table.latest.end

    @property
    def default(self) -> Moment:
        """The default time: that of the turn before, or the latest."""
        return self.base

    @property
    def wanted(self) -> Sequence[Moment]:
        """The times that are named, else that of the turn before; empty if there is none."""
        if self.moments:
            return self.moments
        return (self.last.anchor,) if self.last is not None and self.last.anchor is not None else ()


class Terms:
    """Numbers that a formula names.

    Attributes:
        score: The log of how sure they are what the formula means.
    """

    def __init__(self, table: FactTable) -> None:
        self.table = table
        self.variables: dict[str, Extract] = {}
        self.series: list[Series] = []
        self.moments: list[Moment] = []
        self.score = 0.0

    def copy(self) -> "Terms":
        """Return a copy, to come back to."""
        other = Terms(self.table)
        other.restore(self)
        return other

    def restore(self, other: "Terms") -> None:
        """Become what a copy is."""
        self.variables, self.series = dict(other.variables), list(other.series)
        self.moments, self.score = list(other.moments), other.score

    def add(
        self, series: Series, moment: Moment | None, cell: FactCell, *, signed: bool = False, label: str = ""
    ) -> str:
        """Return the name of a number."""
        extract = extract_cell(cell, series, self.table, signed=signed)
        if label:
            extract = replace(extract, label=label)
        for name, known in self.variables.items():
            if known == extract:
                return name
        name = f"x{len(self.variables)}"
        self.variables[name] = extract
        self.series.append(series)
        if moment is not None:
            self.moments.append(moment)
        return name

    def proposal(self, formula: str, form: str, score: float, **constants: Constant) -> Proposal | None:
        """Return the plan of a formula over the numbers, and constants by their names; None if there is none."""
        try:
            plan = parse_expression(formula, {**self.variables, **constants})
        except PlanError:
            return None
        return Proposal(plan, score + self.score, form, tuple(self.series), tuple(self.moments))


def extract_cell(cell: FactCell, series: Series, table: FactTable, *, signed: bool = False) -> Extract:
    """Return the step that takes a number; amounts that go out are taken without their sign."""
    out = cell.quantity.value < 0 and not signed and _goes_out(cell, series, table)
    label = ", ".join(part for part in (series.line.label, table.column_label(cell)) if part)
    # The scale of an amount of money in running text may not be printed next to it; whatever else it counts is in ones.
    money = cell.quantity.unit is not None and cell.quantity.unit.isupper()
    stated = cell.scale is cell.quantity.scale and (money or cell.scale is not Scale.ONE)
    scale, unit = (cell.scale, None) if series.line.sentence and not stated else _scale_of_tag(cell, table)
    way: Literal["magnitude", "signed"] = "magnitude" if out else "signed"
    return Extract(1, cell.ref, label, cell.quantity, way, label_scale=scale, label_unit=unit)


def _scale_of_tag(cell: FactCell, table: FactTable) -> tuple[Scale | None, str | None]:
    """Return the scale and the unit of a cell's tag if they are not those that the labels around it name."""
    if not isinstance(cell.ref, CellRef):
        return None, None
    printed, row, column = table.document.table(cell.ref.table), cell.ref.row, cell.ref.column
    named = counted(cell.quantity, printed.scale_at(row, column), printed.unit_at(row, column))
    return (None, None) if (named.scale, named.unit) == (cell.scale, cell.unit) else (cell.scale, cell.unit)


def _goes_out(cell: FactCell, series: Series, table: FactTable) -> bool:
    """Return whether a negative number is the size of what goes out; a line of both signs means them."""
    fact = table.document.fact(cell.ref)
    if fact is not None and fact.value is not None:
        return fact.value > 0
    if any(other.quantity.value > 0 for other in series.line.cells if other.column == cell.column):
        return False
    around = " ".join((series.line.label, *series.line.path[-1:], *series.column))
    if _COUNTED.search(around) and not _BOTH_WAYS.search(around):
        return cell.quantity.scale is not Scale.PERCENT  # a count of shares is never negative
    label = _TAXED.sub("", series.line.label.lower())
    if (
        not _OUT.search(label)
        or label.startswith("benefit")
        or (label.startswith("net ") and not _NET_OUT.match(label))
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
