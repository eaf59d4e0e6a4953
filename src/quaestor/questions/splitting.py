"""Splitting several questions in one by their words: "sales in 2012, and what were they in 2011?".

A text stays whole if it cannot be split with certainty.
"""

import re
from itertools import pairwise

from quaestor.core.patterns import lazy_regex
from quaestor.core.words import words
from quaestor.questions.instructions import is_instruction
from quaestor.questions.listing import read_listing

_MOST_PARTS = 12
"""Maximum number of questions in a text."""

_LONGEST = 1_000
"""Maximum number of characters; longer texts are not questions and stay whole."""

_BE = r"(?:was|were|is|are|did|does|do|has|have|had|will|would|can|could|should)"
_IT = r"(?:it|its|they|their|that|those|this|these|the|there|any|all|each|both)"
_PREPOSITION = r"(?:since|from|by|at|for|on|in|under|(?:up\s+)?to|until|with)\s+(?:about\s+|roughly\s+)?"
_ASKS = (
    rf"what(?:'s)?\b(?!\s+{_IT}\b|\s*$)",
    rf"how\s+(?:(?:much|many|large|big|high|low|long|far|often|fast|old|soon)\b(?!\s+{_IT}\b)|about\b|come\b|{_BE}\b)",
    rf"which\s+(?:(?!{_BE}\b|{_IT}\b)\w+\s+\w+|(?!{_BE}\b|{_IT}\b)\w+\s*$|{_BE}\s+(?:the\s+)?\w+(?:er|est)\b)",
    rf"who(?:'s|\s+(?!{_BE}\b)\w+)|(?:when|where|why|who)\s+{_BE}\b|(?:when|where|why)(?:'s\b|[?.!]*\s*$)|why\s+(?:an?\s+)?\w+[?.!]*\s*$",
    rf"{_PREPOSITION}(?:how\s+(?:much|many)|what|which|when|whom|why)\b",
    r"(?:(?:tell|show|give)\s+me\b|(?:say|state|mention)\s+(?:when|what|how|which|why|where|who|by)\b)",
    r"(?:calculate|compute)\s+(?!and\b|or\b)\w+",
)
_ASK = rf"(?:{'|'.join(_ASKS)})"
_ALSO = r"(?:(?:and|but|then|also|plus|so)\s+)"
_CONJUNCTION = rf"(?:\s*[,;]\s*{_ALSO}{{1,4}}|\s*;\s*|\s+-\s+|\s+{_ALSO}{{1,4}})"
# A comma alone separates questions; a verb alone begins one only after "and": "how much, then, did it rise?" is one.
_JOINT = lazy_regex(
    rf"(?:\s*[,;]\s*{_ALSO}{{0,4}}|\s+-\s+{_ALSO}{{0,4}}|\s+{_ALSO}{{1,4}})(?={_ASK})|{_CONJUNCTION}(?={_BE}\s+(?:{_IT}|\w+\s+\w+)\b)"
    rf"|,?\s+and\s+(?=as\s+an?\s+(?:percent|percentage|share|%)|its\s)",
    re.I,
)
# A question after a request: "tell me the revenue and how it changed".
_JOINT_OF_REQUEST = lazy_regex(
    rf"{_CONJUNCTION}(?=(?:by\s+)?(?:what|how(?:\s+(?:much|many))?|why)\s+{_IT}\b|when\b)", re.I
)
_REQUEST = lazy_regex(
    r"\s*(?:please\s+|can you\s+|could you\s+)*"
    r"(?:tell|show|give|remind|describe|name|calculate|compute|list|find|report)\b",
    re.I,
)
_BEGINS = lazy_regex(
    rf"\s*(?:(?:and|but|so|then|ok|well|also|please)[\s,]+)*(?:{_ASK}|{_BE}\b|(?:what|who|which|when|where)\b)", re.I
)
_AMOUNT_ALONE = lazy_regex(r"how\s+(?:much|many)", re.I)
_LATER = lazy_regex(rf",\s*(?:{_ASK})", re.I)
_LEADS_IN = lazy_regex(
    r"\s*(?:(?:and|then|so|also)[\s,]+)*(?:in|at|as|for|from|during|over|between|of|on|by|with\w*|consider\w*|based|given|if"
    r"|according|excluding|including|assuming|using|since|after|before|because|while|when)\b"
    rf"(?!\s+(?:what|which|how|when|why|whom|{_BE})\b)",
    re.I,
)
_OPEN = lazy_regex(
    r"\b(?:between|from(?=[^,;]{0,60}\d))\b(?!\s+(?:what|which|when)\b)(?!.*\b(?:and|to|through|until)\b)[^,;]*$", re.I
)
_OF_WHAT = lazy_regex(
    r"\b(?:between|sum of|total of|ratio of|average of|product of|difference of|both)\s+(?:what|how)\b", re.I
)

