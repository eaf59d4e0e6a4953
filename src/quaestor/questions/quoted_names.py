"""Line labels that a question quotes, whose words are not parsed as words of the question.

"the change in Change in fair value of debt securities" asks for one change, and "Total property, plant and equipment,
net" is one name.
"""

import re
from collections.abc import Iterable, Sequence

from quaestor.core.patterns import lazy_regex
from quaestor.questions.moments import read_moments
from quaestor.questions.understanding import read_filing_question

_MARK = "linename{}"
_MARKS = lazy_regex(r"linename([a-z])\b")
_MOST = 6
_READ_AS_MORE = lazy_regex(
    r"\b(?:chang|increas|decreas|grow|averag|ratio|percent|less|versus|before|after|beginning|end|prior)\w*|%"
)
"""Words in labels that would change how a question is parsed."""
_OPERATION = lazy_regex(r"\b(?:percent|chang|increas|decreas|growth|grow|grew|average|ratio|difference)\w*")


def mark_quoted_names(text: str, names: Iterable[str]) -> tuple[str, Sequence[str]]:
    """Replace quoted labels by marks if they would be parsed as more than a name.

    >>> mark_quoted_names("what was the change in Change in fair value?", ["change in fair value"])
    ('what was the change in linenamea?', ('Change in fair value',))

    Args:
        names: The labels of lines, in lower case, longest first.
    """
    lowered = text.lower().replace("\u2019", "'")
    if len(lowered) != len(text):
        return text, ()
    found: list[tuple[int, int]] = []
    for name in names:
        place = lowered.find(name)
        if place < 0 or len(found) == _MOST or not _is_whole(lowered, place, place + len(name)):
            continue
        span = place, place + len(name)
        rest = lowered[:place] + lowered[span[1] :]
        if any(span[0] < end and begin < span[1] for begin, end in found) or not _reads_as_more(name, rest):
            continue
        if not _is_operation(name, rest):
            found.append(span)
    found.sort()
    quoted = tuple(text[begin:end] for begin, end in found)
    for number in reversed(range(len(found))):
        begin, end = found[number]
        text = text[:begin] + _MARK.format(chr(ord("a") + number)) + text[end:]
    return text, quoted


def restore_names(text: str, names: Sequence[str]) -> str:
    """Replace the marks in a text by their names."""
    if not names:
        return text
    return _MARKS.sub(
        lambda found: names[ord(found[1]) - ord("a")] if ord(found[1]) - ord("a") < len(names) else found[0], text
    )


def _is_whole(text: str, begin: int, end: int) -> bool:
    return not re.match(r"\w", text[end : end + 1]) and not re.match(r"\w", text[begin - 1 : begin] if begin else "")


def _reads_as_more(name: str, rest: str) -> bool:
    """Return whether a name parses as a relation, several things, an operation, or a time besides the question's."""
    reading = read_filing_question(name)
    if reading.each:
        return False
    if reading.moments:  # "Notes due 2030" in 2024; but in "cash at end of year" both times are the same
        day = any(moment.is_year_end for moment in reading.moments)
        return not day and bool(reading.terms) and any(True for _ in read_moments(rest))
    several = bool(reading.relation) or len(reading.operands) > 1 or reading.total_asked
    return several or _READ_AS_MORE.search(name) is not None


def _is_operation(name: str, rest: str) -> bool:
    """Return whether a question asks for the operation in a label: "what percentage of sales was X?"."""
    if not _OPERATION.search(name) or _OPERATION.search(rest):
        return False
    return "percent" in name or sum(moment.count or 1 for moment in read_moments(rest)) > 1
