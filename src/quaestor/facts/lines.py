"""Lines of facts, the times of their numbers, and the concepts of labels."""

import re
from calendar import monthrange
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import pairwise
from math import ceil, log

from quaestor.core.fiscal import CALENDAR_YEARS, FiscalCalendar
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import Period, find_periods
from quaestor.core.provenance import Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.core.terms import split_terms, terms
from quaestor.documents.combining import files_of
from quaestor.documents.document import Document
from quaestor.documents.facts import Fact
from quaestor.documents.roles import ADJUSTED_WORDS
from quaestor.documents.table import TableRole
from quaestor.documents.text_periods import last_days_of_years
from quaestor.ontology.lexicon import read_lexicon

_MONTHS = {"year": 12, "quarter": 3, "month": 1, "date": 0}


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """Time of a fact.

    Attributes:
        year: Fiscal year in which it ends.
        quarter: Fiscal quarter in which it ends, 1 to 4.
        months: Duration: 12 for a year, 3 for a quarter, 0 for the instant at the end of the quarter.
        month: Calendar month in a small file's table with several months of one quarter, else 0.
    """

    year: int
    quarter: int
    months: int
    month: int = 0

    @property
    def end(self) -> tuple[int, int]:
        """Fiscal year and quarter in which it ends."""
        return self.year, self.quarter

    def before(self, years: int = 0, quarters: int = 0) -> "Moment":
        """Return a moment of the same length, earlier by a number of years and quarters."""
        end = self.year * 4 + self.quarter - 1 - 4 * years - quarters
        return Moment(end // 4, end % 4 + 1, self.months, 0 if quarters else self.month)


_FEW_TABLES = 2
"""Maximum number of tables of a small file."""


def is_small(document: Document) -> bool:
    """Return whether a document has so few tables that it is not a report."""
    return len(document.tables) <= _FEW_TABLES * max(1, len(files_of(document)))


def fiscal_calendar(document: Document) -> FiscalCalendar:
    """Return the fiscal calendar of the company that published a document."""
    years = [fact.fact for fact in document.facts if fact.fact.quarter == 4 and fact.fact.year]
    if years:
        last = max(years, key=lambda fact: fact.end)
        return FiscalCalendar(last.year, last.end)
    if last_days := last_days_of_years(document):
        year = max(last_days)
        day = last_days[year]
        return FiscalCalendar(year, date(day.year, day.month or 12, day.day or 28))
    reported = document.reported
    if reported is not None and reported.kind == "year" and reported.ends is not None:
        return FiscalCalendar(reported.year, reported.ends)
    if (named := _find_named_year(document)) is not None:
        return named
    ended = [(period.ends, period.year) for period in _years_named(document) if period.ends is not None]
    if ended:
        (last_day, _), *_ = Counter((ends.month, ends.day) for ends, _ in ended).most_common(1)
        end, year = max((ends, year) for ends, year in ended if (ends.month, ends.day) == last_day)
        return FiscalCalendar(year, end)
    days = [_last_day(period) for period in _list_header_periods(document) if period.kind == "date"]
    if reported is None and len({day.year for day in days}) > 1 and len({day.month for day in days}) == 1:
        named = FiscalCalendar(max(days).year, max(days))
    return named or _find_interim_year(document) or CALENDAR_YEARS


_EXPLAINS = lazy_regex(
    r"(?![\s,]*$)\W{0,4}(?:(?:results?|refers to|means|is|for|the|fiscal|financial|years?|period|from)\b\W{0,4}){0,6}",
    re.IGNORECASE,
)
"""Text between the name of a fiscal period and its days: "Q1 FY26 results \u2013 quarter ended 30 June 2025"."""
_DRIFT = timedelta(days=7)


def _find_named_year(document: Document) -> FiscalCalendar | None:
    """Return the fiscal year of a period named beside its days: "half year ended 30 September 2023 (H1 FY24)"."""
    found = []
    texts = (sentence.text for sentence in document.sentences)
    for text in (*texts, *(heading for section in document.sections for heading in section.path)):
        for one, other in pairwise(find_periods(text)):
            named, ended = (one.period, other.period) if one.period.ends is None else (other.period, one.period)
            moment, last = moment_of_period(named, CALENDAR_YEARS), ended.ends
            if last is None or named.ends is not None or moment is None or abs(moment.year - last.year) > 1:
                continue
            length = moment_of_period(ended, CALENDAR_YEARS)
            if (
                length is not None
                and length.months == moment.months
                and _EXPLAINS.fullmatch(text, one.end, other.start)
            ):
                found.append(FiscalCalendar(moment.year, _months_later(last, 12 - 3 * moment.quarter)))
    return max(found, key=lambda calendar: calendar.end, default=None)


def _find_interim_year(document: Document) -> FiscalCalendar | None:
    """Return the fiscal year that begins with the last half or nine months of an interim report, or None."""
    named = [period for sentence in document.sentences for period, _, _ in sentence.periods]
    spans = (period for period in (document.reported, *_list_header_periods(document), *named) if period is not None)
    lasts = [(span.ends, span.months) for span in spans if span.ends is not None and span.months in (6, 9)]
    if not lasts:
        return None
    last, months = max(lasts)
    end = _months_later(last, 12 - months)
    return FiscalCalendar(end.year, end)


def _months_later(day: date, months: int) -> date:
    """Return the last day of a month some months later; the same day for 0."""
    last = (day - _DRIFT).month - 1 + months
    year, month = (day - _DRIFT).year + last // 12, last % 12 + 1
    return date(year, month, monthrange(year, month)[1]) if months else day


def _years_named(document: Document) -> Iterator[Period]:
    """Yield the years in sentences and table headers."""
    for sentence in document.sentences:
        yield from (period for period, _, _ in sentence.periods if period.kind == "year")
    yield from (period for period in _list_header_periods(document) if period.kind == "year")


def _list_header_periods(document: Document) -> Iterator[Period]:
    for table in document.tables:
        yield from (header.period for header in (*table.columns, *table.rows) if header.period is not None)


def moment_of_period(period: Period, calendar: FiscalCalendar) -> Moment | None:
    """Return the moment for a period; None for a range, or a period of unusual begin or end."""
    months = period.months if period.kind == "span" else _MONTHS.get(period.kind)
    if months is None:
        return None
    if period.ends is None and period.kind in ("year", "quarter", "span"):
        # "H1 FY24" is the first half of the fiscal year.
        return Moment(period.year, period.quarter or ceil((period.month or 12) / 3), months)
    # "Three months ended July 31" is the second quarter of a year that ends in January.
    last = period.ends or _last_day(period)
    return Moment(calendar.year_of(last), 4 if period.kind == "year" else calendar.quarter_of(last), months)


def moment_of_fact(fact: Fact) -> Moment | None:
    """Return the moment of a tagged number."""
    if not fact.year:
        return None
    if fact.start is None or fact.start == fact.end:
        return Moment(fact.year, fact.quarter or 4, 0)
    months = round((fact.end - fact.start).days / 30.4)
    return Moment(fact.year, fact.quarter or 4, months)


def _last_day(period: Period) -> date:
    month = period.month or 12
    return date(period.year, month, min(period.day or 31, monthrange(period.year, month)[1]))


# Standard concepts of lines without tags, by matching labels with the phrases of the lexicon.
#
# The same words name different things in different statements: "accounts receivable" is an amount in the balance sheet
# and a change in the cash flow statement. The role of the table therefore weights concepts, judging by their names.

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
"""Concepts of a cash flow statement that are not flows: adjustments, and the amounts it begins and ends with."""
_EARNED_OR_SPENT = lazy_regex(
    r":(?!Deferred)\w*(?:Revenues?|Expense|ExpenseBenefit|IncomeLoss|ProfitLoss|Profit|CostRecognized|CostOfRevenue|ServicesSold)$"
)
_SMALL_PART = frozenset(terms("total net see note notes consolidated"))
_LEAST = 0.72
"""Minimal similarity of labels."""
_WITH_PATH = 0.95
"""Factor for a label that matches a concept only together with the label above it."""
_OF_ANOTHER = 0.7
"""Factor for a label below one for another kind of amount."""
_OF_REST = 0.8
"""Factor for a label that begins with "other", for a concept that does not."""
_EXACT = 0.02
ADJUSTED_TERMS = frozenset(terms("adjusted non gaap core underlying"))
"""Terms for adjusted figures in labels and headings."""
_SPLIT = lazy_regex(r"\battributable to:?$", re.IGNORECASE)
"""Labels that the label below completes."""
_DETAILS = frozenset({TableRole.NOTE, TableRole.FAIR_VALUES})
"""Roles of tables in which short labels name parts of something else."""
_ADJUSTED = lazy_regex(rf"\b(?:{ADJUSTED_WORDS})\b", re.IGNORECASE)
"""Words for adjusted figures; unlike their terms, they do not occur in "non-current" and "under"."""
_ABROAD = frozenset(terms("non us international foreign domestic"))
"""Terms that name a part of the world, which alone name no concept."""
_PER_SHARE = frozenset(terms("per share"))
_CHANGES = terms("increase decrease")
_CURRENT, _NOT, _OTHER = terms("current non other")
_VARIANTS = (
    (lazy_regex(r"\battributable to:? *(?:(?:the|equity|ordinary) )*"
                r"(?:(?:share|stock)?holders|owners|members|parent)\b.*", re.IGNORECASE), "attributable to owners"),
    (lazy_regex(r"\battributable to:? *(?:the )?(?:minorit|non-?controlling).*", re.IGNORECASE),
     "attributable to non-controlling interests"),
    (lazy_regex(r"^((?:profit|loss|result| or |\W)+) for the (?:\w+[ -]){0,2}(?:year|period|quarter|half|months)$",
                re.IGNORECASE), r"\1 for period"),
    (lazy_regex(r" (?:for|of) the (?:financial |half[- ]|first |second |third |fourth )*"
                r"(?:half-?year|year|half|period|quarter|(?:three|six|nine|twelve) months)(?=$| attributable)",
                re.IGNORECASE), ""),
    (lazy_regex(r" *\([A-Z]{2,6}\)"), ""),
    (lazy_regex(r"^(?:the )?(?:group|consolidated) |, net(?= of |$)", re.IGNORECASE), ""),
)  # fmt: skip
"""Wordings of owners and periods, abbreviations in brackets and names of the group, with the standard wording."""
_RARE = 8.0
"""Weight of a term that is in no phrase."""


def name_concept(label: str, path: Sequence[str], role: TableRole) -> tuple[str, float]:
    """Return the most likely concept of a label and its probability; "" and 0 if no concept is likely.

    Adjusted figures have no standard concept.

    Args:
        label: Label of a line without tags.
    """
    return _name_concept(label, path[-1] if path else "", role)


@lru_cache(maxsize=1 << 14)
def _name_concept(label: str, above: str, role: TableRole) -> tuple[str, float]:
    if _ADJUSTED.search(label):
        return "", 0.0
    best, concept = 0.0, ""
    for name, share in _list_concepts(label, above, role):
        likely = share * fits_role(name, role)
        if likely > best:
            best, concept = likely, name
    return (concept, min(1.0, best)) if best >= _LEAST else ("", 0.0)


def _list_concepts(label: str, above: str, role: TableRole) -> Iterator[tuple[str, float]]:
    """Yield the concepts that a label may mean, with the similarity of their labels or phrases."""
    index, standard = _index_phrases(), _standardize(label)
    if role not in _DETAILS:
        whole = _standardize(f"{above} {label}") if _SPLIT.search(above) else standard
        for words, worth in ((terms(whole), 1.0), *_readings(terms(standard), terms(above), role)):
            for name in index.labels.get(words, ()):
                yield name, worth * (1 + _EXACT)
    for wording in dict.fromkeys((label, standard)):
        for words, worth in _readings(terms(wording), terms(above), role):
            for name, likeness in index.like(words):
                yield name, worth * likeness


def _standardize(label: str) -> str:
    """Return a label in the wording of the lexicon."""
    for pattern, standard in _VARIANTS:
        label = pattern.sub(standard, label)
    return label


def _readings(
    label: tuple[str, ...], above: tuple[str, ...], role: TableRole
) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield the phrases that a label may mean, with their weights."""
    if not _ABROAD.issuperset(label):
        # "Net income" under "earnings per share" is an amount per share.
        yield label, _OF_ANOTHER if _PER_SHARE.issubset(above) and not _PER_SHARE.issubset(label) else 1.0
    if above:
        yield (*above, *label), _WITH_PATH
    if role is TableRole.CASH_FLOWS:
        # Lines under "changes in assets and liabilities" have only the name of the asset.
        yield (*_CHANGES, *label), _WITH_PATH
    elif role is TableRole.BALANCE_SHEET and _CURRENT in above:
        yield (*label, *((_NOT,) if _NOT in above else ()), _CURRENT), 1.0


@lru_cache(maxsize=1 << 14)
def fits_role(concept: str, role: TableRole) -> float:
    """Return how well a concept fits the role of a table, up to 1."""
    cash, balance = bool(_CASH.search(concept)), bool(_BALANCE.search(concept))
    match role:
        case TableRole.CASH_FLOWS:
            return 1.0 if cash or _ADJUSTS.search(concept) else 0.7 if balance else 0.85
        case TableRole.BALANCE_SHEET:
            flow = cash or (not balance and _EARNED_OR_SPENT.search(concept))
            return 1.0 if balance and not cash else 0.6 if flow else 0.9
        case TableRole.INCOME_STATEMENT | TableRole.COMPREHENSIVE_INCOME:
            return 0.6 if cash else 0.8 if balance else 1.0
    return 0.9 if cash else 1.0


@dataclass(frozen=True, slots=True)
class _PhraseIndex:
    """Phrases of concepts, by term.

    Attributes:
        labels: Concepts by label; a label means its concept only with exactly these terms.
    """

    phrases: tuple[tuple[str, tuple[str, ...], float], ...]
    labels: Mapping[tuple[str, ...], Sequence[str]]
    places: Mapping[str, Sequence[int]]
    weights: Mapping[str, float]

    def like(self, words: Sequence[str]) -> Iterator[tuple[str, float]]:
        """Yield similar concepts with their similarity, which is 1 for a phrase with the same terms."""
        own = _main_terms(words)
        whole = sum(self.weights.get(word, _RARE) for word in own)
        met: dict[int, float] = defaultdict(float)
        for word in own:
            for place in self.places.get(word, ()):
                met[place] += self.weights[word]
        for place, both in met.items():
            name, phrase, weight = self.phrases[place]
            # "Other operating income" is not operating income.
            fits = _OF_REST if own[:1] == (_OTHER,) and _OTHER not in phrase else 1.0
            yield name, fits * (2 * both / (whole + weight) + _EXACT * (phrase == tuple(words)))


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
    labels: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for concept in concepts:
        for label in concept.labels:
            labels[label].append(concept.name)
    return _PhraseIndex(phrases, labels, places, weights)


def term_set(words: str) -> frozenset[str]:
    """Return the terms of words separated by spaces."""
    return frozenset(term for word in words.split() for term in terms(word))


def _main_terms(words: Sequence[str]) -> tuple[str, ...]:
    # In order, because the sum of their weights depends on it in the last digits.
    return tuple(dict.fromkeys(word for word in words if word not in _SMALL_PART and not word[0].isdigit()))


@dataclass(frozen=True, slots=True)
class FactCell:
    """A number of a line.

    Attributes:
        scale: Multiplier of the number, as printed or from labels.
        column: Terms of the column header without the period: a member, "change", "total".
        change: Whether the column contains changes, so that the number is not a value of the line.
        members: Members of the tag's dimensions.
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
    """A line of a table, or numbers of a sentence about the same thing.

    Attributes:
        table: Index of the table; negative for a sentence.
        title: Title of the table and the sentence before it; for a sentence, the sentence before it.
        heading: Innermost headings of the section.
        concept: Concept of most of the numbers by tags, else by the label; or "".
        concept_share: Probability of the concept: 1 by tags, lower by label.
        members: Members of most of the numbers by tags.
        sentence: The whole sentence with the numbers, or "".
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
        """Whether the concept comes from tags."""
        return bool(self.concept) and any(cell.concept for cell in self.cells)

    @property
    def label_terms(self) -> tuple[str, ...]:
        """Terms of the label; a loss also gets the term for income, its name in other years."""
        own = terms(self.label)
        return (*own, _INCOME) if _LOSS in own and _INCOME not in own and _EARNED.search(self.concept) else own

    @property
    def path_terms(self) -> frozenset[str]:
        """Terms of the labels above it, or of the whole sentence."""
        return frozenset(term for label in (*self.path, self.sentence) for term in terms(label))

    @property
    def above_terms(self) -> frozenset[str]:
        """Terms of the labels above it."""
        return frozenset(term for label in self.path for term in terms(label))

    @property
    def name_terms(self) -> tuple[str, ...]:
        """Terms of the labels above it and of its own, in order."""
        return tuple(term for label in (*self.path, self.label) for term in terms(label))

    @property
    def title_terms(self) -> frozenset[str]:
        """Terms of the title of its table and of the headings."""
        return frozenset((*terms(self.title), *terms(self.heading)))

    @property
    def moments(self) -> tuple[Moment, ...]:
        """Moments of its numbers, without repetitions."""
        return tuple(dict.fromkeys(cell.moment for cell in self.cells if cell.moment is not None))
