"""Numbers in a question, in digits and in words."""

from collections.abc import Sequence
from math import isfinite

from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import PeriodMention
from quaestor.core.words import NUMBER_WORDS, SCALE_WORDS, words

_NUMBER = lazy_regex(r"(?<![\w./])(?<![a-z]-)\$?(\d[\d,]*(?:\.\d+)?)(?![\w.]*\d|/)")
"""Excludes numbers in names ("class b-3"), dates and fractions ("12/18")."""
_NAMES_A_PLACE = lazy_regex(r"\b(?:note|item|part|schedule|exhibit) $")
"""Words before a number that identifies a place: "according to note 15"."""
_LONGEST = 10
"""Limit for the number of years between two named years to be counted."""

_MOST = 6

_COUNTS = {
    **{word: number for word, number in NUMBER_WORDS.items() if number <= _MOST},
    **SCALE_WORDS,
    **{f"{word}s": number for word, number in SCALE_WORDS.items() if word != "hundred"},
}
"""Number words up to six, without "hundreds": the embedded solver's weights were trained without the others, and an
unknown constant lowers the confidence of any answer. To be extended when the weights are trained again.
"""


def numbers_in(text: str, periods: Sequence[PeriodMention]) -> tuple[float, ...]:
    """Return the distinct numbers in digits of a lower-case text, except those in periods."""
    found = (
        float(match[1].replace(",", ""))
        for match in _NUMBER.finditer(text)
        if not any(period.start <= match.start() < period.end for period in periods)
        and not _NAMES_A_PLACE.search(text[: match.start()])
    )
    # too large numbers become infinite and cannot be used
    return tuple(dict.fromkeys(filter(isfinite, found)))


def counts_in(text: str, years: Sequence[int]) -> tuple[float, ...]:
    """Return the distinct numbers in words; for two years, also the number of years from one to the other, inclusive.

    Args:
        text: In any case.
        years: The years that it names, with repeats.
    """
    counts = [float(_COUNTS[word]) for word in words(text) if word in _COUNTS]
    if len(years) == 2 and abs(years[1] - years[0]) < _LONGEST:
        counts.append(abs(years[1] - years[0]) + 1.0)
    return tuple(dict.fromkeys(counts))
