"""What a reader sees of an element: bold, italic, underlined, centred, its size, whether it is shown at all.

Of style sheets only what they hide is read: filings carry their looks in each element.
"""

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache

from quaestor.core.patterns import lazy_regex


@dataclass(frozen=True, slots=True)
class Style:
    """How text looks, by what it inherits.

    Attributes:
        bold: Whether it is printed bold.
        italic: Whether it is printed slanted.
        underlined: Whether there is a line below it.
        centred: Whether its block is centred.
        raised: Whether it is printed above the line, as footnote marks are.
        kept: Whether spaces and line ends are kept (`pre`).
    """

    bold: bool = False
    italic: bool = False
    underlined: bool = False
    centred: bool = False
    raised: bool = False
    size: float = 10.0
    kept: bool = False


@dataclass(frozen=True, slots=True)
class _Rules:
    """What a `style` attribute says; None if it says nothing."""

    hidden: bool = False
    break_before: bool = False
    break_after: bool = False
    changes: dict[str, bool | float] = field(default_factory=dict, hash=False)


PLAIN = Style()
_SIZE = lazy_regex(r"([0-9]{1,3}(?:\.[0-9]+)?)(pt|px|em|%)")
_POINTS = {"pt": 1.0, "px": 0.75, "em": 10.0, "%": 0.1}
_FONT_SIZES = {"1": 7.5, "2": 10.0, "3": 12.0, "4": 13.5, "5": 18.0, "6": 24.0, "7": 36.0}
_BY_TAG: dict[str, dict[str, bool | float]] = {
    "b": {"bold": True},
    "strong": {"bold": True},
    "th": {"bold": True},
    "i": {"italic": True},
    "em": {"italic": True},
    "u": {"underlined": True},
    "ins": {"underlined": True},
    "center": {"centred": True},
    "sup": {"raised": True},
    "pre": {"kept": True},
    "h1": {"bold": True, "size": 18.0},
    "h2": {"bold": True, "size": 15.0},
    "h3": {"bold": True, "size": 13.0},
    "h4": {"bold": True, "size": 11.0},
}


@lru_cache(maxsize=4096)
def style_rules(style: str) -> _Rules:
    """Return what a `style` attribute says."""
    said = {}
    for declaration in style[:2000].casefold().split(";"):
        name, _, value = declaration.partition(":")
        said[name.strip()] = value.partition("!")[0].strip()
    changes: dict[str, bool | float] = {}
    if weight := said.get("font-weight"):
        changes["bold"] = weight.startswith("bold") or (weight.isdigit() and int(weight[:4]) >= 600)
    if slant := said.get("font-style"):
        changes["italic"] = slant in ("italic", "oblique")
    if "underline" in said.get("text-decoration", "") or "underline" in said.get("text-decoration-line", ""):
        changes["underlined"] = True
    if align := said.get("text-align"):
        changes["centred"] = align in ("center", "-webkit-center")
    if place := said.get("vertical-align"):
        changes["raised"] = place == "super"
    if said.get("position") == "relative" and (top := said.get("top")):
        changes["raised"] = top.startswith("-")
    if size := _SIZE.match(said.get("font-size", "")):
        changes["size"] = float(size[1]) * _POINTS[size[2]]
    if (kept := said.get("white-space")) and kept.startswith("pre"):
        changes["kept"] = True
    before = said.get("page-break-before") or said.get("break-before", "")
    after = said.get("page-break-after") or said.get("break-after", "")
    return _Rules(
        hidden=said.get("display") == "none" or said.get("visibility") in ("hidden", "collapse"),
        break_before=before in ("always", "page", "left", "right"),
        break_after=after in ("always", "page", "left", "right"),
        changes=changes,
    )


@lru_cache(maxsize=16384)
def inherited(parent: Style, tag: str, style: str, align: str, size: str) -> Style:
    """Return how text in an element looks.

    Args:
        parent: How the element around it looks.
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


def hidden_by(sheet: str) -> frozenset[str]:
    """Return the selectors of one class or id that a style sheet hides; what holds in print only is none.

    >>> sorted(hidden_by("p { color: red } .old, td.note { display: none } @media print { .menu { display: none } }"))
    ['.old', 'td.note']
    """
    hidden: dict[str, bool] = {}
    depth = 0
    for rule in _COMMENT.sub("", sheet).split("}"):
        opened = rule.count("{")
        if depth == 0 and opened == 1:
            selectors, _, declared = rule.partition("{")
            said = style_rules(declared)
            for selector in map(str.strip, selectors.split(",")):
                if _SELECTOR.fullmatch(selector) and (said.hidden or "display" in declared.casefold()):
                    hidden[selector] = said.hidden
        depth = max(0, depth + opened - 1)
    return frozenset(selector for selector, is_hidden in hidden.items() if is_hidden)
