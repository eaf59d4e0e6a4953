"""Years that a question names only relative to others: "in the year before", "the last year of that period".

Only questions are considered, not the periods of earlier answers.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from quaestor.core.periods import find_period_edges
from quaestor.questions.question import Question

_OF_CHANGE = ("change", "increase", "decrease", "decline", "growth", "variation", "grow", "vary", "fluctuation")
_OVER_TIME = re.compile(r"\b(?:over|throughout|during) the\b")


def with_stated_years(question: Question, earlier: Sequence[Question]) -> Question:
    """Add the years that a question names relative to those of earlier ones.

    Args:
        earlier: The earlier questions, oldest first.
    """
    years = _read_stated_years(question, tuple(earlier))
    return replace(question, stated_years=years) if years else question


@lru_cache(maxsize=1024)
def _read_stated_years(question: Question, earlier: tuple[Question, ...]) -> tuple[int, ...]:
    edges = find_period_edges(question.lowered)
    if question.years or not (question.offsets or edges):
        return ()
    base = _find_base(earlier)
    if not base:
        return ()
    if edges:
        count = edges[0].count
        years = tuple(range(base[0], base[-1] + 1))
        return years[:count] if count > 0 else years[count:]
    offset = question.offsets[0]
    year = (base[0] if offset < 0 else base[-1]) + offset
    goes_on = _OVER_TIME.search(question.lowered) and not question.names
    if _mentions_change(question) or (goes_on and _mentions_change(earlier[-1])):
        # A change over the next year begins at the end of the previous period.
        return (year, year + 1) if offset < 0 else (year - 1, year)
    return (year,)


def _mentions_change(question: Question) -> bool:
    return any(word in question.lowered for word in _OF_CHANGE)


def _find_base(earlier: tuple[Question, ...]) -> tuple[int, ...]:
    """Return the first and last year of the latest question that names years."""
    for place in range(len(earlier) - 1, -1, -1):
        years = earlier[place].years or _read_stated_years(earlier[place], earlier[:place])
        if years:
            return (min(years), max(years))
    return ()