_OPERATION = (
    r"(?:(?:net|absolute|total|overall|annual|yearly|relative|percent(?:age)?|percentual|dollar)\s+)*(?P<operation>change"
    r"|difference|variation|variance|increase|decrease|growth(?:\s+rate)?|rise|decline|drop|ratio|sum|average|mean)"
)
_SINCE = (
    r"(?:\s+(?:between\s+(?:them|the\s+two(?:\s+\w+)?|these(?:\s+\w+)?|those(?:\s+\w+)?|both(?:\s+\w+)?|the\s+years)"
    r"|of\s+(?:them|the\s+two|these|those|both)|(?:over|during|in)\s+(?:the|that|this)\s+(?:year|period|time)"
    r"|from\s+(?:one|the\s+first)\s+to\s+the\s+(?:other|second|next)|in\s+percent(?:age)?(?:\s+terms)?|as\s+a\s+percent(?:age)?"
    r"|(?P<since>from|since|to|over)\s+(?:the\s+)?(?:prior|previous|preceding|last|year\s+before|(?:19|20)\d\d)"
    r"(?:\s+(?:year|to\s+(?:19|20)\d\d))?))*"
)
_WITH = r"\s*,?\s+(?:and|plus|as\s+well\s+as|along\s+with|together\s+with)\s+(?:also\s+)?"
_TAIL = lazy_regex(rf"{_WITH}(?=(?:the|their|its)\s+{_OPERATION}{_SINCE}\s*[?.!]*\s*$)", re.I)
_BACK = lazy_regex(
    rf"(?:what\s+(?:is|was|were|are)\s+|(?:tell|show|give)\s+me\s+)?(?:the|their|its)\s+{_OPERATION}{_SINCE}\s*[?.!]*\s*$",
    re.I,
)
_MOVED = lazy_regex(
    r"(?:by\s+)?how(?:\s+much|\s+many)?\s+(?:did\s+|has\s+|have\s+)?(?:it|they|that|this)\s+(?P<operation>change|differ|vary"
    r"|increase|decrease|grow|rise|fall|drop|decline)\w*",
    re.I,
)
_OF_TWO = lazy_regex(r"(?!sum|average|mean)", re.I)
_PAIR = lazy_regex(
    rf"(?P<before>what\s+{_BE}\s+(?:the\s+)?)(?P<first>(?:[\w-]+\s+){{1,4}}?)and\s+(?:the\s+)?(?P<second>(?:[\w-]+\s+){{0,3}}[\w-]+)"
    r"(?P<after>\s+(?:in|for|at|of|during|as\s+of)\s+(?:[\w,]+\s+){0,4}(?:19|20)\d\d\s*\??)",
    re.I,
)
_NEEDS_TWO = lazy_regex(r"difference|ratio|sum", re.I)
_ASKS_WHEN = lazy_regex(rf"(?:say|state|mention|tell\s+me)\s+(when)\s+(it|they|that|this)\s+({_BE})\b", re.I)
_POLITE = lazy_regex(r"\s*(?:thanks?|thank you|please|thx)?[\s.!]*", re.I)


