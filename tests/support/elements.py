"""The elements that Python gives a notebook, read as a browser reads them."""

from collections.abc import Iterator

from lxml import html

ALLOWED = {
    "div", "p", "b", "i", "br", "small", "mark", "del", "ol", "li",
    "table", "caption", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
"""All of them; none can run, link or load anything."""


def elements_of(fragment: str) -> Iterator[html.HtmlElement]:
    """Every element of a fragment, in order."""
    for part in html.fragments_fromstring(fragment):
        assert not isinstance(part, str), part
        yield from part.iter()
