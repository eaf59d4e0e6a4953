"""Referring expressions of a question, and their resolved form."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal

from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import find_periods
from quaestor.core.words import FUNCTION_WORDS, singular
from quaestor.questions.cues import COUNTS, ORDERS, PERIOD_NOUNS, PLAIN_NOUNS, metric_nouns
from quaestor.questions.question import Question

ReferenceKind = Literal["result", "results", "cell", "entity", "period", "ellipsis"]


@dataclass(frozen=True, slots=True)
class Antecedent:
    """An earlier turn that an expression may refer to.

    Attributes:
        turn: Its index in the conversation, from 0.
        score: Its share among the candidates of the expression; all shares sum to 1.
    """

    turn: int
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Coreference:
    """An expression that refers to earlier turns.

    Attributes:
        text: The words; the whole question if it is elliptic.
        start: Their first character in the question.
        end: The character after the last one.
        kind: `result` ("this change"), `results` ("these two values"), `cell` ("that stock in 2015"), `entity`
            ("its", "that stock"), `period` ("the same year", "the prior year"), `ellipsis` ("and in 2008?").
        candidates: The turns that it may refer to, most likely first; empty without a match. If results of earlier
            turns are used, the first candidate for a result is one of those.
        means: Its meaning if that is not a result: a thing, or a period in words.
    """

    text: str
    start: int
    end: int
    kind: ReferenceKind
    candidates: tuple[Antecedent, ...]
    means: str = ""


@dataclass(frozen=True, slots=True)
class AntecedentSet:
    """Earlier turns whose results a question may use together.

    Attributes:
        turns: Their indices in the conversation, from 0, in order; empty if it uses none.
        score: The probability that the question uses exactly these results.
    """

    turns: tuple[int, ...]
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class References:
    """All references of a question.

    Attributes:
        expressions: The referring expressions, in the order of the question.
        sets: The sets of earlier results that may be used together, most likely first; empty in the first turn.
        focus: The entity that the conversation is about, taken from the question if it names a known one.
        switched: Whether the question turns to another entity than the previous turn.
    """

    expressions: tuple[Coreference, ...] = ()
    sets: tuple[AntecedentSet, ...] = ()
    focus: str | None = None
    switched: bool = False

    @property
    def used(self) -> tuple[int, ...]:
        """The earlier turns that the question most likely uses, from 0."""
        return self.sets[0].turns if self.sets else ()


_STOP = (
    r"(?:is|was|were|are|be|been|did|does|do|has|have|had|will|would|could|can|in|of|for|from|to|on|at|by|as|with|and|or"
    r"|than|between|during|over|into|per|that|which|who|not|represents?|account\w*|constitut\w*|divided|multiplied"
    r"|less|plus|minus|times|then|when|if|due|related|expressed|converted|relative|compared|also|again|still|grow\w*"
    r"|changed|since|increased|decreased|declined|what|how|granted|expected)"
)
_WORD = r"[\w&$%][\w&$%.,'-]*(?<![.,'-])"
_PHRASE = lazy_regex(
    rf"\b(?P<pointer>this|that|these|those|such|(?:the|this|that)\s+(?:very\s+)?same|said)\b"
    rf"(?P<noun>(?:\s+(?!{_STOP}\b)(?:same\s+)?{_WORD}){{0,6}})",
)
_COUNTED = lazy_regex(rf"\b(?P<pointer>both|the\s+(?:two|three|four))\b(?P<noun>(?:\s+(?!{_STOP}\b){_WORD}){{0,4}})")
_PRONOUN = lazy_regex(r"\b(?:it|its|they|them|their)\b")
_ORDERED = lazy_regex(
    rf"\bthe\s+(?P<pointer>former|latter|previous|prior|preceding|above|last)\b(?P<noun>(?:\s+(?!{_STOP}\b){_WORD}){{0,4}})"
)
_DERIVED = lazy_regex(
    r"\b(?P<pointer>the)(?P<noun>\s+(?:net\s+|total\s+|combined\s+)?"
    r"(?:change|difference|increase|decrease|decline|sum|total|average|product|ratio|quotient|result))"
    r"(?=\s*(?:[?,.]|$)|\s+(?:divided|multiplied|times|over|by|represents?|minus|less|plus|and|to|as|is|was"
    r"|in relation|compared)\b)"
)
_ASKS = lazy_regex(
    r"(?:^|\b(?:what|which|how much)(?:'s|\s+(?:is|was|were|are|becomes?|would be)))[\s,]*"
    r"(?:(?:then|so|now|and|also)[\s,]*)*$"
)
_FOR_ANOTHER = lazy_regex(
    r"\s+(?:only\s+|then\s+)?(?:for|in|of|at|on|during|between|over|from|as of)\s+"
    r"(?!percent|(?:full |us |u\.s\. )*dollars|thousands|millions|billions|hundreds|tens|relation|terms"
    r"|total\b(?!\s+\w))"
)
_IN_YEAR = lazy_regex(
    r"\s+(?:in|of|for|at|as of|from|during)\s+(?:the\s+)?(?:year\s+|fiscal\s+|end of\s+)?(?:19|20)\d\d\b"
)
_OF = lazy_regex(rf"\s+(?:of|for)(?:\s+the)?(?P<thing>(?:\s+(?!{_STOP}\b){_WORD}){{1,6}})")
_RELATIVE_PRONOUN = lazy_regex(
    r"\b(?!is|was|were|are|did|does|would|will|could|can|and|from|of|to|in|for|than|over|by|then|,)[a-z]+\s+$"
)
_GOES_ON = lazy_regex(
    r"^(?:(?:and|so|now|then|but|or)[\s,]+)*(?:what|how)\s+about\b|^and\s+(?:in|for|at|on|of|the|that|those|as)\b"
)

_MOST = 20
"""Limit of matches for each pattern; real questions have fewer."""

_BEFORE = 60
"""Number of characters before an expression that determine how it is meant."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A referring expression.

    Attributes:
        end: The character after the last one.
        noun: Its noun for a result ("change"), or None.
        words: Its words that name a thing, singular.
        count: The number of things that it refers to; 0 if unknown.
        back: How many results back it refers ("the former" is 1); None if unknown.
        offset: Years from the reference period ("the prior year" is -1).
        of: The words of a thing named after it ("that of the company"), singular.
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
def find_expressions(question: Question) -> tuple[Expression, ...]:
    """Return the referring expressions of a question in order, without overlaps."""
    text = question.lowered
    found: list[Expression] = []
    for pattern in (_PHRASE, _COUNTED, _ORDERED, _DERIVED):
        for match in islice(pattern.finditer(text), _MOST):
            candidate = _read_pointing(match, text)
            if candidate is not None and not _overlaps(candidate, found):
                found.append(candidate)
    for relative in question.relative_periods[:_MOST]:
        candidate = Expression(relative.start, relative.end, "period", offset=relative.offset)
        found = [other for other in found if not (candidate.start <= other.start and other.end <= candidate.end)]
        if not _overlaps(candidate, found):
            found.append(candidate)
    for match in islice(_PRONOUN.finditer(text), _MOST):
        kind: ReferenceKind = "entity" if match[0] in ("its", "their") else "result"
        count = 0 if match[0] in ("they", "them", "their") else 1
        candidate = Expression(match.start(), match.end(), kind, count=count)
        if not _overlaps(candidate, found):
            found.append(candidate)
    is_elliptic = not question.names or _GOES_ON.search(question.lowered)
    if is_elliptic and not any(other.kind in ("result", "results", "cell") for other in found):
        found.insert(0, Expression(0, len(text), "ellipsis", words=question.names, years=question.year_set, count=0))
    return tuple(sorted(found, key=lambda expression: (expression.start, -expression.end)))


