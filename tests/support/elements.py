"""The elements of the HTML that notebooks show."""

from collections.abc import Iterator

from lxml import html

ALLOWED = {
    "div", "p", "b", "i", "br", "small", "mark", "del", "ol", "li",
    "table", "caption", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
"""All elements that the HTML may contain; none of them runs, links to or loads anything."""


def elements_of(fragment: str) -> Iterator[html.HtmlElement]:
    """Yield every element of an HTML fragment in order."""
    for part in html.fragments_fromstring(fragment):
        assert not isinstance(part, str), part
        yield from part.iter()
