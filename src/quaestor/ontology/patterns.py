"""Patterns of questions: a plain notation for turns of phrase, and its matching.

The patterns themselves, with what they ask for, are individuals of `core.ttl`. Refuses to understand more than words in
their order.

The notation, over the words of a question in lower case:

    percentage change         these words, one after the other
    declin*                   any word that begins so
    (percent|percentage) of   one of these wordings
    [net] change              a wording that may be left out
    from ... to               up to twelve words between
    and in .. $               up to four
    <change>                  a noun of that metric type, in singular or plural
    #                         a number, also in words
    less !than                "less", and another word than "than" after it
    ^ and        ... 2008 $   the question begins, or ends, here
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from quaestor.core.words import NUMBER_WORDS, SCALE_WORDS, compound_spans, compounds
from quaestor.errors import OntologyError

Order = Literal["as named", "reversed", "later first", "earlier first"]
"""Which operand comes first, where the words say it."""

_PARTS = re.compile(r"\.\.\.?|![a-z]+|<[a-z ]+>|[()\[\]|^$#]|[a-z0-9%&'.-]+\*?")
# "one" stands for a noun too: "divided by one" counts, "divided by the 2007 one" does not.
_NUMBER = rf"(?:\$?\d[\d.,]*%?|{'|'.join(word for word in (*NUMBER_WORDS, *SCALE_WORDS) if word != 'one')}) "
_FIXED = {
    "(": "(?:",
    ")": ")",
    "[": "(?:",
    "]": ")?",
    "|": "|",
    "^": "^",
    "$": "$",
    "...": r"(?:\S+ ){0,12}?",
    "..": r"(?:\S+ ){0,4}?",
    "#": _NUMBER,
}


@dataclass(frozen=True, slots=True)
class QuestionPattern:
    """One turn of phrase, and what it tells.

    Attributes:
        name: `kg:PatternGrowthRate`.
        phrases: Its wordings, in the notation of this module.
        examples: Questions that it is about; each is matched by it.
        matcher: All its phrases, over `question_words`.
        weight: How sure its metric type is, 0 to 1.
        metric_type: What is asked for (`percentage_change`), or None.
        again: True if what is asked for is what the question before asked for.
        after: It counts only after a result of one of these metric types; empty for any.
        order: Which operand comes first, or None.
        scale: The scale that is asked for (`million`, `percent`), or None.
        magnitude: True if the sign is to be dropped.
        rule: The rule that it calls upon, or None.
    """

    name: str
    phrases: tuple[str, ...]
    examples: tuple[str, ...]
    matcher: re.Pattern[str] = field(repr=False, compare=False)
    weight: float = 0.0
    metric_type: str | None = None
    again: bool = False
    after: frozenset[str] = frozenset()
    order: Order | None = None
    scale: str | None = None
    magnitude: bool = False
    rule: str | None = None

    def matches(self, words: str) -> bool:
        """Return whether the pattern is in a question, given as `question_words` writes it."""
        return self.matcher.search(words) is not None


@lru_cache(maxsize=1024)
def question_words(question: str) -> str:
    """Return the words of a question, each followed by one space.

    >>> question_words("And what was it, then, in 2008?")
    'and what was it then in 2008 '
    """
    return "".join(f"{word} " for word in compounds(question.lower()))


def find_phrase(question: str, matcher: re.Pattern[str]) -> tuple[int, int] | None:
    """Return where the first words that a matcher matches begin and end in a question of lower case, or None.

    >>> find_phrase("what, then, is the debt/equity ratio?", compile_phrases(["debt equity"], {}))
    (19, 30)
    """
    found = matcher.search(question_words(question))
    if found is None or not found[0]:
        return None
    # Each word is followed by one space, so spaces count words.
    spans = compound_spans(question)
    first, end = found.string.count(" ", 0, found.start()), found.string.count(" ", 0, found.end())
    return spans[first][0], spans[end - 1][1]


def compile_phrases(phrases: Sequence[str], nouns: Mapping[str, Sequence[str]]) -> re.Pattern[str]:
    """Return phrases as one regular expression over `question_words`.

    Args:
        phrases: In the notation of this module.
        nouns: The nouns of each metric type, for `<change>`.

    Raises:
        OntologyError: A phrase is not in the notation.
    """
    written = {phrase: _phrase(phrase, nouns) for phrase in phrases}
    try:
        # Asked once, and not for each phrase, whether a word begins where it might stand.
        return re.compile(rf"(?<!\S)(?:{'|'.join(written.values())})")
    except re.error:
        for phrase, text in written.items():
            _require_expression(phrase, text)
        raise


def _phrase(phrase: str, nouns: Mapping[str, Sequence[str]]) -> str:
    parts = _PARTS.findall(phrase)
    if "".join(parts) != phrase.replace(" ", "") and _PARTS.sub("", phrase).strip():
        raise OntologyError(f"cannot read the phrase {phrase!r} of a question pattern: see ontology/patterns.py")
    return "".join(_part(part, phrase, nouns) for part in parts)


def _require_expression(phrase: str, text: str) -> None:
    try:
        re.compile(text)
    except re.error as error:
        raise OntologyError(f"cannot read the phrase {phrase!r} of a question pattern: {error}") from error


def _part(part: str, phrase: str, nouns: Mapping[str, Sequence[str]]) -> str:
    if part in _FIXED:
        return _FIXED[part]
    if part.startswith("!"):
        return rf"(?!{part[1:]} )"
    if part.startswith("<"):
        if part[1:-1] not in nouns:
            raise OntologyError(f"the phrase {phrase!r} names {part}, which is not a metric type in core.ttl")
        # Longer nouns first: `growth rate` is one, and `growth` is another.
        words = sorted(nouns[part[1:-1]], key=lambda noun: (-len(noun), noun))
        return f"(?:{'|'.join(re.escape(noun).replace(chr(92) + ' ', ' ') for noun in words)})s? "
    return rf"{re.escape(part[:-1])}\S* " if part.endswith("*") else f"{re.escape(part)} "
