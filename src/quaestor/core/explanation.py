"""Sentence templates of explanations, which refer to steps of a plan, and the sentences made from them.

In a template, `{#3}` is replaced by the printed result of step 3; `[#4]` cites step 4 and leaves no text. Other numbers
in an explanation are unbound: they refer to no step.
"""

import operator
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from html import unescape
from typing import Annotated

from pydantic import Discriminator, Field

from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import Source

MOST_SENTENCES = 6
"""Maximum number of sentences of an explanation."""

LONGEST_SENTENCE = 1000
"""Maximum number of characters of a template."""

FILLED_IN = "\ufffc"
"""Placeholder of a filled-in number in the output of `without_references`."""

_REFERENCE = lazy_regex(r"\{#(?P<filled>\d{1,4})\}| ?\[#(?P<cited>\d{1,4})\]", re.ASCII)


@dataclass(frozen=True, slots=True)
class Reference:
    """Reference of a sentence to a step of the plan.

    Attributes:
        start: First character of the filled-in text in the sentence.
        end: The character after the last one; equals `start` for a citation, which has no text.
        step: The number of the step, from 1.
        assumed: Whether the number is in neither the document nor the question, such as a threshold.
    """

    start: int
    end: int
    step: int
    sources: tuple[Annotated[Source, Discriminator("kind")], ...] = ()
    assumed: Annotated[bool, Field(exclude_if=operator.not_)] = False


