"""A question, read once: its cues, what it asks for, the years and the words of its own."""

import re
from dataclasses import dataclass
from functools import lru_cache

from quaestor.conversation.references.wording import ASKED, FUNCTION_WORDS, cues_in
from quaestor.core.periods import find_periods, find_relative_periods
from quaestor.ontology.labels import singular

_WORD = re.compile(r"[a-z][a-z&'-]*[a-z]|[a-z]")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question says of itself.

    Attributes:
        text: In lower case.
        cues: The names of its cues.
        metric: The metric type that it asks for.
        years: That it names.
        relative: It names a year by its distance ("the prior year").
        words: Of meaning, singular.
    """

    text: str
    cues: frozenset[str]
    metric: str
    years: frozenset[int]
    relative: bool
    words: frozenset[str]


@lru_cache(maxsize=4096)
def read_asked(question: str) -> Asked:
    """Returns what a question says of itself."""
    text = question.lower()
    cues = cues_in(text)
    years = {mention.period.year for mention in find_periods(text)}
    years |= {mention.period.last for mention in find_periods(text) if mention.period.last}
    return Asked(
        text=text,
        cues=cues,
        metric=next((metric for metric, cue in ASKED if cue in cues), "value"),
        years=frozenset(years),
        relative=bool(find_relative_periods(text)),
        words=frozenset(singular(word) for word in _WORD.findall(text) if word not in FUNCTION_WORDS),
    )
