"""A question, read once: its cues, what it asks for, the years and the words of its own."""

import re
from dataclasses import dataclass
from functools import lru_cache

from quaestor.conversation.metrics import matching_patterns
from quaestor.conversation.references.wording import FUNCTION_WORDS, cues_in
from quaestor.core.periods import find_periods
from quaestor.ontology.labels import singular

_ANYTHING = ("^",)
_CAPITAL = re.compile(r"[A-Z]")
_WORD = re.compile(r"[a-z][a-z&'-]*[a-z]|[a-z]")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question says of itself.

    Attributes:
        text: In lower case, character by character.
        cues: What it says, by name: the cues of `wording`, the patterns of the core, and whether it names things.
        years: That it names.
        words: Of meaning, singular.
    """

    text: str
    cues: frozenset[str]
    years: frozenset[int]
    words: frozenset[str]


@lru_cache(maxsize=4096)
def read_asked(question: str) -> Asked:
    """Returns what a question says of itself."""
    # Some letters become two in lower case; those stay, so that spans of the text are spans of the question.
    text = "".join(low if len(low := letter.lower()) == 1 else letter for letter in question)
    words = frozenset(singular(word) for word in _WORD.findall(text) if word not in FUNCTION_WORDS)
    mentioned = [mention.period for mention in find_periods(text)]
    years = frozenset(period.year for period in mentioned) | {period.last for period in mentioned if period.last}
    named = ("no year is named", "a year is named", "years are named")[min(len(years), 2)]
    thing = "a thing is named" if words else "no thing is named"
    patterns = frozenset(
        pattern_words(pattern.name) for pattern in matching_patterns(question) if pattern.phrases != _ANYTHING
    )
    return Asked(
        text=text,
        cues=cues_in(text) | patterns | {named, thing},
        years=years,
        words=words,
    )


def pattern_words(name: str) -> str:
    """Returns `kg:PatternChangeOverBase` as "wording change over base"."""
    return "wording" + _CAPITAL.sub(lambda match: f" {match[0].lower()}", name.removeprefix("kg:Pattern"))
