"""What the tables of a filing count, by their captions: dollars in millions, shares in thousands.

Owns captions that stand in a line of their own, and what they except. What single labels say is `captions`'.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.quantity import Scale

_WORDS = {"thousand": Scale.THOUSAND, "million": Scale.MILLION, "billion": Scale.BILLION, "000": Scale.THOUSAND}
_LINE = re.compile(
    r"[(\[]?\s*(?:unaudited(?:\s*[;,\u2013\u2014-])?\s*|(?:all|tabular|financial)\s+)*"
    r"(?:(?:u\.?s\.?\s+)?(?:dollars?|dollar\s+amounts|amounts?|shares?|units|figures|\$|us\$|currency|values?)\s+"
    r"(?:and\s+[a-z ]{3,40}\s+)?)?(?:(?:are|is|expressed|stated|presented|shown|reported)\s+)*"
    r"(?:in\s+)?(?:(?:u\.?s\.?\s+)?(?:\$|dollars?)\s+)?(?:in\s+)?(?:thousands|millions|billions|000s|\$\s?000'?s)\b"
    r"[^0-9]{0,220}[)\].:]*",
    re.IGNORECASE,
)
_SCALED = re.compile(
    r"(?P<what>\b(?:shares?|units|options|awards)\b[^,;()]{0,40}?)?\b(?P<word>thousand|million|billion)s?\b|\b000", re.I
)
_WITH_SHARES = re.compile(r"\b(?:dollars?|amounts|\$)\s+(?:and|,)\s+s?$", re.IGNORECASE)
_EXCEPT = re.compile(r"\bexcept(?:ing)?\b|\bother than\b|\bexcluding\b", re.IGNORECASE)
_PER = re.compile(r"\bper[\s-]+(?:[a-z]+[\s-]+)?(?:shares?|units?)\b|\bper[\s-][a-z]+", re.IGNORECASE)
_SHARES = re.compile(r"\bshares?\b", re.IGNORECASE)
_CURRENCIES = (
    (re.compile(r"\bcanadian dollars|C\$", re.IGNORECASE), "CAD"),
    (re.compile(r"\$|\bdollars?\b|\bUSD\b", re.IGNORECASE), "USD"),
    (re.compile(r"\beuros?\b|€|\bEUR\b", re.IGNORECASE), "EUR"),
    (re.compile(r"\bpounds?\b|£|\bGBP\b", re.IGNORECASE), "GBP"),
    (re.compile(r"\byen\b|¥|\bJPY\b", re.IGNORECASE), "JPY"),
)


@dataclass(frozen=True, slots=True)
class Amounts:
    """What a caption says of the numbers below it; None where it says nothing.

    Attributes:
        scale: Of amounts of money, and of all that it does not except.
        unit: The currency.
        shares: The scale of numbers of shares.
    """

    scale: Scale | None = None
    unit: str | None = None
    shares: Scale | None = None


@lru_cache(maxsize=4096)
def read_amounts(text: str) -> Amounts:
    """Returns what a caption says.

    >>> read_amounts("(In millions, except number of shares, which are in thousands, and per-share amounts)").shares
    <Scale.THOUSAND: 'thousand'>
    """
    kept, *excepted = _EXCEPT.split(text[:600], maxsplit=1)
    scale = shares = None
    for found in _SCALED.finditer(kept):
        named = _WORDS[(found["word"] or "000").casefold()]
        both = found["what"] and _WITH_SHARES.search(kept, 0, found.start() + 1)
        if found["what"]:
            shares = shares or named
        if both or not found["what"]:
            scale = scale or named
    if scale and shares is None:
        shares = scale
        exception = _PER.sub(" ", excepted[0]) if excepted else ""
        if _SHARES.search(exception):
            word = re.search("thousand|million", exception, re.IGNORECASE)
            shares = _WORDS[word[0].casefold()] if word else Scale.ONE
    unit = next((code for pattern, code in _CURRENCIES if pattern.search(kept)), None)
    return Amounts(scale, unit, shares)


def is_amounts_line(text: str) -> bool:
    """Whether a line is nothing but a caption ("(Dollars in millions, except per share data)")."""
    return 5 < len(text) < 300 and _LINE.fullmatch(text.strip()) is not None


_LEADS = re.compile(
    r"\(((?:[^()]|\([^()]{0,40}\)){0,200}\b(?:thousands|millions|billions)\b(?:[^()]|\([^()]{0,40}\)){0,200})\)", re.I
)
_ENDS = re.compile(
    r"(?:\b(?:dollars|amounts|shares|\$)\s+)?\bin\s+(?:thousands|millions|billions)\b[^.:0-9]{0,160}[\s.:]*$", re.I
)


def amounts_in_text(text: str) -> Amounts:
    """Returns what the sentence before a table says of its numbers: in brackets, or at its end."""
    found = _LEADS.search(text) or _ENDS.search(text)
    return read_amounts(found[0]) if found else Amounts()
