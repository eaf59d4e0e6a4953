"""What a question says: its words, the years that it names, the numbers in it."""

import re
from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.periods import find_periods, find_relative_periods
from quaestor.solvers.embedded.text import shapes, stems

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


HINTS: dict[str, str] = {
    "as_percentage": r"(?:as|in) (?:an? )?(?:percent|percentage|portion|share|proportion|fraction)",
    "percentage_of": r"(?:percent|percentage|portion|share|proportion|fraction)(?: did)?(?: of| that)",
    "represents": r"represent|account|constitut",
    "in_relation": r"in relation to|relative to|compared|versus",
    "was_due": r"(?:is|was|were|are) (?:due|from|made|related|attribut|compos|dedicat|alloc|of)",
    "ratio": r"\bratio\b|\bper\b",
    "divided": r"divided|\bover\b|by the",
    "times": r"\btimes\b|multipl|product",
    "plus": r"\bplus\b|added to",
    "less": r"\bless\b|minus|subtract|without|excluding",
    "from_to": r"\bfrom\b.*\bto\b",
    "between": r"between",
    "decline": r"decreas|declin|reduc|fell|drop|loss",
    "increase": r"increas|grow|grew|rise|rose|gain|exceed|greater|higher|more",
    "percent_change": r"percent(?:age)? (?:change|increase|decrease|growth|variation)|growth rate|rate of",
    "average": r"averag|\bmean\b",
    "including": r"includ|adding|plus|combined|together|sum",
    "that": r"\b(?:that|this|it|those|these|them|its)\b",
    "and_start": r"^(?:and|what about|how about|so)\b",
    "negative": r"negativ|positive|magnitude|absolute",
    "what_year": r"(?:what|which) year",
}
"""Turns of phrase that tell which operand comes first or what is done, by name."""

_HINTS = {name: re.compile(pattern) for name, pattern in HINTS.items()}


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
        counts: The numbers in words: "two", "millions".
        hints: The names of the `HINTS` in it.
    """

    text: str
    stems: tuple[str, ...]
    shapes: tuple[str, ...]
    years: tuple[int, ...]
    offsets: tuple[int, ...]
    numbers: tuple[float, ...]
    counts: tuple[float, ...]
    hints: frozenset[str]


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
    return Question(
        text=lowered,
        stems=stems(lowered),
        shapes=shapes(lowered),
        years=tuple(dict.fromkeys(years)),
        offsets=tuple(relative.offset for relative in find_relative_periods(lowered)),
        numbers=tuple(dict.fromkeys(numbers)),
        counts=tuple(dict.fromkeys(counts)),
        hints=frozenset(name for name, pattern in _HINTS.items() if pattern.search(lowered)),
    )
