"""Words that refer to earlier turns, as data.

The ontology's core has the patterns for what a question asks for. The weights of words and patterns are in
`weights.json`.
"""

from collections.abc import Sequence
from functools import lru_cache

from quaestor.core.patterns import lazy_regex
from quaestor.core.words import NUMBER_WORDS
from quaestor.ontology.core import QuestionPattern, read_core

CUES: dict[str, str] = {
    "this": r"\bth(?:is|ese)\b",
    "that": r"\bth(?:at|ose)\b",
    "it": r"\b(?:it|its|they|them|their)\b",
    "two_of_them": r"\b(?:both|two|these|those)\s+(?:\w+\s+){0,2}(?:values?|numbers?|amounts?|years?|figures?"
    r"|percentages?|totals?|periods?|balances?|differences?|changes?|results?|items?|components?|prices?)|\bboth\b|\btwo\b",
    "three_or_more_of_them": r"\b(?:three|four|five|all)\b",
    "over_the_period": r"\b(?:during|over|in|for|throughout|through|across|within)\s+"
    r"(?:this|that|these|those|the|the same|its)\s+"
    r"(?:\w+\s+)?(?:time|times|period|years?|months?|two|three|timeframe|quarters?)\b|\bover the years?\b",
    "then": r"\b(?:then|so|thus|therefore|now)\b",
    "again": r"\bagain\b|\boriginal\b",
    "and": r"^(?:and|also)\b",
    "what_about": r"^(?:and|so|now|then|or)?,?\s*(?:what|how) about\b|^(?:and|for|in|during|also|same)\b",
    "the_former": r"\b(?:former|latter|previous|prior|preceding|earlier|aforementioned|mentioned|such|above)\b",
    "a_number_of_its_own": r"(?<![\w./,-])(?<!all )(?<!the )(?!(?:19|20)\d\d\b)\$?\d+(?:[.,]\d+)*(?![\w/-])"
    r"(?!\s+(?:years?|quarters?|months?|values?|numbers?|amounts?|items?)\b)",
    "in_a_year": r"\bin\s+(?:19|20)\d\d\b",
    "if": r"\b(?:if|assum\w+|considering|consider|given|suppose|based on|using)\b",
    "the_value_itself": r"\b(?:value|amount|number|balance|price|figure)\s*\??\s*$",
    "a_conversion": r"\b(?:convert\w*|into|rounded"
    r"|in (?:thousands|millions|billions|hundreds|tens|percent\w*|dollars))\b",
    "an_addition": r"\b(?:add(?:ed|ing)?|plus|includ(?:e|es|ing|ed)|adds|with the addition|when we|if we)\b",
}
"""Phrases that refer to earlier turns, by the name of their weights."""

POINTING = frozenset({"this", "that", "it", "two_of_them", "again", "the_former"})
"""Cues that refer to an earlier answer."""

_COMPILED = {name: lazy_regex(pattern) for name, pattern in CUES.items()}
_ANY_PHRASE = ("^",)
_CAPITAL = lazy_regex(r"[A-Z]")

PERIOD_NOUNS = frozenset("year period time timeframe quarter month date end beginning".split())

PLAIN_NOUNS = frozenset("value amount number figure result balance price quantity one".split())
"""Nouns for any kind of result."""

ORDERS = {"former": 1, "previous": 1, "prior": 1, "preceding": 1, "latter": 0, "last": 0, "above": 0}
"""How many results back a word refers, with 0 for the latest."""

COUNTS = {"both": 2} | {word: number for word, number in NUMBER_WORDS.items() if number > 1}
"""Number of things that a word refers to. "one" is missing because it replaces a noun ("this one")."""


@lru_cache(maxsize=1)
def metric_nouns() -> frozenset[str]:
    """Return the one-word nouns for results of any metric type."""
    return frozenset(noun for kind in read_core().metric_types.values() for noun in kind.nouns if " " not in noun)


@lru_cache(maxsize=1024)
def noun_fits_metric(noun: str, metric: str) -> float:
    """Return how well a noun names a result of a metric type: 1 for its own, 0.6 for a related type's, else 0.

    A percentage is a ratio and a percentage change is a change; a ratio may be called a percentage.
    """
    kinds = read_core().metric_types
    own = kinds.get(metric)
    if own is None:
        return 0
    if noun in own.nouns:
        return 1
    broader = [kinds[name] for name in own.broader]
    narrower = [kind for kind in kinds.values() if metric in kind.broader]
    return 0.6 if any(noun in kind.nouns for kind in (*broader, *narrower)) else 0


def question_cues(text: str, patterns: Sequence[QuestionPattern], years: int, *, named: bool) -> frozenset[str]:
    """Return the names of a question's cues: `CUES`, the core's patterns, and whether it names things.

    Args:
        text: In lower case.
    """
    cues = {name for name, pattern in _COMPILED.items() if pattern.search(text)}
    cues |= {pattern_words(pattern.name) for pattern in patterns if pattern.phrases != _ANY_PHRASE}
    cues.add(("no_year_is_named", "a_year_is_named", "years_are_named")[min(years, 2)])
    cues.add("a_thing_is_named" if named else "no_thing_is_named")
    return frozenset(cues)


def pattern_words(name: str) -> str:
    """Return the cue of a pattern: `wording_change_over_base` of `kg:PatternChangeOverBase`."""
    return "wording" + _CAPITAL.sub(lambda match: f"_{match[0].lower()}", name.removeprefix("kg:Pattern"))