@dataclass(frozen=True, slots=True)
class ExplainedSentence:
    """Sentence of an explanation.

    Attributes:
        text: The sentence with its numbers filled in.
        references: In the order of the text; at least one.
    """

    text: str
    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Explanation of why or how, in one to six sentences."""

    sentences: tuple[ExplainedSentence, ...]

    @property
    def text(self) -> str:
        """All sentences on one line."""
        return " ".join(sentence.text for sentence in self.sentences)


def steps_referred(template: str) -> tuple[int, ...]:
    """Return the steps that a template refers to, each once, in the order of the text.

    >>> steps_referred("Sales rose {#3} to {#1} [#2], [#1].")
    (3, 1, 2)
    """
    return tuple(dict.fromkeys(map(_step, _REFERENCE.finditer(template))))


def without_references(template: str) -> str:
    """Return a template with `FILLED_IN` in place of its results, and without citations.

    >>> without_references("Sales rose {#3} [#2].")
    'Sales rose \ufffc.'
    """
    return _REFERENCE.sub(lambda found: FILLED_IN if found["filled"] else "", template)


def fill_sentence(
    template: str,
    printed: Callable[[int], str],
    sources: Callable[[int], tuple[Source, ...]] = lambda _: (),
    assumed: Callable[[int], bool] = lambda _: False,
) -> ExplainedSentence:
    """Fill the results of steps into a template.

    >>> fill_sentence("Sales rose {#1}.", lambda step: "14.1 %").text
    'Sales rose 14.1 %.'

    Args:
        printed: Returns the printed result of a step.
        sources: Returns the places in the document that a step uses.
        assumed: Returns whether the number of a step is in neither the document nor the question.
    """
    template, text, at, references = template.strip(), "", 0, []
    for found in _REFERENCE.finditer(template):
        text += template[at : found.start()] if text else template[at : found.start()].lstrip()
        step, start = _step(found), len(text)
        text += printed(step) if found["filled"] else ""
        references.append(Reference(start, len(text), step, sources(step), assumed(step)))
        at = found.end()
    return ExplainedSentence(text + (template[at:] if text else template[at:].lstrip()), tuple(references))


def _step(found: re.Match[str]) -> int:
    return int(found["filled"] or found["cited"])


_NUMBER_WORD = lazy_regex(
    r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    r"|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand"
    r"|(?:m|b|tr|quadr|quint|sext)illion|lakh|lac|crore|dozen|myriad|googol){1,12}s?"
    r"|nil|nought|naught|millionen|milliarden?|milliards?|millones|milliones|milioni|miliardi|hundert|tausend|prozent"
    r"|teens|digits?|[a-z]{2,12}fold|twice|thrice"
    r"|(?:hal[fv]|doubl|tripl|trebl|quadrupl|quintupl|sextupl|septupl|octupl|decupl)(?:e|es|ed|ing|y)"
)
_NOT_NUMBERS = frozenset("one ones unfold scaffold blindfold manifold refold".split())
_PARTS = frozenset(
    "third thirds quarter quarters fifth fifths sixth sixths seventh sevenths eighth eighths ninth ninths tenth"
    " tenths twelfth twentieth hundredth".split()
)
_SHARE_BEFORE = frozenset("a an one by".split())
_SHARE_AFTER = frozenset("less more lower higher larger smaller bigger fewer greater above below".split()) | {""}
_SHARE_TO = (frozenset("a an by".split()), frozenset("to off up down on".split()))
_SCORES = frozenset("a several many".split()) | {""}
_OF_A_YEAR = frozenset("first second third fourth last the this each every other latter".split())
_OF_A_PERCENT = frozenset("bps bp basis permille".split())
_CODES = frozenset("usd eur gbp chf jpy".split())
_PERCENT = frozenset("% \u2030 \u2031 \u066a percent pct bps".split())
_COUNTED = _PERCENT | frozenset(
    "hundred thousand million billion trillion dollar dollars euro euros cents point points basis times per usd eur x"
    .split()
)  # fmt: skip
_ROMAN = lazy_regex(r"(?=[MDCLXVI])M{0,4}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_ROMAN_YEAR = lazy_regex(rf"(?=MCM|MM[XVI]|MM[CL]?X){_ROMAN.pattern}")
_TOKEN = lazy_regex(rf"[^\W_]+(?:[.,'\u2019][^\W_]+)*|[%\u2030\u2031\u066a{FILLED_IN}]|[^\w\s.,;:()'\"-]")
_LETTERS = lazy_regex(r"(?<![^\W_])[^\W\d_](?:[-. ][^\W\d_]){2,20}(?![^\W_])")
"""A word with its letters spaced out."""


def unbound_numbers(template: str, allowed: Collection[str] = ()) -> tuple[str, ...]:
    """Return the numbers of a sentence that are not references to steps, in the order of the text.

    >>> unbound_numbers("In 2009 sales doubled to {#1}, {#2} above the 30 % of one of its peers [#3].", ["2009"])
    ('doubled', '30', '%')

    Args:
        template: A sentence template of `quaestor.core.explanation`.
        allowed: Text that may be written out, such as years and names that contain a number.
    """
    text = _fold(without_references(template))
    free = [span for phrase in allowed for span in _find_places(_fold(phrase).strip(), text)]
    found = list(_TOKEN.finditer(text))
    words = ["", *(token[0].lower() for token in found), ""]
    return tuple(_find_unbound(found, words, free))


def _find_unbound(found: list[re.Match[str]], words: list[str], free: list[tuple[int, int]]) -> Iterator[str]:
    for token, before, word, after in zip(found, words, words[1:], words[2:], strict=False):
        as_amount = after in _COUNTED or before in _CODES or (before and unicodedata.category(before[0]) == "Sc")
        if any(start <= token.start() and token.end() <= end for start, end in free) and not as_amount:
            continue
        roman = (as_amount and _ROMAN.fullmatch(token[0])) or _ROMAN_YEAR.fullmatch(token[0])
        if roman or _is_number(before, word, after) or (word == "one" and as_amount):
            yield token[0]


def _is_number(before: str, word: str, after: str) -> bool:
    # Filled-in numbers already have their unit.
    if any(map(_is_numeric, word)) or (word in _OF_A_PERCENT and before == FILLED_IN):
        return True
    if word in _PERCENT:
        return before != FILLED_IN
    if word in ("half", "halves"):
        return before not in _OF_A_YEAR
    if word in ("score", "scores"):
        return after == "of" and before in _SCORES
    if word in _PARTS:
        share = after == "of" or (before in _SHARE_BEFORE and after in _SHARE_AFTER)
        return (share and before not in _OF_A_YEAR) or (before in _SHARE_TO[0] and after in _SHARE_TO[1])
    return _NUMBER_WORD.fullmatch(word) is not None and word not in _NOT_NUMBERS


def _fold(text: str) -> str:
    """Normalize the characters of a text, drop invisible ones, and join spaced-out letters."""
    plain = (one if _is_numeric(one) else unicodedata.normalize("NFKD", one) for one in unescape(text))
    seen = (one for one in "".join(plain) if unicodedata.category(one) not in ("Cf", "Mn"))
    hyphens = ("-" if unicodedata.category(one) == "Pd" else one for one in seen)
    return _LETTERS.sub(lambda found: re.sub("[-. ]", "", found[0]), "".join(hyphens))


def _is_numeric(character: str) -> bool:
    return unicodedata.numeric(character, None) is not None


def _find_places(phrase: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of a phrase in a text, unless it is part of a longer word or number."""
    if phrase:
        pattern = rf"(?<![^\W_])(?<!\d[.,]){re.escape(phrase)}(?![^\W_]|[.,]\d)"
        yield from (found.span() for found in re.finditer(pattern, text, re.IGNORECASE))
