"""The words that refer to something said before, and those that say what is asked.

One table of patterns, as plain data. Owns no judgement: how much a word counts is in `weights.json`.
"""

import re

_CHANGES = "changes?|increases?|decreases?|declines?|growth|variation|difference|reduction|rise|fall|gain|loss|drop"
_SHARES = "percent(?:age)?|portion|proportion|share|fraction|%|rate"

CUES: dict[str, str] = {
    "a percentage change": rf"(?:{_SHARES})(?:\s+\w+)?\s+(?:{_CHANGES})|growth rate|rate of (?:growth|change|return)"
    rf"|(?:{_CHANGES}) (?:rate|percent)|change in percent|roi\b|return on|rate of (?:increase|decrease|decline)",
    "a share": rf"\b(?:{_SHARES}|ratio|percentual)\b",
    "a ratio": r"\bratio\b|quotient|\bmultiple\b|\bper\b",
    "a change": rf"\b(?:{_CHANGES}|changed|grow|grew|increased?|decreased?|declined?|vary|varied|fluctuation)\b",
    "by how much": r"by how much|how much (?:did|does|do|was|were|is|higher|lower|more|less|greater)",
    "a sum": r"\b(?:sum|total|combined|together|aggregate|altogether|both)\b",
    "a plain total": r"\b(?:total|sum)\s*\??\s*$",
    "an addition": r"\b(?:add(?:ed|ing)?|plus|includ(?:e|es|ing|ed)|adds|with the addition|when we|if we)\b",
    "an average": r"\b(?:averaged?|mean)\b",
    "a multiple": r"\b(?:times|multipl\w+|product)\b",
    "a conversion": r"\b(?:convert\w*|into|rounded"
    r"|in (?:thousands|millions|billions|hundreds|tens|percent\w*|dollars))\b",
    "a division": r"\b(?:divid\w+|quotient)\b|\bdivided\b",
    "a subtraction": r"\b(?:less|minus|subtract\w*|excluding|without|net of|remain\w*|left)\b",
    "a comparison": r"\b(?:greater|higher|lower|smaller|larger|more than|less than|exceed\w*|outperform\w*)\b",
    "what it represents": r"\b(?:represents?|account(?:s|ed)? for|constitut\w+|correspond\w*|equivalent)\b",
    "in relation to": r"\b(?:in relation|relative|compared|in comparison|versus|against"
    r"|as an? (?:part|percent\w*|portion))\b",
    "of what": rf"\b(?:{_SHARES}|ratio|part|portion)\b.*\b(?:of|to|from)\b",
    "from one to another": r"\bfrom\b.*\bto\b|\bbetween\b.*\band\b",
    "what about": r"^(?:and|so|now|then|or)?,?\s*(?:what|how) about\b|^(?:and|for|in|during|also|same)\b",
    "and": r"^(?:and|also)\b",
    "then": r"\b(?:then|so|thus|therefore|now)\b",
    "again": r"\bagain\b|\boriginal\b",
    "this": r"\bth(?:is|ese)\b",
    "that": r"\bth(?:at|ose)\b",
    "it": r"\b(?:it|its|they|them|their)\b",
    "two of them": r"\b(?:both|two|these|those)\s+(?:\w+\s+){0,2}(?:values?|numbers?|amounts?|years?|figures?"
    r"|percentages?|totals?|periods?|balances?|differences?|changes?|results?|items?|components?|prices?)|\bboth\b|\btwo\b",
    "three or more of them": r"\b(?:three|four|five|all)\b",
    "over the period": r"\b(?:during|over|in|for|throughout|through|across|within)\s+"
    r"(?:this|that|these|those|the|the same|its)\s+"
    r"(?:\w+\s+)?(?:time|times|period|years?|months?|two|three|timeframe|quarters?)\b|\bover the years?\b",
    "a number of its own": r"(?<![\w./,-])(?!(?:19|20)\d\d\b)\$?\d+(?:[.,]\d+)*(?![\w/-])",
    "one": r"\b(?:one|1|100|hundred)\b",
    "the former": r"\b(?:former|latter|previous|prior|preceding|earlier|aforementioned|mentioned|such|above)\b",
    "the value itself": r"\b(?:value|amount|number|balance|price|figure)\s*\??\s*$",
    "net": r"\bnet\s+(?:change|difference|increase|decrease)\b",
    "in a year": r"\bin\s+(?:19|20)\d\d\b",
    "if": r"\b(?:if|assum\w+|considering|consider|given|suppose|based on|using)\b",
}  # fmt: skip
"""What a question says, by name, and how it is told. Names are in words: reasons are made of them."""

ASKED: tuple[tuple[str, str], ...] = (
    ("percentage_change", "a percentage change"),
    ("average", "an average"),
    ("comparison", "a comparison"),
    ("product", "a multiple"),
    ("ratio", "what it represents"),
    ("ratio", "a share"),
    ("ratio", "a ratio"),
    ("ratio", "a division"),
    ("change", "a change"),
    ("change", "a subtraction"),
    ("sum", "a sum"),
    ("sum", "an addition"),
)
"""The metric type that a question asks for, by the first of these cues that it has; else a value."""

METRICS: dict[str, tuple[str, ...]] = {
    "change": ("change", "difference", "increase", "decrease", "decline", "growth", "variation", "reduction", "gain",
               "loss", "drop", "fall", "rise"),
    "percentage_change": ("change", "percentage change", "growth rate", "growth", "increase", "decrease", "decline",
                          "rate", "percentage"),
    "ratio": ("ratio", "percentage", "percent", "portion", "proportion", "share", "fraction", "quotient", "rate"),
    "sum": ("total", "sum", "combined"),
    "average": ("average", "mean"),
    "product": ("product",),
    "value": ("value", "amount", "number", "balance", "total", "price", "figure"),
}  # fmt: skip
"""What a result of each metric type is called."""

METRIC_NOUNS = frozenset(noun for nouns in METRICS.values() for noun in nouns)

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
    "would could will if when while throughout through within along considering after before first last second "
    "start end original beginning ending previous prior following next earlier later year-end calculate find "
    "become becomes amounts values changed changes grow grew increased decreased declined greater higher lower "
    "more fiscal annual month quarter december january march june september october november february april may "
    "july august variation fluctuation not no corresponding correspond respectively still exactly equal i me my "
    "you please show tell give know want need".split()
)
"""Words that name no thing on the page."""

_COMPILED = {name: re.compile(pattern) for name, pattern in CUES.items()}


def cues_in(text: str) -> frozenset[str]:
    """Returns the names of the `CUES` that a question in lower case has."""
    return frozenset(name for name, pattern in _COMPILED.items() if pattern.search(text))
