"""Lines of facts: when their numbers are of, and which concept a label names."""

from calendar import monthrange
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from math import log

from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import CALENDAR_YEARS, FiscalCalendar, Period
from quaestor.core.provenance import Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.core.terms import split_terms, terms
from quaestor.documents.document import Document
from quaestor.documents.facts import Fact
from quaestor.documents.table import TableRole
from quaestor.documents.text_periods import last_days_of_years
from quaestor.ontology.lexicon import read_lexicon

_MONTHS = {"year": 12, "quarter": 3, "month": 1, "date": 0}


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """A time of a fact.

    Attributes:
        year: The fiscal year that it ends in.
        quarter: The fiscal quarter that it ends in, 1 to 4.
        months: How long it lasts: 12 is a year, 3 a quarter, 0 an instant, the end of the quarter.
    """

    year: int
    quarter: int
    months: int

    @property
    def end(self) -> tuple[int, int]:
        """The fiscal year and quarter that it ends in."""
        return self.year, self.quarter

    def before(self, years: int = 0, quarters: int = 0) -> "Moment":
        """Return the moment of the same length some time earlier."""
        end = self.year * 4 + self.quarter - 1 - 4 * years - quarters
        return Moment(end // 4, end % 4 + 1, self.months)


def fiscal_calendar(document: Document) -> FiscalCalendar:
    """Return the fiscal calendar of the company that a document is of."""
    reported = document.reported
    years = [fact.fact for fact in document.facts if fact.fact.quarter == 4 and fact.fact.year]
    if years:
        last = max(years, key=lambda fact: fact.end)
        return FiscalCalendar(last.year, last.end)
    if named := last_days_of_years(document):
        year = max(named)
        day = named[year]
        return FiscalCalendar(year, date(day.year, day.month or 12, day.day or 28))
    if reported is not None and reported.kind == "year" and reported.ends is not None:
        return FiscalCalendar(reported.year, reported.ends)
    ended = [(period.ends, period.year) for period in _years_named(document) if period.ends is not None]
    if ended:
        (last_day, _), *_ = Counter((ends.month, ends.day) for ends, _ in ended).most_common(1)
        end, year = max((ends, year) for ends, year in ended if (ends.month, ends.day) == last_day)
        return FiscalCalendar(year, end)
    return CALENDAR_YEARS


def _years_named(document: Document) -> Iterator[Period]:
    """Yield the years of sentences and of headings of tables."""
    for sentence in document.sentences:
        yield from (period for period, _, _ in sentence.periods if period.kind == "year")
    for table in document.tables:
        for header in (*table.columns, *table.rows):
            if header.period is not None and header.period.kind == "year":
                yield header.period


def moment_of_period(period: Period, calendar: FiscalCalendar) -> Moment | None:
    """Return when a period is; None of a range, and of one that begins or ends at an unusual time."""
    months = period.months if period.kind == "span" else _MONTHS.get(period.kind)
    if months is None:
        return None
    if period.ends is None and period.kind in ("year", "quarter"):
        return Moment(period.year, period.quarter or 4, months)
    # "Three months ended July 31" is the second quarter of a year that ends in January.
    last = period.ends or _last_day(period)
    return Moment(calendar.year_of(last), 4 if period.kind == "year" else calendar.quarter_of(last), months)


def moment_of_fact(fact: Fact) -> Moment | None:
    """Return when a tagged number is."""
    if not fact.year:
        return None
    if fact.start is None or fact.start == fact.end:
        return Moment(fact.year, fact.quarter or 4, 0)
    months = round((fact.end - fact.start).days / 30.4)
    return Moment(fact.year, fact.quarter or 4, months)


def _last_day(period: Period) -> date:
    month = period.month or 12
    return date(period.year, month, min(period.day or 31, monthrange(period.year, month)[1]))


# Which standard concept a line without tags is of: its label held against the phrases of the lexicon.
#
# The same words name different things on different statements: "accounts receivable" is an amount on the balance
# sheet and a change on the cash flow statement. So the role of the table decides between concepts, by their names.

_WORD_IN_NAME = lazy_regex(r"[A-Z]+(?![a-z])|[A-Z][a-z]+")
_CASH = lazy_regex(
    r":(?:Payments|Proceeds|Repayments|NetCash|IncreaseDecrease|IncomeTaxesPaid|InterestPaid|CashCashEquivalents\w{0,60}"
    r"PeriodIncrease|NoncashInvesting)"
)
_BALANCE = lazy_regex(
    r"(?:Current|Noncurrent|Payable|Receivable|Assets|Liabilities|Equity|Goodwill|InventoryNet|AtCarryingValue|Reserves?"
    r"|Deposits|Borrowings|PaperNet|Accumulated\w{0,80}|EquivalentsAndRestrictedCash\w{0,40}|Deficit|Capital|Value)$"
)
_ADJUSTS = lazy_regex(
    r":(?:DeferredIncomeTax|ShareBasedCompensation|Depreciation|Amortization|ProfitLoss|NetIncomeLoss|Other|Gain|Provision"
    r"|Effect|Impairment|AssetImpairment|CashCash|Undistributed|IncomeLossFromEquity|Restructuring)"
)
"""What a cash flow statement begins and ends with, beside its flows."""
_SMALL_PART = frozenset(terms("total net see note notes consolidated"))
_LEAST = 0.72
"""Below this likeness, labels are not similar."""
_WITH_PATH = 0.95
"""How much it counts if a label names a concept with the label above it only."""
_OF_ANOTHER = 0.7
"""How much it counts if the label above it names another kind of amount."""
_EXACT = 0.02
ADJUSTED_TERMS = frozenset(terms("adjusted non gaap core underlying"))
"""Terms of what a company adjusts, in labels and headings."""
_PER_SHARE = frozenset(terms("per share"))
_CHANGES = terms("increase decrease")
(_CURRENT,) = terms("current")
_RARE = 8.0
"""The weight of a term that no phrase has."""


def name_concept(label: str, path: Sequence[str], role: TableRole) -> tuple[str, float]:
    """Return the likeliest concept of a label and its probability; "" and 0 if no concept is likely.

    What a company adjusts is of no standard concept.

    Args:
        label: Of a line without tags.
    """
    return _name_concept(terms(label), terms(path[-1]) if path else (), role)


@lru_cache(maxsize=1 << 14)
def _name_concept(label: tuple[str, ...], above: tuple[str, ...], role: TableRole) -> tuple[str, float]:
    if not ADJUSTED_TERMS.isdisjoint(label):
        return "", 0.0
    index = _index_phrases()
    best, concept = 0.0, ""
    for words, worth in _readings(label, above, role):
        for name, likeness in index.like(words):
            likely = worth * likeness * fits_role(name, role)
            if likely > best:
                best, concept = likely, name
    return (concept, min(1.0, best)) if best >= _LEAST else ("", 0.0)


def _readings(
    label: tuple[str, ...], above: tuple[str, ...], role: TableRole
) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield the phrases that a label may mean, with their weights."""
    # "Net income" under "earnings per share" is an amount for each share.
    yield label, _OF_ANOTHER if _PER_SHARE.issubset(above) and not _PER_SHARE.issubset(label) else 1.0
    if above:
        yield (*above, *label), _WITH_PATH
    if role is TableRole.CASH_FLOWS:
        # The lines under "changes in assets and liabilities" are called by the asset alone.
        yield (*_CHANGES, *label), _WITH_PATH
    elif role is TableRole.BALANCE_SHEET and _CURRENT in above:
        yield (*label, _CURRENT), 1.0


@lru_cache(maxsize=1 << 14)
def fits_role(concept: str, role: TableRole) -> float:
    """Return how well a concept fits the role of a table, up to 1."""
    cash, balance = bool(_CASH.search(concept)), bool(_BALANCE.search(concept))
    match role:
        case TableRole.CASH_FLOWS:
            return 1.0 if cash or _ADJUSTS.search(concept) else 0.7 if balance else 0.85
        case TableRole.BALANCE_SHEET:
            return 1.0 if balance and not cash else 0.6 if cash else 0.9
        case TableRole.INCOME_STATEMENT | TableRole.COMPREHENSIVE_INCOME:
            return 0.6 if cash else 0.8 if balance else 1.0
    return 0.9 if cash else 1.0


@dataclass(frozen=True, slots=True)
class _PhraseIndex:
    """The phrases of concepts, by their terms."""

    phrases: tuple[tuple[str, tuple[str, ...], float], ...]
    places: Mapping[str, Sequence[int]]
    weights: Mapping[str, float]

    def like(self, words: Sequence[str]) -> Iterator[tuple[str, float]]:
        """Yield concepts that words are like, with how much they are: 1 if they have one phrase's terms."""
        own = _main_terms(words)
        whole = sum(self.weights.get(word, _RARE) for word in own)
        met: dict[int, float] = defaultdict(float)
        for word in own:
            for place in self.places.get(word, ()):
                met[place] += self.weights[word]
        for place, both in met.items():
            name, phrase, weight = self.phrases[place]
            yield name, 2 * both / (whole + weight) + _EXACT * (phrase == tuple(words))


@lru_cache(maxsize=1)
def _index_phrases() -> _PhraseIndex:
    concepts = read_lexicon().concepts.values()
    written = split_terms([" ".join(_WORD_IN_NAME.findall(concept.name.rpartition(":")[2])) for concept in concepts])
    named = [
        (concept.name, phrase, _main_terms(phrase))
        for concept, name in zip(concepts, written, strict=True)
        for phrase in dict.fromkeys((*concept.phrases, *name))
    ]
    places: dict[str, list[int]] = defaultdict(list)
    for place, (_, _, main) in enumerate(named):
        for word in main:
            places[word].append(place)
    weights = {word: log(len(named) / len(having)) for word, having in places.items()}
    phrases = tuple((name, phrase, sum(weights[word] for word in main)) for name, phrase, main in named)
    return _PhraseIndex(phrases, places, weights)


def term_set(words: str) -> frozenset[str]:
    """Return the terms of words that are listed with spaces."""
    return frozenset(term for word in words.split() for term in terms(word))


def _main_terms(words: Sequence[str]) -> frozenset[str]:
    return frozenset(word for word in words if word not in _SMALL_PART and not word[0].isdigit())


@dataclass(frozen=True, slots=True)
class FactCell:
    """A number of a line.

    Attributes:
        scale: The multiplier of one unit of it, by its print or its labels.
        column: What its column is called beside the period, as terms: a member, "change", "total".
        change: Whether its column is of changes: such a number is not of the line itself.
        members: By its tag, the members that it is narrowed to.
    """

    ref: Source
    quantity: Quantity
    scale: Scale
    unit: str | None
    moment: Moment | None
    column: tuple[str, ...]
    change: bool = False
    concept: str = ""
    members: tuple[str, ...] = ()

    @property
    def amount(self) -> float:
        """The number in ones of its unit; a percentage as a fraction."""
        return float(self.quantity.value) * float(self.scale.factor)


_LOSS, _INCOME = terms("loss income")
_EARNED = lazy_regex(r":(?:Net|Operating)?IncomeLoss|:ProfitLoss|:EarningsPerShare")


@dataclass(frozen=True, slots=True)
class FactLine:
    """One line of a table, or the numbers of a sentence about one thing.

    Attributes:
        table: The index of its table; of a sentence a number below 0.
        title: What the table is called and the sentence that leads to it; of a sentence the one before it.
        heading: The headings of the section that it is in, the last ones.
        concept: What most of its numbers are by their tags, else by its label; or "".
        concept_share: How likely it is of the concept: 1 by tags, less by its label.
        members: The members that most of its numbers are narrowed to, by their tags.
        sentence: The whole sentence that its numbers are in, or "".
    """

    place: int
    label: str
    path: tuple[str, ...]
    table: int
    title: str
    heading: str
    role: TableRole
    cells: tuple[FactCell, ...]
    concept: str = ""
    concept_share: float = 0.0
    members: tuple[str, ...] = ()
    sentence: str = ""
    years: frozenset[int] = frozenset()

    @property
    def tagged(self) -> bool:
        """Whether the concept is by tags."""
        return bool(self.concept) and any(cell.concept for cell in self.cells)

    @property
    def label_terms(self) -> tuple[str, ...]:
        """The terms of its own label; a loss is called income too, as it is in other years."""
        own = terms(self.label)
        return (*own, _INCOME) if _LOSS in own and _INCOME not in own and _EARNED.search(self.concept) else own

    @property
    def path_terms(self) -> frozenset[str]:
        """The terms of the labels above it, or of its whole sentence."""
        return frozenset(term for label in (*self.path, self.sentence) for term in terms(label))

    @property
    def above_terms(self) -> frozenset[str]:
        """The terms of the labels above it."""
        return frozenset(term for label in self.path for term in terms(label))

    @property
    def title_terms(self) -> frozenset[str]:
        """The terms of the title of its table and of the headings over it."""
        return frozenset((*terms(self.title), *terms(self.heading)))

    @property
    def moments(self) -> tuple[Moment, ...]:
        """When its numbers are, each once."""
        return tuple(dict.fromkeys(cell.moment for cell in self.cells if cell.moment is not None))
