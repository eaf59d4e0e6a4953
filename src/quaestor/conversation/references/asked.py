"""A question, read once: its cues, what it asks for, the years and the words of its own."""

import re
from dataclasses import dataclass
from functools import lru_cache

from quaestor.conversation.metrics import matching_patterns
from quaestor.conversation.references.wording import FUNCTION_WORDS, cues_in
from quaestor.core.periods import find_periods, find_relative_periods
from quaestor.ontology.labels import singular

_ANYTHING = ("^",)
_CAPITAL = re.compile(r"[A-Z]")
_WORD = re.compile(r"[a-z][a-z&'-]*[a-z]|[a-z]")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question says of itself.

    Attributes:
        text: In lower case.
        cues: What it says, by name: the cues of `wording`, the patterns of the core, and whether it names things.
        years: That it names.
        relative: It names a year by its distance ("the prior year").
        words: Of meaning, singular.
    """

    text: str
    cues: frozenset[str]
    years: frozenset[int]
    relative: bool
    words: frozenset[str]


@lru_cache(maxsize=4096)
def read_asked(question: str) -> Asked:
    """Returns what a question says of itself."""
    text = question.lower()
    words = frozenset(singular(word) for word in _WORD.findall(text) if word not in FUNCTION_WORDS)
    mentioned = [mention.period for mention in find_periods(text)]
    years = frozenset(period.year for period in mentioned) | {period.last for period in mentioned if period.last}
    named = ("no year is named", "a year is named", "years are named")[min(len(years), 2)]
    thing = "a thing is named" if words else "no thing is named"
    patterns = frozenset(
        _pattern_words(pattern.name) for pattern in matching_patterns(question) if pattern.phrases != _ANYTHING
    )
    return Asked(
        text=text,
        cues=cues_in(text) | patterns | {named, thing},
        years=years,
        relative=bool(find_relative_periods(text)),
        words=words,
    )


def _pattern_words(name: str) -> str:
    """Returns `kg:PatternChangeOverBase` as "wording change over base"."""
    return "wording" + _CAPITAL.sub(lambda match: f" {match[0].lower()}", name.removeprefix("kg:Pattern"))
