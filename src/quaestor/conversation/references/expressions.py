"""The referring expressions of a question: where they are, what sort of thing each points at."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from quaestor.conversation.references.resolved import ReferenceKind
from quaestor.core.periods import find_periods
from quaestor.core.stop_words import FUNCTION_WORDS
from quaestor.core.words import singular
from quaestor.questions.cues import COUNTS, ORDERS, PERIOD_NOUNS, PLAIN_NOUNS, metric_nouns
from quaestor.questions.question import Question

_STOP = (
    r"(?:is|was|were|are|be|been|did|does|do|has|have|had|will|would|could|can|in|of|for|from|to|on|at|by|as|with|and|or"
    r"|than|between|during|over|into|per|that|which|who|not|represents?|account\w*|constitut\w*|divided|multiplied"
    r"|less|plus|minus|times|then|when|if|due|related|expressed|converted|relative|compared|also|again|still|grow\w*"
    r"|changed|since|increased|decreased|declined|what|how|granted|expected)"
)
_WORD = r"[\w&$%][\w&$%.,'-]*(?<![.,'-])"
_PHRASE = re.compile(
    rf"\b(?P<pointer>this|that|these|those|such|(?:the|this|that)\s+(?:very\s+)?same|said)\b"
    rf"(?P<noun>(?:\s+(?!{_STOP}\b)(?:same\s+)?{_WORD}){{0,6}})",
)
_COUNTED = re.compile(rf"\b(?P<pointer>both|the\s+(?:two|three|four))\b(?P<noun>(?:\s+(?!{_STOP}\b){_WORD}){{0,4}})")
_PRONOUN = re.compile(r"\b(?:it|its|they|them|their)\b")
_ORDERED = re.compile(
    rf"\bthe\s+(?P<pointer>former|latter|previous|prior|preceding|above|last)\b(?P<noun>(?:\s+(?!{_STOP}\b){_WORD}){{0,4}})"
)
_DERIVED = re.compile(
    r"\b(?P<pointer>the)(?P<noun>\s+(?:net\s+|total\s+|combined\s+)?"
    r"(?:change|difference|increase|decrease|decline|sum|total|average|product|ratio|quotient|result))"
    r"(?=\s*(?:[?,.]|$)|\s+(?:divided|multiplied|times|over|by|represents?|minus|less|plus|and|to|as|is|was"
    r"|in relation|compared)\b)"
)
_ASKS = re.compile(
    r"(?:^|\b(?:what|which|how much)(?:'s|\s+(?:is|was|were|are|becomes?|would be)))[\s,]*"
    r"(?:(?:then|so|now|and|also)[\s,]*)*$"
)
_FOR_ANOTHER = re.compile(
    r"\s+(?:only\s+|then\s+)?(?:for|in|of|at|on|during|between|over|from|as of)\s+"
    r"(?!percent|(?:full |us |u\.s\. )*dollars|thousands|millions|billions|hundreds|tens|relation|terms"
    r"|total\b(?!\s+\w))"
)
_IN_YEAR = re.compile(
    r"\s+(?:in|of|for|at|as of|from|during)\s+(?:the\s+)?(?:year\s+|fiscal\s+|end of\s+)?(?:19|20)\d\d\b"
)
_OF = re.compile(rf"\s+(?:of|for)(?:\s+the)?(?P<thing>(?:\s+(?!{_STOP}\b){_WORD}){{1,6}})")
_RELATIVE_PRONOUN = re.compile(
    r"\b(?!is|was|were|are|did|does|would|will|could|can|and|from|of|to|in|for|than|over|by|then|,)[a-z]+\s+$"
)
_GOES_ON = re.compile(
    r"^(?:(?:and|so|now|then|but|or)[\s,]+)*(?:what|how)\s+about\b|^and\s+(?:in|for|at|on|of|the|that|those|as)\b"
)

_MOST = 20
"""How many expressions of one form are looked at; no question of a person has more."""

_BEFORE = 60
"""Characters before an expression that tell how it is meant."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A referring expression.

    Attributes:
        start: Its first character.
        end: The character after the last one.
        kind: What sort of thing it points at.
        noun: The word for a result that it has ("change"), or None.
        words: Its words that name a thing, singular.
        count: How many things it points at; 0 if it does not say.
        back: How many results back it points ("the former" is 1); None if it does not say.
        offset: In years from the period that it is counted from ("the prior year" is -1).
        of: The words of the thing named behind it ("that of the company"), singular.
    """

    start: int
    end: int
    kind: ReferenceKind
    noun: str | None = None
    words: frozenset[str] = frozenset()
    years: frozenset[int] = frozenset()
    count: int = 1
    back: int | None = None
    offset: int = 0
    of: frozenset[str] = frozenset()


@lru_cache(maxsize=1024)
def find_expressions(asked: Question) -> tuple[Expression, ...]:
    """Return the referring expressions of a question in their order; none overlap."""
    text = asked.lowered
    found: list[Expression] = []
    for pattern in (_PHRASE, _COUNTED, _ORDERED, _DERIVED):
        for match in islice(pattern.finditer(text), _MOST):
            made = _pointed(match, text)
            if made is not None and not _overlaps(made, found):
                found.append(made)
    for relative in asked.relative_periods[:_MOST]:
        made = Expression(relative.start, relative.end, "period", offset=relative.offset)
        found = [other for other in found if not (made.start <= other.start and other.end <= made.end)]
        if not _overlaps(made, found):
            found.append(made)
    for match in islice(_PRONOUN.finditer(text), _MOST):
        kind: ReferenceKind = "entity" if match[0] in ("its", "their") else "result"
        count = 0 if match[0] in ("they", "them", "their") else 1
        made = Expression(match.start(), match.end(), kind, count=count)
        if not _overlaps(made, found):
            found.append(made)
    if not any(other.kind in ("result", "results", "cell") for other in found) and _is_elliptic(asked):
        found.insert(0, Expression(0, len(text), "ellipsis", words=asked.names, years=asked.year_set, count=0))
    return tuple(sorted(found, key=lambda expression: (expression.start, -expression.end)))


def asks_again(asked: Question, expression: Expression) -> bool:
    """Return whether a question asks for another of what an expression means: "what was that change in 2008?"."""
    text, start, end = asked.lowered, expression.start, expression.end
    before = _ASKS.search(text[max(0, start - _BEFORE) : start])
    return bool(before and (expression.years or _FOR_ANOTHER.match(text, end)))


def _is_elliptic(asked: Question) -> bool:
    """A question that names no thing, or that goes on from the one before."""
    return not asked.names or bool(_GOES_ON.search(asked.lowered))


def _overlaps(made: Expression, found: list[Expression]) -> bool:
    return any(made.start < other.end and other.start < made.end for other in found)


def _pointed(match: re.Match[str], text: str) -> Expression | None:
    """Return what a pointing word with its noun phrase points at; None where "that" points at nothing."""
    pointer, phrase = match["pointer"], match["noun"]
    start, end = match.span()
    if pointer == "the" and _ASKS.search(text[max(0, start - _BEFORE) : start]):
        return None
    if not phrase.strip() and pointer == "that" and _joins_clauses(text, start, end):
        return None
    words = [singular(word.strip(".,'")) for word in phrase.split()]
    if pointer.endswith("same") and not words:
        return None
    nouns = [word for word in words if word in metric_nouns()]
    own = _names(words) - set(nouns)
    behind = _OF.match(text, end)
    of = _names([singular(word.strip(".,'")) for word in behind["thing"].split()]) if behind else frozenset()
    later = _IN_YEAR.match(text, end)
    spoken = phrase + (later[0] if later else "")
    years = frozenset(mention.period.year for mention in find_periods(spoken))
    plural = pointer in ("these", "those", "both") or pointer.split()[-1] in COUNTS
    count = next((COUNTS[word] for word in (pointer.split()[-1], *words) if word in COUNTS), 0 if plural else 1)
    back = ORDERS.get(pointer.split()[-1])
    kind: ReferenceKind
    if not nouns and any(word in PERIOD_NOUNS for word in words):
        kind = "period"
    elif years and not plural:
        kind, end = "cell", later.end() if later else end
    elif own and not nouns and not any(word in PLAIN_NOUNS for word in words):
        kind = "entity"
    else:
        kind = "results" if plural else "result"
    return Expression(start, end, kind, nouns[-1] if nouns else None, own, years, count, back, of=of)


def _names(words: Sequence[str]) -> frozenset[str]:
    return frozenset(word for word in words if word[:1].isalpha() and word not in FUNCTION_WORDS)


def _joins_clauses(text: str, start: int, end: int) -> bool:
    """Return whether "that" joins two clauses ("options that were granted") and so points at nothing."""
    return bool(_RELATIVE_PRONOUN.search(text[max(0, start - _BEFORE) : start])) and not text[end:].startswith(
        ("?", " ?", " in ", " of ", " for ")
    )
