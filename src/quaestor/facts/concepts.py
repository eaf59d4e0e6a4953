"""Which standard concept a line without tags is of: its label held against the phrases of the lexicon.

The same words name different things on different statements: "accounts receivable" is an amount on the balance sheet
and a change on the cash flow statement. So the role of the table decides between concepts, by their names.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

from quaestor.core.terms import terms
from quaestor.documents.table import TableRole
from quaestor.ontology.lexicon import Concept, read_lexicon

_WORD_IN_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+")
_CASH = re.compile(
    r":(?:Payments|Proceeds|Repayments|NetCash|IncreaseDecrease|IncomeTaxesPaid|InterestPaid|CashCashEquivalents\w{0,60}"
    r"PeriodIncrease|NoncashInvesting)"
)
_BALANCE = re.compile(
    r"(?:Current|Noncurrent|Payable|Receivable|Assets|Liabilities|Equity|Goodwill|InventoryNet|AtCarryingValue|Reserves?"
    r"|Deposits|Borrowings|PaperNet|Accumulated\w{0,80}|EquivalentsAndRestrictedCash\w{0,40}|Deficit|Capital|Value)$"
)
_ADJUSTS = re.compile(
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
        path: The labels above it, outermost first.
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
    places: Mapping[str, tuple[int, ...]]
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
    named = [(concept.name, phrase) for concept in read_lexicon().concepts.values() for phrase in _phrases_of(concept)]
    places: dict[str, list[int]] = defaultdict(list)
    for place, (_, phrase) in enumerate(named):
        for word in _main_terms(phrase):
            places[word].append(place)
    weights = {word: log(len(named) / len(having)) for word, having in places.items()}
    phrases = tuple((name, phrase, sum(weights[word] for word in _main_terms(phrase))) for name, phrase in named)
    return _PhraseIndex(phrases, {word: tuple(having) for word, having in places.items()}, weights)


def _phrases_of(concept: Concept) -> Iterable[tuple[str, ...]]:
    name = terms(" ".join(_WORD_IN_NAME.findall(concept.name.rpartition(":")[2])))
    return dict.fromkeys((*concept.phrases, name))


def _main_terms(words: Sequence[str]) -> frozenset[str]:
    return frozenset(word for word in words if word not in _SMALL_PART and not word[0].isdigit())
