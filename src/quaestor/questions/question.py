"""A parsed question, whose parts are parsed on first use and cached."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from quaestor.core.periods import PeriodMention, RelativePeriod, find_periods, find_relative_periods
from quaestor.core.quantity import Scale
from quaestor.core.words import FUNCTION_WORDS, names, singular
from quaestor.ontology.core import Order, QuestionPattern
from quaestor.questions import amounts, comparison, cues, entity, metric_types, stems

if TYPE_CHECKING:
    from quaestor.questions.selection import RequestedAnswer


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
        return amounts.numbers_in(self.lowered, self.periods)

    @cached_property
    def counts(self) -> tuple[float, ...]:
        """The numbers in words ("two", "millions"); for two years, also the number of years they span."""
        return amounts.counts_in(self.lowered, self._years)

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
        return metric_types.asked_scale(self.patterns)

    @cached_property
    def power(self) -> float | None:
        """The power of ten that it asks for ("in millions" is 6), or None."""
        return metric_types.asked_power(self.lowered, self.scale)

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
