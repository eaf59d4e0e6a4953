"""Ratios that a question asks for by name, said as the divisions that they are: "the current ratio".

What a name means is in `ontology/core.ttl`.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.stop_words import STOP_WORDS
from quaestor.core.words import words
from quaestor.ontology.core import read_core
from quaestor.ontology.patterns import find_phrase
from quaestor.ontology.ratios import FinancialRatio, LineItem
from quaestor.questions.intent import matching_patterns
from quaestor.questions.question import Question, read_question
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.page.matrix import NumberMatrix
from quaestor.solvers.embedded.page.number import CandidateNumber

_ASKS = re.compile(r".*\b(?:what|which|how|calculate|compute|determine|find|give|show|tell)\b(?: me\b)?")
"""All up to the last word that asks for what follows it."""
_OF_TO = re.compile(r"\s*of\b.*\b(?:to|over)\b")
"""After "ratio": of these two it is one, whatever word is before it."""

_QUALIFIERS = frozenset(stems("total consolidated loss benefit"))
"""What a label may say besides the figure's name: that it is the whole, or a sign in brackets."""
_OWNERS = frozenset(stems("attributable available"))
"""Whose share it is follows in a label; the owners' is the whole, unless it is the one of other interests."""
_TOLD = frozenset(
    stems("increased decreased declined rose fell grew totaled approximately fiscal million billion thousand dollars")
)
"""What may be between a figure's name and its number in a sentence."""


@dataclass(frozen=True, slots=True)
class _Named:
    """A ratio in a text of lower case: where its name begins and ends."""

    ratio: FinancialRatio
    start: int
    end: int


def expand_ratio(question: Question, leaves: NumberMatrix) -> Question:
    """Return a question with the name of a ratio replaced by what is divided by what, in lower case.

    So "what was the profit margin in 2015?" becomes "what was the net income divided by net revenue in 2015?", in the
    words of the page. It stays as it is where the page prints that ratio or lacks one of its figures, where it is asked
    how the ratio changed or compares, and where the question names none: one look into a cache.
    """
    named = _asked_for(question)
    if named is None or _is_printed(named.ratio, question.lowered[named.start : named.end], leaves):
        return question
    numerator, denominator = _printed(named.ratio.numerator, leaves), _printed(named.ratio.denominator, leaves)
    if numerator is None or denominator is None:
        return question
    told = f"{question.lowered[: named.start]}{numerator} divided by {denominator}{question.lowered[named.end :]}"
    return read_question(told)


@lru_cache(maxsize=1024)
def _asked_for(question: Question) -> _Named | None:
    """The ratio that a question asks for, and nothing but it."""
    lowered = question.lowered
    named = _named(lowered)
    if named is None:
        return None
    before, name, after = lowered[: named.start], lowered[named.start : named.end], lowered[named.end :]
    # Another word beside the name makes another figure of it: "the adjusted operating margin", "debt ratio covenant".
    # One further before it is what is asked for: "what was the tax benefit, based on the effective tax rate?"
    asks = _ASKS.match(before)
    alone = all(map(_says_nothing, (*words(before[asks.end() if asks else 0 :]), *words(after)[:1])))
    if not alone or _OF_TO.match(after) or _named(f"{before}|{after}") or not _asks_for_a_value(question, name):
        return None
    return named


@lru_cache(maxsize=1024)
def _named(text: str) -> _Named | None:
    """The ratio with the longest name in a text: a gross profit margin is not a profit margin."""
    found = [(span, ratio) for ratio in read_core().ratios if (span := find_phrase(text, ratio.matcher))]
    if not found:
        return None
    (start, end), ratio = max(found, key=lambda one: one[0][1] - one[0][0])
    return _Named(ratio, start, end)


def _says_nothing(word: str) -> bool:
    return word in STOP_WORDS or not word[0].isalpha() or word.endswith("'s")


def _asks_for_a_value(question: Question, name: str) -> bool:
    """Return whether a question asks for no change, sum or share; what its ratio's name says is left aside."""
    own = matching_patterns(name)
    others = (p for p in question.patterns if p not in own and not p.after and p.scale is None)
    return all(pattern.metric_type in (None, "value") for pattern in others)


def _is_printed(ratio: FinancialRatio, name: str, leaves: NumberMatrix) -> bool:
    """Return whether a number's labels, or its sentence, have all words of the name, or name the ratio otherwise."""
    said = frozenset(stems(name))
    for leaf, percent in zip(leaves.leaves, leaves.percent.tolist(), strict=True):
        labelled = _named(leaf.label.lower())
        if labelled is not None and labelled.ratio is not ratio:
            continue
        # A gross margin can be an amount too, so by another name a percentage has to be printed as one.
        otherwise = labelled is not None and (percent or ratio.metric_type != "percentage")
        if otherwise or said.issubset(leaf.around):
            return True
    return False


def _printed(item: LineItem, leaves: NumberMatrix) -> str | None:
    """The wording of a figure by which the page has an amount, or None."""
    amounts = [leaf for leaf, percent in zip(leaves.leaves, leaves.percent.tolist(), strict=True) if not percent]
    for wording in item.wordings:
        said = frozenset(stems(wording))
        if said <= leaves.vocabulary.keys() and any(_is_figure(leaf, said) for leaf in amounts):
            return wording
    return None


def _is_figure(leaf: CandidateNumber, wording: frozenset[str]) -> bool:
    if leaf.table < 0:
        return _leads_to(leaf, wording)
    return _is_called(leaf.row, wording) or _is_called(leaf.column, wording)


@lru_cache(maxsize=1024)
def _is_called(label: tuple[str, ...], wording: frozenset[str]) -> bool:
    """Return whether a label is the wording, which it may qualify: net income per share is no net income."""
    owner = next((i for i, stem in enumerate(label) if stem in _OWNERS), len(label))
    if "interest" in label[owner:]:
        return False
    own = label[:owner]
    # Inventories, net, are inventories; net debt is no debt.
    after = frozenset(own[-1:]) & {"net"}
    return wording <= frozenset(own) <= wording | _QUALIFIERS | after


def _leads_to(leaf: CandidateNumber, wording: frozenset[str]) -> bool:
    """Return whether the words just before a number in a sentence are the wording, or those just after it."""
    before, size = list(leaf.row), len(wording)
    while before and before[-1] in _TOLD:
        before.pop()
    return frozenset(before[-size:]) == wording or frozenset(leaf.column[:size]) == wording
