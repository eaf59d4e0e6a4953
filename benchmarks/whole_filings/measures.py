"""Questions for measures that analysts call by name, with values computed from a filing's tags.

A measure is asked for each year, and in a quarterly report for each duration, for which all of its concepts are tagged
without a dimension, in two wordings. If several concepts can express a figure, the first one present counts.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, localcontext

from quaestor.documents.document import Document

_PREFIX = "us-gaap:"
_FIGURES: Mapping[str, tuple[str, ...]] = {
    "sales": (
        "Revenues", "RevenueFromContractWithCustomerExcludingAssessedTax", "SalesRevenueNet",
        "RevenueFromContractWithCustomerIncludingAssessedTax",
    ),
    "cost": ("CostOfRevenue", "CostOfGoodsAndServicesSold"),
    "gross": ("GrossProfit",),
    "operating": ("OperatingIncomeLoss",),
    "pretax": (
        "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest",
        "IncomeLossFromContinuingOperationsBeforeIncomeTaxesMinorityInterestAndIncomeLossFromEquityMethodInvestments",
    ),
    "taxes": ("IncomeTaxExpenseBenefit",),
    "net": ("NetIncomeLoss", "ProfitLoss"),
    "all net": ("ProfitLoss", "NetIncomeLoss"),
    "interest": ("InterestExpense", "InterestExpenseNonoperating", "InterestAndDebtExpense"),
    "cash": ("CashAndCashEquivalentsAtCarryingValue",),
    "current assets": ("AssetsCurrent",),
    "current liabilities": ("LiabilitiesCurrent",),
    "assets": ("Assets",),
    "equity": ("StockholdersEquity", "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest"),
    "receivables": (
        "AccountsReceivableNetCurrent", "ReceivablesNetCurrent", "AccountsNotesAndLoansReceivableNetCurrent",
    ),
    "inventories": ("InventoryNet", "InventoryFinishedGoodsNetOfReserves"),
    "payables": ("AccountsPayableCurrent", "AccountsPayableTradeCurrent"),
    "operations": ("NetCashProvidedByUsedInOperatingActivities",),
    "capex": (
        "PaymentsToAcquirePropertyPlantAndEquipment", "PaymentsToAcquireProductiveAssets",
        "PaymentsToAcquireOtherPropertyPlantAndEquipment",
    ),
    "depreciation": (
        "DepreciationDepletionAndAmortization", "DepreciationAmortizationAndAccretionNet",
        "DepreciationAndAmortization", "DepreciationAmortizationAndOther", "OtherDepreciationAndAmortization",
    ),
    "dividends": ("PaymentsOfDividends", "PaymentsOfDividendsCommonStock", "PaymentsOfOrdinaryDividends"),
}  # fmt: skip
_BALANCES = frozenset(
    "cash|current assets|current liabilities|assets|equity|receivables|inventories|payables".split("|")
)

Figures = Mapping[str, Decimal]
_Computed = Callable[[Figures], Decimal]


@dataclass(frozen=True, slots=True)
class NamedMeasure:
    """A measure with its names and formula.

    Attributes:
        names: Its names, one for each wording.
        whole_years: Whether it is only asked for whole years.
    """

    names: tuple[str, str]
    takes: tuple[str, ...]
    computed: _Computed
    whole_years: bool = False


def _over(above: str, below: str) -> tuple[tuple[str, ...], _Computed]:
    return (above, below), lambda f: f[above] / f[below]


MEASURES: tuple[NamedMeasure, ...] = (
    NamedMeasure(("profit margin", "net margin"), *_over("net", "sales")),
    NamedMeasure(("operating margin", "operating profit margin"), *_over("operating", "sales")),
    NamedMeasure(("pretax margin", "pre-tax profit margin"), *_over("pretax", "sales")),
    NamedMeasure(("return on equity", "ROE"), *_over("net", "equity")),
    NamedMeasure(("return on assets", "ROA"), *_over("net", "assets")),
    NamedMeasure(("current ratio", "current ratio"), *_over("current assets", "current liabilities")),
    NamedMeasure(("cash ratio", "cash ratio"), *_over("cash", "current liabilities")),
    NamedMeasure(("asset turnover", "total asset turnover ratio"), *_over("sales", "assets")),
    NamedMeasure(("inventory turnover", "inventory turns"), *_over("cost", "inventories")),
    NamedMeasure(("receivables turnover", "accounts receivable turnover ratio"), *_over("sales", "receivables")),
    NamedMeasure(("interest coverage ratio", "times interest earned"), *_over("operating", "interest")),
    NamedMeasure(("dividend payout ratio", "payout ratio"), *_over("dividends", "net")),
    NamedMeasure(("equity ratio", "equity-to-assets ratio"), *_over("equity", "assets")),
    NamedMeasure(("operating cash flow margin", "operating cash flow margin percent"), *_over("operations", "sales")),
    NamedMeasure(
        ("quick ratio", "acid-test ratio"),
        ("current assets", "inventories", "current liabilities"),
        lambda f: (f["current assets"] - f["inventories"]) / f["current liabilities"],
    ),
    NamedMeasure(
        ("working capital", "net working capital"),
        ("current assets", "current liabilities"),
        lambda f: f["current assets"] - f["current liabilities"],
    ),
    NamedMeasure(("free cash flow", "FCF"), ("operations", "capex"), lambda f: f["operations"] - f["capex"]),
    NamedMeasure(
        ("free cash flow margin", "FCF margin"),
        ("operations", "capex", "sales"),
        lambda f: (f["operations"] - f["capex"]) / f["sales"],
    ),
    NamedMeasure(
        ("EBITDA", "earnings before interest, taxes, depreciation and amortization"),
        ("operating", "depreciation"),
        lambda f: f["operating"] + f["depreciation"],
    ),
    NamedMeasure(
        ("EBITDA margin", "EBITDA margin percentage"),
        ("operating", "depreciation", "sales"),
        lambda f: (f["operating"] + f["depreciation"]) / f["sales"],
    ),
    NamedMeasure(
        ("days sales outstanding", "DSO"),
        ("receivables", "sales"),
        lambda f: f["receivables"] / f["sales"] * 365,
        whole_years=True,
    ),
    NamedMeasure(
        ("days inventory outstanding", "DIO"),
        ("inventories", "cost"),
        lambda f: f["inventories"] / f["cost"] * 365,
        whole_years=True,
    ),
    NamedMeasure(
        ("gross margin percentage", "gross profit margin"),
        ("sales", "cost"),
        lambda f: (f["sales"] - f["cost"]) / f["sales"],
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MeasureQuestion:
    """A question for a measure, with its value.

    Attributes:
        named: Words in the label of a line that prints the measure itself.
    """

    text: str
    measure: str
    value: Decimal
    named: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Time:
    """A duration with figures in a filing, and its phrase in a question."""

    start: date
    end: date
    phrase: str
    year: int
    is_year: bool


def measure_questions(document: Document) -> tuple[MeasureQuestion, ...]:
    """Return the questions that the tags of a filing can answer, in two wordings each."""
    known = _known(document)
    times = sorted(_times(document, known), key=lambda time: (time.end, time.start), reverse=True)
    found: list[MeasureQuestion] = []
    with localcontext(prec=28):
        for time in times:
            for measure in MEASURES:
                if measure.whole_years and not time.is_year:
                    continue
                figures = {name: _figure(known, name, time) for name in measure.takes}
                if (value := _value(measure, figures)) is not None:
                    first, second = measure.names
                    texts = (f"what was the {first} {time.phrase}?", f"how much was {second} {time.phrase}?")
                    named = tuple(first.lower().removesuffix(" percentage").split())
                    found += [MeasureQuestion(text, first, value, named) for text in texts]
        found += _growth([time for time in times if time.is_year], known)
    return tuple(found)


_Known = Mapping[tuple[str, date | None, date], set[Decimal]]


def _known(document: Document) -> _Known:
    """Return the values without dimensions by concept and time."""
    found: defaultdict[tuple[str, date | None, date], set[Decimal]] = defaultdict(set)
    for tagged in document.facts:
        fact = tagged.fact
        if fact.value is not None and not fact.dimensions and fact.concept.startswith(_PREFIX):
            found[fact.concept.removeprefix(_PREFIX), fact.start, fact.end].add(fact.value)
    return found


def _times(document: Document, known: _Known) -> Iterator[_Time]:
    """Yield the durations of the income statement."""
    names = {(t.fact.start, t.fact.end): t.fact for t in document.facts}
    spans = {(start, end) for concept, start, end in known if start is not None and concept in _FIGURES["net"]}
    yearly = any((end - start).days > 340 for start, end in spans)
    for start, end in spans:
        fact, days = names[start, end], (end - start).days
        year = fact.year or end.year
        if days > 340:
            yield _Time(start, end, f"in {year}", year, is_year=True)
        elif not yearly and days < 100:
            yield _Time(start, end, f"in the three months ended {end:%B} {end.day}, {end.year}", year, is_year=False)
        elif not yearly:
            months = {6: "six", 9: "nine"}.get(round(days / 30.4))
            if months is not None:
                phrase = f"in the {months} months ended {end:%B} {end.day}, {end.year}"
                yield _Time(start, end, phrase, year, is_year=False)


def _figure(known: _Known, name: str, time: _Time) -> Decimal | None:
    start = None if name in _BALANCES else time.start
    for concept in _FIGURES[name]:
        values = known.get((concept, start, time.end), set())
        if len(values) == 1:
            return next(iter(values))
    return None


def _value(measure: NamedMeasure, figures: Mapping[str, Decimal | None]) -> Decimal | None:
    known = {name: value for name, value in figures.items() if value is not None}
    if len(known) < len(figures):
        return None
    try:
        return measure.computed(known)
    except ArithmeticError:
        return None


def _growth(years: Sequence[_Time], known: _Known) -> Iterator[MeasureQuestion]:
    """Yield questions for growth rates and averages over the first and the last year of a filing."""
    if len(years) < 3:
        return
    first, last = years[2], years[0]
    for name, called in (("sales", "revenue"), ("all net", "net income"), ("operating", "operating income")):
        values = [_figure(known, name, time) for time in years[:3]]
        if any(value is None for value in values):
            continue
        amounts = [value for value in values if value is not None]
        if min(amounts) > 0:
            rate = (amounts[0] / amounts[2]) ** (Decimal(1) / 2) - 1
            yield MeasureQuestion(
                f"what was the compound annual growth rate of {called} from {first.year} to {last.year}?", "CAGR", rate
            )
            yield MeasureQuestion(f"{called} CAGR {first.year} to {last.year}?", "CAGR", rate)
        mean = sum(amounts, Decimal(0)) / 3
        yield MeasureQuestion(f"what was the average {called} over {first.year} to {last.year}?", "average", mean)
        yield MeasureQuestion(f"what was average {called} over the last three years?", "average", mean)
    flows = [(_figure(known, "operations", time), _figure(known, "capex", time)) for time in years[:2]]
    (cash, spent), (cash_before, spent_before) = flows
    if None not in (cash, spent, cash_before, spent_before):
        change = (cash or 0) - (spent or 0) - (cash_before or 0) + (spent_before or 0)
        yield MeasureQuestion(
            f"how much did free cash flow change from {years[1].year} to {years[0].year}?", "change", Decimal(change)
        )
        yield MeasureQuestion(f"what was the change in free cash flow in {years[0].year}?", "change", Decimal(change))
