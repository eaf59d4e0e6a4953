"""The text of a stretch of inline elements as a reader sees it, with the places of the tags in it.

The text is the same with and without tags: they are places in it and no more.
"""

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from quaestor.core.patterns import lazy_regex
from quaestor.readers.html.styles import PLAIN, Style

if TYPE_CHECKING:
    from lxml.etree import _Element

_SPACE = lazy_regex(r"[\s\u00a0\u2000-\u200a\u202f\u205f\u3000]+")
_MARK = lazy_regex(r"\(?([0-9]{1,2}|[a-z])\)?(?:[,;]\s?\(?(?:[0-9]{1,2}|[a-z])\)?)*", re.IGNORECASE)
_UNSEEN: dict[int, str | None] = dict.fromkeys((0x200B, 0x200C, 0x200D, 0xFEFF, 0xAD, 0x2060))
for _code in range(0x80, 0xA0):  # references such as `&#146;` name the characters of Windows
    _UNSEEN[_code] = bytes([_code]).decode("cp1252", "ignore") or None
_ODD = lazy_regex("[\x80-\x9f\u200b-\u200d\ufeff\xad\u2060]")


@dataclass(frozen=True, slots=True)
class InlineTag:
    """A tag and the characters of the text that it encloses."""

    element: "_Element"
    start: int
    end: int


@dataclass(slots=True)
class Run:
    """Text as it is collected, and how much of it looks how."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    marks: list[InlineTag] = field(default_factory=list)
    looks: dict[Style, int] = field(default_factory=dict)
    linked: int = 0
    open_end: bool = True
    _raised: list[str] | None = None

    def add(self, text: str, style: Style, linked: bool = False) -> None:
        """Add the text of an element.

        Args:
            linked: Whether it is a link within the file.
        """
        if _ODD.search(text):
            text = text.translate(_UNSEEN)
        if style.kept:
            self._add_lines(text, style)
            return
        text = _SPACE.sub(" ", text)
        if self.open_end and text.startswith(" "):
            text = text[1:]
        if not text:
            return
        if style.raised and self.length and _MARK.fullmatch(text.strip()):
            text = as_mark(text.strip())
            if not self.open_end:
                text = " " + text
        self.parts.append(text)
        self.length += len(text)
        self.open_end = text.endswith(" ")
        seen = len(text) - text.count(" ")
        if seen:
            self.looks[style] = self.looks.get(style, 0) + seen
            if linked:
                self.linked += seen

    def _add_lines(self, text: str, style: Style) -> None:
        self.parts.append(text)
        self.length += len(text)
        self.open_end = text[-1:] in (" ", "\n")
        self.looks[style] = self.looks.get(style, 0) + len(text.strip())

    def break_line(self) -> None:
        """Begin another line, if there is one already."""
        if self.length and self.parts[-1] != "\n":
            if self.parts[-1].endswith(" "):
                self.parts[-1] = self.parts[-1][:-1]
                self.length -= 1
            self.parts.append("\n")
            self.length += 1
            self.open_end = True

    def mark(self, element: "_Element", start: int) -> None:
        """Note a tag that began at a length of the text and ends now."""
        self.marks.append(InlineTag(element, start, self.length))

    def printed(self) -> tuple[str, tuple[InlineTag, ...]]:
        """Return the text, lines between line ends, and the tags with their spans in it."""
        text = "".join(self.parts).rstrip()
        if not self.marks:
            return text, ()
        found = []
        for mark in self.marks:
            start, end = min(mark.start, len(text)), min(mark.end, len(text))
            while start < end and text[start].isspace():
                start += 1
            while end > start and text[end - 1].isspace():
                end -= 1
            found.append(InlineTag(mark.element, start, end))
        return text, tuple(found)

    @property
    def is_mark(self) -> bool:
        """Whether all of it is a raised footnote mark, which belongs to what is printed before it."""
        return (
            len(self.looks) == 1
            and next(iter(self.looks)).raised
            and _MARK.fullmatch("".join(self.parts).strip()) is not None
        )

    def look(self) -> Style:
        """Return how most of the text looks; what holds of all of it but a twentieth holds of it."""
        if len(self.looks) < 2:
            only = next(iter(self.looks), PLAIN)
            return replace(only, raised=False) if only.raised else only
        total = sum(self.looks.values())
        most = max(self.looks, key=self.looks.__getitem__)

        def share(name: str) -> bool:
            return sum(count for style, count in self.looks.items() if getattr(style, name)) >= 0.95 * total

        return Style(share("bold"), share("italic"), share("underlined"), most.centred, False, most.size, most.kept)


def as_mark(text: str) -> str:
    """Return a raised footnote mark in the parentheses by which it is told from what it is attached to."""
    return text if text.startswith("(") else f"({text})"
