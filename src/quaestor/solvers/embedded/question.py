"""What a question says: its words, the years that it names, the numbers in it."""

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from quaestor.conversation.metrics import asked_scale, matching_patterns
from quaestor.core.periods import find_periods, find_relative_periods
from quaestor.core.quantity import Scale
from quaestor.solvers.embedded.sides import Sides, read_sides
from quaestor.solvers.words import shapes, stems

_NUMBER = re.compile(r"(?<![\w.])\$?(\d[\d,]*(?:\.\d+)?)(?![\w.]*\d)")
_WORDS = {
    "hundred": 100.0,
    "thousand": 1000.0,
    "million": 1e6,
    "millions": 1e6,
    "thousands": 1e3,
    "billion": 1e9,
    "billions": 1e9,
    "one": 1.0,
    "two": 2.0,
    "three": 3.0,
    "four": 4.0,
    "five": 5.0,
    "six": 6.0,
}
_LONGEST = 10
"""The years from one named to another are counted where they are fewer."""
_DOLLARS = re.compile(r"\bin (?:full |us |u\.s\. )*dollars\b")

SEVERAL = frozenset({"kg:PatternSum", "kg:PatternSumOfYears", "kg:PatternAverage", "kg:PatternAverageNamed"})
"""The core's question patterns that speak of several numbers taken together."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read once.

    Attributes:
        text: As asked, in lower case.
        stems: The stems of its words of meaning, in order.
        shapes: All its words stemmed, years as `YEAR`, numbers as `NUM`.
        years: The years that it names, in order, ranges as first and last.
        positions: For each stem its first character position in the text, as a share of the length.
        offsets: The distances of relative periods in it ("the previous year" is -1).
        numbers: The numbers in it that are no years, in digits.
        counts: The numbers in words: "two", "millions"; of two years, how many they are with those between.
        patterns: The names of the core's question patterns in it.
        sides: The two sides of what it compares.
        power: The power of ten that it asks for ("in millions" is 6); None where it asks for none.
    """

    text: str
    stems: tuple[str, ...]
    shapes: tuple[str, ...]
    years: tuple[int, ...]
    offsets: tuple[int, ...]
    numbers: tuple[float, ...]
    counts: tuple[float, ...]
    patterns: frozenset[str]
    sides: Sides
    power: float | None


@lru_cache(maxsize=4096)
def read_question(text: str) -> Question:
    """Returns the question as the solver sees it."""
    lowered = text.lower()
    years: list[int] = []
    spans = []
    for mention in find_periods(lowered):
        years.append(mention.period.year)
        if mention.period.last is not None:
            years.append(mention.period.last)
        spans.append((mention.start, mention.end))
    numbers = [
        float(match[1].replace(",", ""))
        for match in _NUMBER.finditer(lowered)
        if not any(start <= match.start() < end for start, end in spans)
    ]
    counts = [_WORDS[word] for word in re.findall(r"[a-z]+", lowered) if word in _WORDS]
    if len(years) == 2 and abs(years[1] - years[0]) < _LONGEST:
        counts.append(abs(years[1] - years[0]) + 1.0)
    return Question(
        text=lowered,
        stems=stems(lowered),
        shapes=shapes(lowered),
        years=tuple(dict.fromkeys(years)),
        offsets=tuple(relative.offset for relative in find_relative_periods(lowered)),
        numbers=tuple(dict.fromkeys(numbers)),
        counts=tuple(dict.fromkeys(counts)),
        patterns=frozenset(pattern.name for pattern in matching_patterns(lowered)),
        sides=read_sides(lowered),
        power=_power(lowered),
    )


def _power(text: str) -> float | None:
    scale = asked_scale(text)
    if scale is not None and scale is not Scale.PERCENT:
        return float(math.log10(scale.factor))
    return 0.0 if _DOLLARS.search(text) else None
