"""The numbers in a question, in digits and in words."""

from collections.abc import Sequence
from math import isfinite

from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import PeriodMention
from quaestor.core.words import NUMBER_WORDS, SCALE_WORDS, words

_NUMBER = lazy_regex(r"(?<![\w./])(?<![a-z]-)\$?(\d[\d,]*(?:\.\d+)?)(?![\w.]*\d|/)")
"""Not of a name ("class b-3") nor of a date or a fraction ("12/18")."""
_NAMES_A_PLACE = lazy_regex(r"\b(?:note|item|part|schedule|exhibit) $")
"""Before a number that counts nothing: "according to note 15"."""
_LONGEST = 10
"""The years from one named to another are counted where they are fewer."""

_MOST = 6

_COUNTS = {
    **{word: number for word, number in NUMBER_WORDS.items() if number <= _MOST},
    **SCALE_WORDS,
    **{f"{word}s": number for word, number in SCALE_WORDS.items() if word != "hundred"},
}
"""No number above six, and no "hundreds": the embedded solver's weights were fitted without them, and a constant that
they do not know makes an answer less sure, right or wrong. To be widened when the weights are made anew.
"""


def numbers_in(text: str, periods: Sequence[PeriodMention]) -> tuple[float, ...]:
    """Return the numbers in digits of a text of lower case that belong to no period, each once."""
    found = (
        float(match[1].replace(",", ""))
        for match in _NUMBER.finditer(text)
        if not any(period.start <= match.start() < period.end for period in periods)
        and not _NAMES_A_PLACE.search(text[: match.start()])
    )
    # Nothing can be computed with a number of hundreds of digits.
    return tuple(dict.fromkeys(filter(isfinite, found)))


def counts_in(text: str, years: Sequence[int]) -> tuple[float, ...]:
    """Return the numbers in words of a text, each once; of two years also how many they are with those between.

    Args:
        text: Whatever its case.
        years: That it names, each as often as it does.
    """
    counts = [float(_COUNTS[word]) for word in words(text) if word in _COUNTS]
    if len(years) == 2 and abs(years[1] - years[0]) < _LONGEST:
        counts.append(abs(years[1] - years[0]) + 1.0)
    return tuple(dict.fromkeys(counts))
