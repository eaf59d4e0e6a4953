"""A parsed question: each part is parsed when it is first used, and cached with the question."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from quaestor.core.periods import PeriodMention, RelativePeriod, find_periods, find_relative_periods
from quaestor.core.quantity import Scale
from quaestor.core.words import FUNCTION_WORDS, names, singular
from quaestor.ontology.core import Order, QuestionPattern
from quaestor.questions import amounts, comparison, cues, entity, intent, stems

if TYPE_CHECKING:
    from quaestor.questions.answer_kind import AskedAnswer


@dataclass(frozen=True)
class Question:
    """A question. Two of the same text and years are equal.

    Attributes:
        stated_years: The years that it names by their distance from those of earlier questions, if it names none.
    """

    text: str
    stated_years: tuple[int, ...] = ()

    @cached_property
    def lowered(self) -> str:
        """The text in lower case, character by character: spans of it are spans of the text."""
        # Some letters become two in lower case; those stay.
        return "".join(low if len(low := letter.lower()) == 1 else letter for letter in self.text)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The stems of its words of meaning, in order."""
        return stems.stems(self.lowered)

    @cached_property
    def shapes(self) -> tuple[str, ...]:
        """All its words stemmed, years as `YEAR`, numbers as `NUM`."""
        return stems.shapes(self.lowered)

    @cached_property
    def names(self) -> frozenset[str]:
        """Its words that name a thing, in the singular."""
        return names_in(self.lowered)

    @cached_property
    def periods(self) -> tuple[PeriodMention, ...]:
        """The periods that it names, in order."""
        return tuple(find_periods(self.lowered))

    @cached_property
    def relative_periods(self) -> tuple[RelativePeriod, ...]:
        """The years that it names by their distance ("the previous year"), in order."""
        return find_relative_periods(self.lowered)

    @cached_property
    def years(self) -> tuple[int, ...]:
        """The years that it names, in order and each once, ranges as first and last."""
        return tuple(dict.fromkeys(self._years))

    @cached_property
    def year_set(self) -> frozenset[int]:
        """The years that it names."""
        return frozenset(self._years)

    @cached_property
    def _years(self) -> tuple[int, ...]:
        spans = ((mention.period.year, mention.period.last) for mention in self.periods)
        return tuple(year for span in spans for year in span if year is not None) or self.stated_years

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """The distances of its relative periods ("the previous year" is -1)."""
        return tuple(relative.offset for relative in self.relative_periods)

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The numbers in it that are not years, in digits."""
        return amounts.numbers_in(self.lowered, self.periods)

    @cached_property
    def counts(self) -> tuple[float, ...]:
        """The numbers in words: "two", "millions"; of two years, how many they are with those between."""
        return amounts.counts_in(self.lowered, self._years)

    @cached_property
    def patterns(self) -> tuple[QuestionPattern, ...]:
        """The core's question patterns that are in it, by name."""
        return intent.matching_patterns(self.lowered)

    @cached_property
    def pattern_names(self) -> frozenset[str]:
        """The names of its `patterns`."""
        return frozenset(pattern.name for pattern in self.patterns)

    @cached_property
    def order(self) -> Order | None:
        """Which operand comes first, by the first pattern that states it."""
        return next((pattern.order for pattern in self.patterns if pattern.order), None)

    @cached_property
    def scale(self) -> Scale | None:
        """The scale that it names ("in millions"), or None."""
        return intent.asked_scale(self.patterns)

    @cached_property
    def power(self) -> float | None:
        """The power of ten that it asks for ("in millions" is 6); None if it asks for none."""
        return intent.asked_power(self.lowered, self.scale)

    @cached_property
    def magnitude(self) -> bool:
        """Whether it wants the sign dropped; no other question does."""
        return any(pattern.magnitude for pattern in self.patterns)

    @cached_property
    def comparison(self) -> comparison.Comparison:
        """The two things that it compares; empty ones if it compares none."""
        return comparison.read_comparison(self.lowered)

    @cached_property
    def wants(self) -> "AskedAnswer":
        """The kind of answer that it asks for, and what it chooses among."""
        from quaestor.questions.answer_kind import read_answer_kind

        return read_answer_kind(self.lowered)

    @cached_property
    def cues(self) -> frozenset[str]:
        """The cues that it leans on earlier turns, or might: see `cues.QUESTION_CUES`."""
        return cues.question_cues(self.lowered, self.patterns, len(self.years), named=bool(self.names))

    @property
    def is_self_contained(self) -> bool:
        """Whether it names a thing, and has no word that refers to an earlier answer."""
        return bool(self.names) and self.cues.isdisjoint(cues.POINTING)

    @cached_property
    def entity(self) -> str | None:
        """What it is about, in its own words; None if it only points back."""
        return entity.named_entity(self.text)

    def metric_types(self, previous: str | None = None) -> tuple[intent.ScoredMetric, ...]:
        """Return the metric types that it may ask for, surest first; never empty.

        Args:
            previous: The metric type of the turn before, which decides what "and in 2008?" asks for; None before it.
        """
        return intent.scored_metrics(self.patterns, previous)


@lru_cache(maxsize=1024)
def read_question(text: str) -> Question:
    """Return a question with its white space folded; the last questions are cached by their text."""
    return Question(" ".join(text.split()))


NO_QUESTION = Question("")
"""If nothing is asked."""


def entity_asked(question: Question, earlier: Sequence[Question]) -> str | None:
    """Return what a question is about; one that only points back is about what those before it are about.

    Args:
        earlier: The questions before, oldest first.
    """
    return next((asked.entity for asked in (question, *reversed(earlier)) if asked.entity), None)


@lru_cache(maxsize=1024)
def names_in(text: str) -> frozenset[str]:
    """Return the words of a text of lower case that name a thing, in the singular.

    >>> sorted(names_in("what was the change in net operating revenues?"))
    ['operating', 'revenue']
    """
    return frozenset(singular(word) for word in names(text) if word not in FUNCTION_WORDS)
