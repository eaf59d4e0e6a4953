"""The words that refer to something said before, as plain data.

What a question asks for is told by the patterns of the ontology's core; how much each word and pattern counts is in
`weights.json`. Owns no judgement.
"""

import re
from functools import lru_cache

from quaestor.ontology.core import read_core

CUES: dict[str, str] = {
    "this": r"\bth(?:is|ese)\b",
    "that": r"\bth(?:at|ose)\b",
    "it": r"\b(?:it|its|they|them|their)\b",
    "two of them": r"\b(?:both|two|these|those)\s+(?:\w+\s+){0,2}(?:values?|numbers?|amounts?|years?|figures?"
    r"|percentages?|totals?|periods?|balances?|differences?|changes?|results?|items?|components?|prices?)|\bboth\b|\btwo\b",
    "three or more of them": r"\b(?:three|four|five|all)\b",
    "over the period": r"\b(?:during|over|in|for|throughout|through|across|within)\s+"
    r"(?:this|that|these|those|the|the same|its)\s+"
    r"(?:\w+\s+)?(?:time|times|period|years?|months?|two|three|timeframe|quarters?)\b|\bover the years?\b",
    "then": r"\b(?:then|so|thus|therefore|now)\b",
    "again": r"\bagain\b|\boriginal\b",
    "and": r"^(?:and|also)\b",
    "what about": r"^(?:and|so|now|then|or)?,?\s*(?:what|how) about\b|^(?:and|for|in|during|also|same)\b",
    "the former": r"\b(?:former|latter|previous|prior|preceding|earlier|aforementioned|mentioned|such|above)\b",
    "a number of its own": r"(?<![\w./,-])(?<!all )(?<!the )(?!(?:19|20)\d\d\b)\$?\d+(?:[.,]\d+)*(?![\w/-])"
    r"(?!\s+(?:years?|quarters?|months?|values?|numbers?|amounts?|items?)\b)",
    "in a year": r"\bin\s+(?:19|20)\d\d\b",
    "if": r"\b(?:if|assum\w+|considering|consider|given|suppose|based on|using)\b",
    "the value itself": r"\b(?:value|amount|number|balance|price|figure)\s*\??\s*$",
    "a conversion": r"\b(?:convert\w*|into|rounded"
    r"|in (?:thousands|millions|billions|hundreds|tens|percent\w*|dollars))\b",
    "an addition": r"\b(?:add(?:ed|ing)?|plus|includ(?:e|es|ing|ed)|adds|with the addition|when we|if we)\b",
}
"""Turns of phrase that lean on earlier turns, by name. Names are in words: reasons are made of them."""

PERIOD_NOUNS = frozenset("year period time timeframe quarter month date end beginning".split())

PLAIN_NOUNS = frozenset("value amount number figure result balance price quantity one".split())
"""Words for a result of whatever kind."""

ORDERS = {"former": 1, "previous": 1, "prior": 1, "preceding": 1, "latter": 0, "last": 0, "above": 0}
"""How many results back a word points, with the latest as 0."""

COUNTS = {"two": 2, "both": 2, "three": 3, "four": 4}

FUNCTION_WORDS = frozenset(
    "a an the of in on at to for from by with as and or is are was were be been being it its that this these those "
    "what which how much many did do does so then there their they them than between over during per s we our us "
    "about into has have had can also both each same such value amount year years period time now again relation "
    "represent account constitute percentage percent change difference increase decrease decline growth portion "
    "proportion share ratio total sum average mean combined net rate number result figure two three four one all "
    "converted convert million thousand billion divided times multiplied less minus plus added including just only "
    "would could will if when while throughout through within along among considering after before first last second "
    "start end original beginning ending previous prior following next earlier later year-end calculate find "
    "become becomes amounts values changed changes grow grew increased decreased declined greater higher lower "
    "more fiscal annual month quarter december january march june september october november february april may "
    "july august variation fluctuation not no corresponding correspond respectively still exactly equal i me my "
    "you please show tell give know want need".split()
)
"""Words that name no thing on the page."""


@lru_cache(maxsize=1)
def metric_nouns() -> frozenset[str]:
    """Returns how results are called, whatever their metric type, in one word each."""
    return frozenset(noun for kind in read_core().metric_types.values() for noun in kind.nouns if " " not in noun)


@lru_cache(maxsize=1024)
def calls(noun: str, metric: str) -> float:
    """Returns how well a noun names a result of a metric type: 1 its own, less for a kind of it, 0 another's.

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


_COMPILED = {name: re.compile(pattern) for name, pattern in CUES.items()}


def cues_in(text: str) -> frozenset[str]:
    """Returns the names of the `CUES` that a question in lower case has."""
    return frozenset(name for name, pattern in _COMPILED.items() if pattern.search(text))
