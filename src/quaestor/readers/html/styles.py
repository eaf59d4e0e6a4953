"""Styles of elements, and the displayed text of runs of inline elements."""

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from quaestor.core.patterns import lazy_regex

if TYPE_CHECKING:
    from lxml.etree import _Element


@dataclass(frozen=True, slots=True)
class Style:
    """Style of text, inherited from the parent element.

    Attributes:
        raised: Whether the text is above the baseline, like footnote marks.
        verbatim: Whether spaces and line breaks are preserved (`pre`).
    """

    bold: bool = False
    italic: bool = False
    underlined: bool = False
    centred: bool = False
    raised: bool = False
    size: float = 10.0
    verbatim: bool = False


@dataclass(frozen=True, slots=True)
class _Rules:
    """Rules of a `style` attribute."""

    hidden: bool = False
    break_before: bool = False
    break_after: bool = False
    changes: dict[str, bool | float] = field(default_factory=dict, hash=False)


PLAIN = Style()
_SIZE = lazy_regex(r"([0-9]{1,3}(?:\.[0-9]+)?)(pt|px|em|%)")
_POINTS = {"pt": 1.0, "px": 0.75, "em": 10.0, "%": 0.1}
_FONT_SIZES = {"1": 7.5, "2": 10.0, "3": 12.0, "4": 13.5, "5": 18.0, "6": 24.0, "7": 36.0}
_BY_TAG: dict[str, dict[str, bool | float]] = {
    **{tag: {"bold": True} for tag in ("b", "strong", "th")},
    **{tag: {"italic": True} for tag in ("i", "em")},
    **{tag: {"underlined": True} for tag in ("u", "ins")},
    "center": {"centred": True},
    "sup": {"raised": True},
    "pre": {"verbatim": True},
    "h1": {"bold": True, "size": 18.0},
    "h2": {"bold": True, "size": 15.0},
    "h3": {"bold": True, "size": 13.0},
    "h4": {"bold": True, "size": 11.0},
}


@lru_cache(maxsize=4096)
def style_rules(style: str) -> _Rules:
    """Parse a `style` attribute."""
    css = {}
    for declaration in style[:2000].casefold().split(";"):
        name, _, value = declaration.partition(":")
        css[name.strip()] = value.partition("!")[0].strip()
    changes: dict[str, bool | float] = {}
    if weight := css.get("font-weight"):
        changes["bold"] = weight.startswith("bold") or (weight.isdigit() and int(weight[:4]) >= 600)
    if slant := css.get("font-style"):
        changes["italic"] = slant in ("italic", "oblique")
    if "underline" in css.get("text-decoration", "") or "underline" in css.get("text-decoration-line", ""):
        changes["underlined"] = True
    if align := css.get("text-align"):
        changes["centred"] = align in ("center", "-webkit-center")
    if place := css.get("vertical-align"):
        changes["raised"] = place == "super"
    if css.get("position") == "relative" and (top := css.get("top")):
        changes["raised"] = top.startswith("-")
    if size := _SIZE.match(css.get("font-size", "")):
        changes["size"] = float(size[1]) * _POINTS[size[2]]
    if (space := css.get("white-space")) and space.startswith("pre"):
        changes["verbatim"] = True
    before = css.get("page-break-before") or css.get("break-before", "")
    after = css.get("page-break-after") or css.get("break-after", "")
    return _Rules(
        hidden=css.get("display") == "none" or css.get("visibility") in ("hidden", "collapse"),
        break_before=before in ("always", "page", "left", "right"),
        break_after=after in ("always", "page", "left", "right"),
        changes=changes,
    )


@lru_cache(maxsize=16384)
def inherit_style(parent: Style, tag: str, style: str, align: str, size: str) -> Style:
    """Return the style of text in an element.

    Args:
        size: The `size` attribute of a `font` element, or "".
    """
    changes = dict(_BY_TAG.get(tag, ()))
    if align:
        changes["centred"] = align.casefold() == "center"
    if size in _FONT_SIZES:
        changes["size"] = _FONT_SIZES[size]
    if style:
        changes |= style_rules(style).changes
    return replace(parent, **changes) if changes else parent  # type: ignore[arg-type]


