"""Corrections of the previous question: "no, I meant the full year", "sorry, basic", "in 2023, not 2024"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import spans_of_terms
from quaestor.questions.moments import MomentQuery, read_moments
from quaestor.questions.understanding import read_operand

_SAYS_SO = r"(?:(?:i|we)(?:'d| had)? (?:meant|mean)\b\s*(?:to (?:say|ask)\b\s*)?(?:rather\b\s*)?)"
_OPENS = lazy_regex(
    rf"^\W*(?:(?:(?:(?:sorry|oops|pardon|apologies|correction)\b[\s,.:;!-]*|(?:no|nope|wait|actually|hm+)\b\s*(?:[,.:;!-]+\s*|(?=i\b)))+"
    rf"{_SAYS_SO}?)|{_SAYS_SO})",
    re.IGNORECASE,
)
_CLOSES = lazy_regex(r"(?<![\s,;-])[\s,;-]++(?:(?:i|we) (?:meant|mean)|sorry)\W*+$", re.IGNORECASE)
_NOT = lazy_regex(
    r"^(?!(?:what|how|who|which|why|when|where|is|are|was|were|did|does|do|has|have)\b)"
    r"(?:(?P<wanted>[^?;]{1,60}?)(?:, (?:and )?|(?<=\d) )not (?P<other>[^?;,]{1,40})"
    r"|not (?P<first>[^?;,]{1,40}?)(?:,| but| rather)+ (?P<then>[^?;]{1,60}))\W*$",
    re.IGNORECASE,
)
_YEAR = lazy_regex(r"\b(?:19|20)\d\d\b")
_CONNECTS = lazy_regex(r"^\W*(?:(?:and|so|but|ok|then|now|only|just)\s+)+|(?<!\s)\s++ones?\W*+$")
_DANGLING = lazy_regex(r"(?<!\s)(?:\s++(?:in|for|at|of|on|during|over|as|the|that|this|same)\b){1,6}\s*+$")
_BEGINS_WITH_PREPOSITION = lazy_regex(r"(?:from|in|for|at|of|on|with|without|before|after|excluding|including)\b")
_OPPOSITES = (
    ("basic", "diluted"),
    ("gross", "net"),
    ("gaap", "non-gaap", "non gaap", "adjusted", "reported"),
    ("current", "non-current", "noncurrent", "long-term", "short-term"),
    ("operating", "finance"),
    ("domestic", "foreign"),
    ("federal", "state"),
    ("highest", "lowest", "high", "low", "largest", "smallest"),
)
"""Words of which only one can qualify a thing."""


@dataclass(frozen=True, slots=True)
class Correction:
    """Correction of a question.

    Attributes:
        wanted: What is meant.
        other: What is not meant; "" if it is not given.
    """

    wanted: str
    other: str = ""


def read_correction(text: str) -> Correction | None:
    """Return the correction that a question is; None for any other question.

    >>> read_correction("sorry, I meant basic"), read_correction("in 2023, not 2024?")
    (Correction(wanted='basic', other=''), Correction(wanted='in 2023', other='2024'))
    """
    rest = _CLOSES.sub("", _OPENS.sub("", text, count=1)).strip(" ?!.,-")
    found = _NOT.match(rest)
    wanted, other = (found["wanted"] or found["then"], found["other"] or found["first"]) if found else (rest, "")
    says_so = rest != text.strip(" ?!.,-")
    if not wanted or not (says_so or found) or (found and not says_so and read_operand(wanted.lower()).matches):
        return None
    return Correction(wanted, other)


def complete_correction(correction: Correction, questions: Sequence[str], year: int | None = None) -> tuple[str, int]:
    """Return the question that a correction asks for, and how many questions it replaces.

    Args:
        questions: The earlier questions, latest first.
        year: The year of the corrected answer.

    >>> complete_correction(Correction("basic"), ["diluted eps in 2023?"])
    ('basic eps in 2023', 1)
    >>> complete_correction(Correction("in 2022"), ["diluted eps in 2023?"])
    ('diluted eps in 2022', 1)
    """
    wanted = _plain(correction.wanted)
    moments, terms = list(read_moments(wanted)), read_operand(_without_times(wanted)).terms
    if not questions or read_operand(wanted).matches:
        return correction.wanted, 0
    whole, back = _plain(questions[0]), 1
    while terms and back < len(questions) and not read_operand(_without_times(whole)).terms:
        whole, back = _replace_times(_plain(questions[back]), whole, list(read_moments(whole))), back + 1
    if terms:
        whole = f"{_without_times(wanted)} {_drop_corrected(whole, wanted, correction.other)}"
    if moments:
        times = wanted if not terms else _times_of(wanted, moments)
        whole = _replace_times(whole, times + _read_year(moments, year), moments)
    return re.sub(r"\s+", " ", whole).strip(), back


def _plain(text: str) -> str:
    return _CONNECTS.sub("", text.lower().replace("\u2019", "'")).strip(" ?!.,")


def _times_of(text: str, moments: Sequence[MomentQuery]) -> str:
    return ", ".join(text[moment.start : moment.end] for moment in moments)


def _read_year(moments: Sequence[MomentQuery], year: int | None) -> str:
    """Return the year of the corrected answer for a part of a year without its own: "the second quarter"."""
    is_part = len(moments) == 1 and bool(moments[0].months) and not moments[0].again
    named = (moments[0].year, moments[0].month, moments[0].back, moments[0].quarters_back) != (None,) * 4
    return f" of {year}" if is_part and year is not None and not named else ""


def _without_times(text: str) -> str:
    for moment in reversed(list(read_moments(text))):
        text = f"{_DANGLING.sub('', text[: moment.start])} {text[moment.end :]}"
    return text


def _replace_times(text: str, wanted: str, moments: Sequence[MomentQuery]) -> str:
    """Return a question at other times; a mere year replaces only the year of a quarter or a day."""
    years = _YEAR.findall(wanted)
    if len(years) == 1 and all(moment.is_plain_year for moment in moments) and len(_YEAR.findall(text)) == 1:
        return _YEAR.sub(years[0], text)
    return f"{_DANGLING.sub('', _without_times(text))} {wanted}"


def _drop_corrected(text: str, wanted: str, other: str) -> str:
    """Return a question without what a correction replaces: what it says, or else the opposite of what it wants."""
    opposites = _list_opposites(wanted)
    for word in sorted(opposites, key=len, reverse=True):
        text = re.sub(rf"\b{re.escape(word)}\b", " ", text)
    dropped = set(read_operand(other.lower()).terms)
    if not dropped and not opposites and not _BEGINS_WITH_PREPOSITION.match(wanted):
        dropped = _list_members(_without_times(text)) - set(read_operand(wanted).terms)
    for start, end, found in reversed(spans_of_terms(text)):
        if found in dropped:
            text = f"{text[:start]} {text[end:]}"
    return text


def _list_members(text: str) -> set[str]:
    """Return the terms of a text beside the names of concepts; empty if it names no concept."""
    operand = read_operand(text)
    named = {term for match in operand.matches for term in operand.phrase[match.start : match.end]}
    return set(operand.terms) - named if named else set()


def _list_opposites(text: str) -> set[str]:
    """Return the opposites of the words of a text."""
    found = set()
    for words in _OPPOSITES:
        named = [word for word in words if re.search(rf"(?<![\w-]){re.escape(word)}\b", text)]
        found |= set(words) - set(named) if named else set()
    return found
