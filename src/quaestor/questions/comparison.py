"""The two operands that a question compares: a part and its whole, a later and an earlier value.

The ontology's core determines the operation.
"""

import re
from dataclasses import dataclass, replace

from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import find_periods
from quaestor.questions.stems import stems

_SHARE = r"(?:percent(?:age)?|portion|share|proportion|fraction|part)"
_PATTERNS = (
    (
        "share",
        rf"{_SHARE}(?: of (?P<b>.+?))? (?:did|does|do) (?P<a>.+?) "
        r"(?:represent|account for|constitute|make up|comprise|correspond)(?:ed|s)?\b"
        r"(?: to)?(?: in relation to| out of| of| from| in)?(?P<c> .+)?",
    ),
    (
        "share",
        r"how much (?:did|does|do|was|is) (?P<a>.+?) (?:represent|account for)s?\b"
        r"(?: in relation to| of| from)? (?P<b>.+)",
    ),
    ("ratio", r"\b(?:ratio|proportion) of (?P<a>.+?) (?:to|over) (?P<b>.+)"),
    ("share", rf"(?P<a>.+?) (?:as|is|was) (?:a |an |the )?{_SHARE} of (?P<b>.+)"),
    ("share", rf"{_SHARE} of (?P<b>.+?) (?:is|was|were|are|came|comes|consist\w*|relat\w*|that)\b (?P<a>.+)"),
    ("ratio", r"(?P<a>.+?) (?:in relation to|relative to|divided by|over the|compared to|versus) (?P<b>.+)"),
    ("less", r"(?P<a>.+?) (?:less|minus|without|excluding|net of) (?P<b>.+)"),
    ("less", r"(?P<a>.+?) (?:exceed\w*|greater than|more than|higher than|above|larger than) (?P<b>.+)"),
    ("move", r"\bfrom (?P<b>.{1,200}?) (?:to|until|through) (?P<a>.+)"),
    ("between", r"\bbetween (?P<a>.{1,200}?) and (?P<b>.+)"),
    ("plus", r"(?P<a>.+?) (?:plus|added to|combined with|together with|and) (?P<b>.+)"),
    ("times", r"(?P<a>.+?) (?:times|multiplied by) (?P<b>.+)"),
)
# A pattern that begins with `.+?` matches from the start of a line or not at all.
_COMPILED = tuple(
    (kind, lazy_regex(f"^{pattern}" if pattern.startswith("(?P<a>") else pattern, re.MULTILINE))
    for kind, pattern in _PATTERNS
)
KINDS = ("", *dict.fromkeys(kind for kind, _ in _PATTERNS))
"""The kinds of comparison, in the order of their codes; the first means none."""

_BEGINNING = lazy_regex(r"\b(?:beginning|start|opening|january 1|jan\.? 1)\b")
_END = lazy_regex(r"\b(?:end|ending|closing|december 31|dec\.? 31)\b")
_POINTS_BACK = lazy_regex(r"\b(?:that|this|it|those|these|they|them|its|one)\b")


@dataclass(frozen=True, slots=True)
class ComparisonArgument:
    """One side of a comparison, without the stems and years that both sides have.

    Attributes:
        back: Whether it refers to an earlier answer.
        boundary: 1 for the end of a period, -1 for its beginning, 0 for neither.
        text: Its words, in lower case.
    """

    stems: frozenset[str] = frozenset()
    years: frozenset[int] = frozenset()
    back: bool = False
    boundary: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both sides of a comparison, first operand first."""

    kind: str = ""
    first: ComparisonArgument = ComparisonArgument()
    second: ComparisonArgument = ComparisonArgument()


def read_comparison(text: str) -> Comparison:
    """Return the comparison in a lower-case question; its sides are empty if there is none."""
    for kind, pattern in _COMPILED:
        if found := pattern.search(text):
            groups = found.groupdict("")
            first, second = _read_argument(groups["a"]), _read_argument(f"{groups['b']} {groups.get('c', '')}")
            return Comparison(kind, _without(first, second), _without(second, first))
    return Comparison()


def _read_argument(text: str) -> ComparisonArgument:
    years = frozenset(mention.period.last or mention.period.year for mention in find_periods(text))
    back = _POINTS_BACK.search(text) is not None
    return ComparisonArgument(frozenset(stems(text)), years, back, boundary(text), text)


def _without(side: ComparisonArgument, other: ComparisonArgument) -> ComparisonArgument:
    return replace(side, stems=side.stems - other.stems, years=side.years - other.years)


def boundary(text: str) -> int:
    """Return 1 if a text mentions the end of a period, -1 for its beginning, 0 for neither or both."""
    return bool(_END.search(text)) - bool(_BEGINNING.search(text))