def asks_again(question: Question, expression: Expression) -> bool:
    """Return whether a question repeats what an expression refers to: "what was that change in 2008?"."""
    text, start, end = question.lowered, expression.start, expression.end
    before = _ASKS.search(text[max(0, start - _BEFORE) : start])
    return bool(before and (expression.years or _FOR_ANOTHER.match(text, end)))


def _overlaps(expression: Expression, found: list[Expression]) -> bool:
    return any(expression.start < other.end and other.start < expression.end for other in found)


def _read_pointing(match: re.Match[str], text: str) -> Expression | None:
    """Parse a demonstrative with its noun phrase; None if "that" refers to nothing."""
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
    whole = phrase + (later[0] if later else "")
    years = frozenset(mention.period.year for mention in find_periods(whole))
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
    """Return whether "that" only joins two clauses ("options that were granted")."""
    return bool(_RELATIVE_PRONOUN.search(text[max(0, start - _BEFORE) : start])) and not text[end:].startswith(
        ("?", " ?", " in ", " of ", " for ")
    )


# One-line summary of a question's references: the results that it is calculated from, and what its expressions mean.
#
# Each result is named only once, because expressions refer only to the results used.


AnswerNamer = Callable[[int], str]
"""Returns the name of a turn's answer, given the turn's index from 0."""

