"""How likely a question repeats what the one before asked to be done, for another time, member or line."""

import re

import numpy as np
from numpy.typing import NDArray

from quaestor.core.terms import terms
from quaestor.questions.listing import asks_for_parts
from quaestor.questions.understanding import INTENTS, Reading

_OPERATION = re.compile(
    r"%|\b(?:percent\w*|pct|gr[eo]w\w*|growth|yoy|y/y|cagr|average|avg|mean|sum|total|together|combined|add\w*|plus|less"
    r"|net of|ratio|margin|share|per|split|break\w*|by|each|list|which|who|biggest|largest|smallest|highest|lowest|best"
    r"|worst|rank\w*|more|fewer|higher|lower|up|down|ris\w+|rose|f[ae]ll\w*|drop\w*|declin\w+|increas\w+|decreas\w+"
    r"|chang\w+|differ\w+|compar\w+|vs|versus|than|why|how (?:come|much|many|big|fast|does|do|did|is|was)|relative"
    r"|times|cover\w*|turnover|rate|did|is|was|were|does|do|are|any|has|have|when|where|what (?:drove|caused)|reason\w*"
    r"|because|describe|explain)\b"
)
"""Words that ask for an operation, or for something else than a number."""
_TOTAL = re.compile(r"\b(?:total|sums?|altogether|together|combined|add (?:them|those|these))\b")
_PART = re.compile(r"%|\b(?:share|percent\w*|pct|portion|part|fraction|average|avg)\b")
_OPENS = re.compile(r"^\W{0,3}(?:and|what about|how about|same|just|only|for|then|ok|so|also)\b")

_PARTS = 0.7
"""How likely a question that asks for all parts of something is one for a list whatever else its words are like."""
_OTHER_TIME, _OTHER_THING, _OTHER_MEASURE = 0.7, 0.6, 0.25
"""How often a short question that names only another time, or begins like one that goes on and names another member or
another measure, repeats the operation: counted on labelled conversations."""

_CONSTANT = frozenset(terms("constant currency"))
COMPARATIVES = frozenset(
    terms(
        "more less fewer better worse higher lower bigger smaller larger faster slower above below up down jump slip "
        "gain lose lost cagr compound yr y/y yoy growth rate percent point points cents stretch period basis "
        "move gone go come add segment region country geography product split break category department function "
        "program business type line unit pls please thing fastest slowest strongest weakest heaviest best "
        "worst biggest largest smallest highest lowest most least quickest single one two three four which "
        "item component carry piece slice portion later earlier latter former heaviest break down"
    )
)
"""Terms of operations, which name nothing that is measured."""


def with_repetition(
    shares: NDArray[np.float64], reading: Reading, before: str, *, times: int = 1, listed: bool = False
) -> NDArray[np.float64]:
    """Return the probabilities of the intents of a question, mixed with that of the one before if it may repeat it.

    Args:
        shares: By `INTENTS`, of the question by itself.
        before: The intent of the one before; "" of the first of a conversation.
        times: How many times the question names.
        listed: Whether the last answer lists several numbers, so that a mere "total?" adds them up.
    """
    text = reading.text.lower()
    named = any(set(operand.terms) - COMPARATIVES for operand in reading.operands)
    if listed and not named and not reading.moments and _TOTAL.search(text) and not _PART.search(text):
        mixed = (1 - _OTHER_TIME) * shares
        mixed[INTENTS.index("sum")] += _OTHER_TIME
        return mixed
    if asks_for_parts(text):
        mixed = (1 - _PARTS) * shares
        mixed[INTENTS.index("list")] += _PARTS
        return mixed
    if before not in _REPEATED or _OPERATION.search(text):
        return shares
    repeats = 0.0
    if not named and reading.moments:
        repeats = _OTHER_TIME
    elif named and _OPENS.search(text):
        repeats = _OTHER_MEASURE if "measure" in reading.slots else _OTHER_THING
    mixed = (1 - repeats) * shares
    mixed[INTENTS.index("list" if times > 1 and before in _OF_ONE_TIME else before)] += repeats
    return mixed


_OF_ONE_TIME = frozenset({"ratio", "share", "sum"})
"""Intents whose answers are of one time each: of several times they are listed."""
_REPEATED = frozenset({"growth", "change", "cagr", "average", "ratio", "share", "sum", "list", "ranking", "comparison"})


def as_printed(shares: NDArray[np.float64], reading: Reading) -> NDArray[np.float64]:
    """Return the probabilities of the intents of a question: growth in constant currency is printed, never computed."""
    if not _CONSTANT.issubset(reading.whole.phrase):
        return shares
    mixed = shares.copy()
    for intent in ("growth", "change"):
        mixed[INTENTS.index("lookup")] += mixed[INTENTS.index(intent)]
        mixed[INTENTS.index(intent)] = 0.0
    return mixed