def split_question(text: str) -> tuple[str, ...]:
    """Split a text into its questions; return only the text itself if it is a single question.

    >>> split_question("what were sales in 2008 and 2009, and the change?")
    ('what were sales in 2008?', 'what were sales in 2009?', 'what was the change?')
    >>> split_question("what was the change in sales and marketing expense between 2008 and 2009?")
    ('what was the change in sales and marketing expense between 2008 and 2009?',)

    Args:
        text: The user's text.
    """
    if len(text) > _LONGEST:
        return (text,)
    clauses = cut_clauses(text)
    if len(clauses) < 2:
        return (text,)
    parts: list[str] = []
    for clause in clauses:
        if parts and (match := _BACK.match(clause) or _MOVED.match(clause)):
            several = _ask_for_each(parts[-1], match)
            if len(several) < 3 or not _OF_TWO.match(match["operation"]):
                parts[-1:] = several or parts[-1:]
        parts.append(clause)
    return tuple(map(_as_question, parts)) if len(parts) <= _MOST_PARTS else (text,)


def cut_clauses(text: str) -> list[str]:
    """Split a text into sentences and clauses that are questions."""
    return [clause for sentence in _cut_sentences(text) for clause in _cut_clauses(sentence)]


def _cut_sentences(text: str) -> list[str]:
    """Split a text after its question marks; a rest that asks nothing belongs to the last question."""
    cuts = [0, *(mark.end() for mark in re.finditer(r"(?<!\?)\?++(?=\s)", text)), len(text)]
    sentences: list[str] = []
    for part in (text[start:end].strip() for start, end in pairwise(cuts)):
        if sentences and is_instruction(part):
            sentences[-1] = f"{sentences[-1]} {part}"
        elif _count_words(part):
            sentences.append(part)
    if len(sentences) < 2 or sentences[-1].endswith("?") or _BEGINS.match(sentences[-1]):
        return sentences
    if _POLITE.fullmatch(sentences[-1]):
        return sentences[:-1]
    return [*sentences[:-2], f"{sentences[-2]} {sentences[-1]}"]


def _cut_clauses(sentence: str) -> list[str]:
    """Split a sentence before each further question."""
    joints = [*_JOINT.finditer(sentence), *(_JOINT_OF_REQUEST.finditer(sentence) if _REQUEST.match(sentence) else ())]
    clauses, begin = [], 0
    for joint in sorted(joints, key=lambda found: found.start()):
        before = sentence[begin : joint.start()]
        if joint.start() >= begin and _is_whole_question(before, joint.group()):
            clauses.append(before.strip())
            begin = joint.end()
    last = sentence[begin:].strip()
    if (tail := _TAIL.search(last)) and _is_whole_question(last[: tail.start()], tail.group()):
        return [*clauses, last[: tail.start()].strip(), f"what was {last[tail.end() :].strip()}"]
    return [*clauses, last]


def _is_whole_question(before: str, joint: str) -> bool:
    """Return whether the words before a joint are a complete question."""
    joined, asks = any(character.isalpha() for character in joint), _BEGINS.match(before) is not None
    least = 1 if joined and not asks else 2
    if _OPEN.search(before) or _OF_WHAT.search(before) or _count_words(before) < least:
        return False
    if _LEADS_IN.match(before):
        # "in 2012, what was revenue" is a question, "considering what was paid in 2012" is not
        return _LATER.search(before) is not None
    if asks or _LATER.search(before):
        return _count_words(before) > 2 or (joined and _AMOUNT_ALONE.fullmatch(before.strip()) is not None)
    # "revenue in 2012 and what was it in 2011?": a named thing is a question, too
    return joined or ";" in joint


def _ask_for_each(question: str, match: re.Match[str]) -> tuple[str, ...]:
    """Return the questions for each of several values if the next question refers to them; else an empty tuple."""
    if listing := read_listing(_as_question(question)):
        return listing.questions
    since = match.groupdict().get("since")  # "the change since 2008" is a separate change for each value
    if not since and _NEEDS_TWO.match(match["operation"]) and (pair := _PAIR.fullmatch(_as_question(question))):
        things = (pair["first"].strip(), pair["second"].strip())
        return tuple(f"{pair['before']}{thing}{pair['after']}" for thing in things)
    return ()


def _count_words(text: str) -> int:
    """Count the words of a text, without single letters."""
    return sum(len(word) > 1 for word in words(text))


def _as_question(clause: str) -> str:
    clause = _ASKS_WHEN.sub(r"\1 \3 \2", " ".join(clause.split()).rstrip(",;"))
    return clause if clause.endswith(("?", ".", "!")) else f"{clause}?"