_YEAR = lazy_regex(r"\s+(?:in|of|for|at|as of|from|during)\s.{0,80}\b(?:19|20)\d\d$")
"""The year in words for an earlier answer: "that in 2016" otherwise means the same as before."""

_CERTAIN = 0.85
"""Minimum share to show only the best reading: in all intervals of five points above it 95 % or more are right."""

_ONE_OF_TWO = 0.95
"""Minimum share of the best two together to show both: one of them is right as often."""

_ELSE = 0.2
"""Minimum share to show a second candidate of an expression."""


def sets_to_show(found: References) -> tuple[AntecedentSet, ...]:
    """Return the sets of earlier results to show as used: a certain one, the best two, or none.

    The thresholds are measured on benchmark pages by `python -m benchmarks.references`.
    """
    likeliest = found.sets[:2]
    if not likeliest or likeliest[0].score >= _CERTAIN:
        return likeliest[:1]
    return likeliest if found.used and sum(chosen.score for chosen in likeliest) >= _ONE_OF_TWO else ()


def reading_line(found: References, named: AnswerNamer) -> str:
    """Summarize the references of a question in one line; "" if none is certain.

    Args:
        named: Returns the name of a turn's answer for the reader.
    """
    shown = sets_to_show(found)
    if not shown:
        return ""
    if not found.used:
        return "; ".join(dict.fromkeys(_describe_repeat(found, named)))
    others = (
        _join([named(turn) for turn in chosen.turns]) if chosen.turns else "only the page" for chosen in shown[1:]
    )
    words = [_sources(found, named), *(f"from {other}" for other in others)]
    means = (f'"{e.text}" is {"of " * (e.kind == "cell")}{e.means}' for e in meanings_to_show(found))
    return "; ".join(dict.fromkeys((" or ".join(words), *means)))


def meanings_to_show(found: References) -> tuple[Coreference, ...]:
    """Return the expressions whose meaning is shown: for a period or a cell, if the results used are certain."""
    if not found.used or len(sets_to_show(found)) != 1:
        return ()
    kinds = ("result", "cell") if found.switched else ("result", "cell", "period")
    return tuple(e for e in found.expressions if e.means and e.kind in kinds and not _is_result(e, found.used))


def _sources(found: References, named: AnswerNamer) -> str:
    texts: dict[int, list[str]] = {}
    for expression in found.expressions:
        if _is_result(expression, found.used):
            # Words for several results follow the last of them.
            turn = found.used[-1] if expression.kind == "results" else expression.candidates[0].turn
            texts.setdefault(turn, []).append(f'"{expression.text}"')
    results = [named(turn) + (f" ({', '.join(texts[turn])})" if turn in texts else "") for turn in found.used]
    return f"calculated from {_join(results)}"


def _describe_repeat(found: References, named: AnswerNamer) -> Iterator[str]:
    for expression in found.expressions:
        if expression.candidates and expression.kind in ("ellipsis", "result", "cell"):
            first, *others = expression.candidates
            likely = (first, *(one for one in others[:1] if one.score >= _ELSE))
            sources = " or ".join(named(one.turn) for one in likely)
            yield (
                f"asks the same as {sources}, but about what it names itself"
                if expression.kind == "ellipsis"
                else f'"{_YEAR.sub("", expression.text)}" is as in {sources}'
            )


def _is_result(expression: Coreference, used: tuple[int, ...]) -> bool:
    return expression.kind in ("result", "results", "cell", "entity") and any(
        candidate.turn in used for candidate in expression.candidates[:1]
    )


def _join(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]
