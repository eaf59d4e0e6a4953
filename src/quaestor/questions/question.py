"""A parsed question, whose parts are parsed on first use and cached."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import isfinite, log10
from typing import TYPE_CHECKING

from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import PeriodMention, RelativePeriod, find_periods, find_relative_periods
from quaestor.core.quantity import Scale
from quaestor.core.words import FUNCTION_WORDS, NUMBER_WORDS, SCALE_WORDS, names, singular, words
from quaestor.ontology.core import Order, QuestionPattern
from quaestor.questions import comparison, cues, entity, metric_types, stems

if TYPE_CHECKING:
    from quaestor.questions.selection import RequestedAnswer

_NUMBER = lazy_regex(r"(?<![\w./])(?<![a-z]-)\$?(\d[\d,]*(?:\.\d+)?)(?![\w.]*\d|/)")
"""Excludes numbers in names ("class b-3"), dates and fractions ("12/18")."""
_NAMES_A_PLACE = lazy_regex(r"\b(?:note|item|part|schedule|exhibit) $")
"""Words before a number that identifies a place: "according to note 15"."""
_DOLLARS = lazy_regex(r"\bin (?:full |us |u\.s\. )*dollars\b")
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


@dataclass(frozen=True)
class Question:
    """Parsed question; questions with the same text and years are equal.

    Attributes:
        stated_years: Years given relative to those of earlier questions, if the question names none itself.
    """

    text: str
    stated_years: tuple[int, ...] = ()

    @cached_property
    def lowered(self) -> str:
        """The text in lower case, with the same length, so that spans are valid in both."""
        # letters whose lower case has two characters stay
        return "".join(low if len(low := letter.lower()) == 1 else letter for letter in self.text)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The stems of the words that carry meaning, in order."""
        return stems.stems(self.lowered)

    @cached_property
    def shapes(self) -> tuple[str, ...]:
        """All words stemmed, with years as `YEAR` and numbers as `NUM`."""
        return stems.shapes(self.lowered)

    @cached_property
    def names(self) -> frozenset[str]:
        """The words that name a thing, in the singular."""
        return names_in(self.lowered)

    @cached_property
    def periods(self) -> tuple[PeriodMention, ...]:
        """The named periods, in order."""
        return tuple(find_periods(self.lowered))

    @cached_property
    def relative_periods(self) -> tuple[RelativePeriod, ...]:
        """The relative years ("the previous year"), in order."""
        return find_relative_periods(self.lowered)

    @cached_property
    def years(self) -> tuple[int, ...]:
        """The distinct named years, in order; a range counts as its first and last year."""
        return tuple(dict.fromkeys(self._years))

    @cached_property
    def year_set(self) -> frozenset[int]:
        """The named years."""
        return frozenset(self._years)

    @cached_property
    def _years(self) -> tuple[int, ...]:
        spans = ((mention.period.year, mention.period.last) for mention in self.periods)
        return tuple(year for span in spans for year in span if year is not None) or self.stated_years

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """The offsets of the relative periods ("the previous year" is -1)."""
        return tuple(relative.offset for relative in self.relative_periods)

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The numbers in digits that are not years."""
        return numbers_in(self.lowered, self.periods)

    @cached_property
    def counts(self) -> tuple[float, ...]:
        """The numbers in words ("two", "millions"); for two years, also the number of years they span."""
        return counts_in(self.lowered, self._years)

    @cached_property
    def patterns(self) -> tuple[QuestionPattern, ...]:
        """The core's question patterns that match the text."""
        return metric_types.matching_patterns(self.lowered)

    @cached_property
    def pattern_names(self) -> frozenset[str]:
        """The names of its `patterns`."""
        return frozenset(pattern.name for pattern in self.patterns)

    @cached_property
    def order(self) -> Order | None:
        """The order of the operands, from the first pattern that states one."""
        return next((pattern.order for pattern in self.patterns if pattern.order), None)

    @cached_property
    def scale(self) -> Scale | None:
        """The scale that it names ("in millions"), or None."""
        return next((Scale(pattern.scale) for pattern in self.patterns if pattern.scale), None)

    @cached_property
    def power(self) -> float | None:
        """The power of ten that it asks for ("in millions" is 6), or None."""
        if self.scale is not None and self.scale is not Scale.PERCENT:
            return log10(self.scale.factor)
        return 0.0 if _DOLLARS.search(self.lowered) else None

    @cached_property
    def magnitude(self) -> bool:
        """Whether it asks for a number without its sign."""
        return any(pattern.magnitude for pattern in self.patterns)

    @cached_property
    def comparison(self) -> comparison.Comparison:
        """The comparison that it makes; its sides are empty if there is none."""
        return comparison.read_comparison(self.lowered)

    @cached_property
    def wants(self) -> "RequestedAnswer":
        """The kind of answer that it asks for, with the selection."""
        from quaestor.questions.selection import read_answer_kind

        return read_answer_kind(self.lowered)

    @cached_property
    def cues(self) -> frozenset[str]:
        """The cues for a reference to earlier turns: see `cues.question_cues`."""
        return cues.question_cues(self.lowered, self.patterns, len(self.years), named=bool(self.names))

    @property
    def is_self_contained(self) -> bool:
        """Whether it names a thing and has no word that refers to an earlier answer."""
        return bool(self.names) and self.cues.isdisjoint(cues.POINTING)

    @cached_property
    def entity(self) -> str | None:
        """The topic in its own words; None if it only refers to earlier turns."""
        return entity.named_entity(self.text)

    def metric_types(self, previous: str | None = None) -> tuple[metric_types.ScoredMetric, ...]:
        """Return the metric types that it may ask for, most certain first; never empty.

        Args:
            previous: The metric type of the previous turn, which decides what "and in 2008?" asks for, or None.
        """
        return metric_types.scored_metrics(self.patterns, previous)


@lru_cache(maxsize=1024)
def read_question(text: str) -> Question:
    """Return a question with normalized white space, cached by its text."""
    return Question(" ".join(text.split()))


NO_QUESTION = Question("")
"""Placeholder if nothing is asked."""


def entity_asked(question: Question, earlier: Sequence[Question]) -> str | None:
    """Return the topic of a question; if it only refers to earlier turns, the topic of the latest one that has one.

    Args:
        earlier: The earlier questions, oldest first.
    """
    return next((item.entity for item in (question, *reversed(earlier)) if item.entity), None)


@lru_cache(maxsize=1024)
def names_in(text: str) -> frozenset[str]:
    """Return the words of a lower-case text that name a thing, in the singular.

    >>> sorted(names_in("what was the change in net operating revenues?"))
    ['operating', 'revenue']
    """
    return frozenset(singular(word) for word in names(text) if word not in FUNCTION_WORDS)
