"""Which lines are headings, and of which rank.

Nothing here knows a company.
"""

import re
from dataclasses import dataclass, field

from quaestor.core.patterns import lazy_regex
from quaestor.documents.captions import is_caption
from quaestor.readers.html.blocks import HtmlLine

_LONGEST = 200
_PART = lazy_regex(r"part\s+(?:[ivx]{1,4}|[0-9])\b[\s.,:\u2013\u2014-]*(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_ITEM = lazy_regex(r"items?\s+[0-9]{1,2}\s?[a-c]?\s?(?:[.:\u2013\u2014-]|\s|$)", re.IGNORECASE)
_NOTE = lazy_regex(
    r"(?:notes?\s+)?(?:\(?[0-9]{1,2}\)?)\s?(?:[.:)\u2013\u2014-]|\s-)\s*\S|note\s+[0-9]{1,2}[a-z]?\b", re.IGNORECASE
)
_STATEMENT = lazy_regex(
    r"(?:condensed\s+|unaudited\s+)*consolidated\s+(?:condensed\s+)?(?:statements?|balance\s+sheets?)\b"
    r"|(?:statements?\s+of\s+(?:consolidated\s+)?|balance\s+sheets?)|notes\s+to\s+(?:the\s+)?(?:condensed\s+)?(?:consolidated\s+)?"
    r"(?:condensed\s+)?financial\s+statements|report\s+of\s+independent",
    re.IGNORECASE,
)
_TAGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_LETTER = lazy_regex(r"[A-Za-z]{2}")
_ENDS_SENTENCE = lazy_regex(r"[a-z][a-z)\"\u201d\u2019]\.$|[;,]$")

_PARTS, _ITEMS, _STATEMENTS, _NOTES, _PRINTED = 1, 2, 3, 4, 5
"""Levels; those that are told by how they are printed come last."""


@dataclass(slots=True)
class Outline:
    """The headings so far, as far as they are open.

    Attributes:
        linked: The ids that links within the file point to.
    """

    linked: frozenset[str]
    _open: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)

    def level(self, line: HtmlLine) -> int | None:
        """Return the level of a line that is a heading, and takes it into account; None of any other line."""
        rank = self._rank(line)
        if rank is None:
            return None
        while self._open and self._open[-1] >= rank:
            self._open.pop()
        # What is printed more boldly than an open heading ends it, whatever it was under.
        self._open.append(rank)
        return len(self._open)

    def _rank(self, line: HtmlLine) -> tuple[int, tuple[int, ...]] | None:
        """Return by what headings are ordered: the smaller is over the larger."""
        text = " ".join(line.text.split())
        if not _may_be(line, text):
            return None
        named = _named(text)
        if line.tag in _TAGS:
            return (named or _PRINTED, (_TAGS[line.tag],))
        if named in (_PARTS, _ITEMS) and len(text) < 120:
            return named, ()
        if not self._stands_out(line, text):
            return None
        if named == _STATEMENTS or (named == _NOTES and line.look.bold):
            return named, ()
        look, capitals = line.look, text.upper() == text
        slanted = look.italic and not look.bold
        shown = (-round(look.size * 2), not look.bold, not capitals, slanted, look.italic, not look.centred)
        return _PRINTED, tuple(map(int, shown))

    def _stands_out(self, line: HtmlLine, text: str) -> bool:
        """Whether a line is printed as headings are: bold, underlined, slanted, in capitals in the middle."""
        look, capitals = line.look, text.upper() == text
        aimed = any(target in self.linked for target in line.targets)
        if look.bold or (look.underlined and len(text) < 100) or (look.italic and len(text) < 90):
            return True
        return (capitals and look.centred and len(text) > 5) or (aimed and (capitals or look.centred))


def _named(text: str) -> int | None:
    """Return the level of a heading by its words; None if they tell none."""
    if (part := _PART.match(text)) and (not part["rest"] or len(text) < 60):
        return _PARTS
    if _ITEM.match(text):
        return _ITEMS
    if _STATEMENT.match(text) and len(text) < 120:
        return _STATEMENTS
    return _NOTES if _NOTE.match(text) else None


def _may_be(line: HtmlLine, text: str) -> bool:
    """Whether a line is short and is not a sentence, number or caption."""
    if len(text) > _LONGEST or not _LETTER.search(text) or is_caption(text) or line.tag in ("li", "pre"):
        return False
    if line.linked or text.startswith(("(", "•", "*")):
        return False
    return not (_ENDS_SENTENCE.search(text) and not _ITEM.match(text) and len(text) > 40)
