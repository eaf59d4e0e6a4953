"""What the tables of a filing count, by their captions: dollars in millions, shares in thousands.

Owns captions that stand in a line of their own, and what they except. What single labels say is `captions`'.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.quantity import Scale
from quaestor.documents.unit_phrases import (
    SCALE_WORD,
    currency_named,
    find_currency_phrase,
    find_unit_phrase,
    is_unit_line,
    scale_called,
)

_SCALED = re.compile(
    rf"(?P<what>\b(?:shares?|units|options|awards)\b[^,;()]{{0,40}}?)?(?P<word>\b{SCALE_WORD}(?![A-Za-z])|(?<![0-9.,])000)",
    re.I,
)
_WITH_SHARES = re.compile(r"\b(?:dollars?|amounts|\$)\s+(?:and|,)\s+s?$", re.IGNORECASE)
_EXCEPT = re.compile(r"\bexcept(?:ing)?\b|\bother than\b|\bexcluding\b", re.IGNORECASE)
_PER = re.compile(r"\bper[\s-]+(?:[a-z]+[\s-]+)?(?:shares?|units?)\b|\bper[\s-][a-z]+", re.IGNORECASE)
_SHARES = re.compile(r"\bshares?\b", re.IGNORECASE)


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
    phrase = find_unit_phrase(kept)
    for found in _SCALED.finditer(kept):
        named = scale_called(found["word"])
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
            shares = scale_called(word[0]) if word else Scale.ONE
    if phrase is not None:
        return Amounts(scale or (None if shares else phrase.scale), phrase.currency or currency_named(kept), shares)
    alone = find_currency_phrase(kept)
    in_ones = alone is not None and scale is None and "in " in kept[alone.start : alone.end].casefold()
    return Amounts(Scale.ONE if in_ones else scale, alone.currency if alone else currency_named(kept), shares)


def is_amounts_line(text: str) -> bool:
    """Whether a line is nothing but a caption ("(Dollars in millions, except per share data)")."""
    return len(text) > 1 and is_unit_line(text)


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
