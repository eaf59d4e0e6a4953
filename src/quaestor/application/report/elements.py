"""Elements of a page, made with lxml, so that no text of a document or of a model becomes markup."""

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from lxml import etree

Element: TypeAlias = etree._Element
Child: TypeAlias = "Element | str | None"

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def element(tag: str, *children: Child, **attributes: str | float | None) -> Element:
    """Returns an element.

    Args:
        *children: Elements and texts, in order; None is nothing.
        **attributes: By name; `class_` is `class`, and an underscore a hyphen. None is left out.
    """
    made = etree.Element(tag)
    for name, value in attributes.items():
        if value is not None:
            written = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
            made.set(name.rstrip("_").replace("_", "-"), printable(written))
    for child in children:
        if isinstance(child, str):
            _append_text(made, printable(child))
        elif child is not None:
            made.append(child)
    return made


def printable(text: str) -> str:
    r"""Returns a text without the characters that a page cannot hold.

    >>> printable("a\x00b")
    'a\ufffdb'
    """
    return _UNPRINTABLE.sub("\ufffd", text)


def table(heads: Sequence[str], rows: Iterable[Sequence[Child]], *, look: str | None = None) -> Element:
    """Returns a table that scrolls by itself where it is too wide; the first cell of a row heads it.

    Args:
        rows: Of cells; one of a single cell heads the rows below it.
        look: `words` of a table of words, `short` where the first cells are short.
    """
    head = element("thead", element("tr", *(element("th", name, scope="col") for name in heads)))
    body = element("tbody", *(_row(row, len(heads)) for row in rows))
    return element("div", element("table", head, body, class_=look), class_="wide", tabindex="0")


def _row(cells: Sequence[Child], columns: int) -> Element:
    if len(cells) == 1:
        return element("tr", element("th", cells[0], scope="rowgroup", colspan=str(columns)), class_="group")
    first, *rest = cells
    return element("tr", element("th", first, scope="row"), *(element("td", cell) for cell in rest))


def _append_text(made: Element, text: str) -> None:
    if len(made):
        made[-1].tail = (made[-1].tail or "") + text
    else:
        made.text = (made.text or "") + text


def to_markup(made: Element) -> str:
    """Returns an element as HTML."""
    return etree.tostring(made, encoding="unicode", method="html")