_COMMENT = lazy_regex(r"/\*[^*]*+(?>(?:\*(?!/)[^*]*+)*)(?:\*/)?")
_SELECTOR = lazy_regex(r"(?:[a-z][a-z0-9]{0,10})?[.#][\w-]{1,100}", re.IGNORECASE)


def find_hidden_selectors(sheet: str) -> frozenset[str]:
    """Return the selectors of a single class or id that a style sheet hides, ignoring media queries.

    >>> sorted(find_hidden_selectors(".old, td.note { display: none } @media print { .menu { display: none } }"))
    ['.old', 'td.note']
    """
    hidden: dict[str, bool] = {}
    depth = 0
    for rule in _COMMENT.sub("", sheet).split("}"):
        opened = rule.count("{")
        if depth == 0 and opened == 1:
            selectors, _, declared = rule.partition("{")
            rules = style_rules(declared)
            for selector in map(str.strip, selectors.split(",")):
                if _SELECTOR.fullmatch(selector) and (rules.hidden or "display" in declared.casefold()):
                    hidden[selector] = rules.hidden
        depth = max(0, depth + opened - 1)
    return frozenset(selector for selector, is_hidden in hidden.items() if is_hidden)


# Displayed text of runs of inline elements, with the positions of the tags in it.

_SPACE = lazy_regex(r"[\s\u00a0\u2000-\u200a\u202f\u205f\u3000]+")
_MARK = lazy_regex(r"\(?([0-9]{1,2}|[a-z])\)?(?:[,;]\s?\(?(?:[0-9]{1,2}|[a-z])\)?)*", re.IGNORECASE)
_UNSEEN: dict[int, str | None] = dict.fromkeys((0x200B, 0x200C, 0x200D, 0xFEFF, 0xAD, 0x2060))
for _code in range(0x80, 0xA0):  # references such as `&#146;` name the characters of Windows
    _UNSEEN[_code] = bytes([_code]).decode("cp1252", "ignore") or None
_ODD = lazy_regex("[\x80-\x9f\u200b-\u200d\ufeff\xad\u2060]")


@dataclass(frozen=True, slots=True)
class InlineTag:
    """A tag and the span of the text that it encloses."""

    element: "_Element"
    start: int
    end: int


@dataclass(slots=True)
class Run:
    """Collects the text of a run of inline elements, and the number of characters in each style."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    marks: list[InlineTag] = field(default_factory=list)
    looks: dict[Style, int] = field(default_factory=dict)
    linked: int = 0
    open_end: bool = True

    def add(self, text: str, style: Style, linked: bool = False) -> None:
        """Add the text of an element."""
        if _ODD.search(text):
            text = text.translate(_UNSEEN)
        if style.verbatim:
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
        """Start a new line unless the current one is empty."""
        if self.length and self.parts[-1] != "\n":
            if self.parts[-1].endswith(" "):
                self.parts[-1] = self.parts[-1][:-1]
                self.length -= 1
            self.parts.append("\n")
            self.length += 1
            self.open_end = True

    def mark(self, element: "_Element", start: int) -> None:
        """Record a tag that started at the given length of the text and ends now."""
        self.marks.append(InlineTag(element, start, self.length))

    def printed(self) -> tuple[str, tuple[InlineTag, ...]]:
        """Return the text, with line feeds between lines, and the tags with their spans in it."""
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
        """Whether the whole run is a raised footnote mark, which belongs to the text before it."""
        return (
            len(self.looks) == 1
            and next(iter(self.looks)).raised
            and _MARK.fullmatch("".join(self.parts).strip()) is not None
        )

    def look(self) -> Style:
        """Return the dominant style; bold, italic and underlined apply if at least 95 % of the text has them."""
        if len(self.looks) < 2:
            only = next(iter(self.looks), PLAIN)
            return replace(only, raised=False) if only.raised else only
        total = sum(self.looks.values())
        most = max(self.looks, key=self.looks.__getitem__)

        def share(name: str) -> bool:
            return sum(count for style, count in self.looks.items() if getattr(style, name)) >= 0.95 * total

        return Style(share("bold"), share("italic"), share("underlined"), most.centred, False, most.size, most.verbatim)


def as_mark(text: str) -> str:
    """Return a raised footnote mark in parentheses, so that it stays separate from the text before it."""
    return text if text.startswith("(") else f"({text})"
