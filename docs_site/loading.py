"""Find what the built pages load from other hosts. Links that a reader clicks load nothing."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from lxml import html

_LOADS = {
    "src": "*",
    "srcset": "*",
    "poster": "*",
    "data": ("object",),
    "href": ("link", "image", "use", "base"),
    "{http://www.w3.org/1999/xlink}href": "*",
    "action": ("form",),
    "background": "*",
    "ping": "*",
}
"""Attributes whose address is fetched, and the elements they count on."""

_LINKS_THAT_LOAD_NOTHING = {"canonical", "prev", "next", "author", "license", "alternate"}
_IN_STYLES = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")


def foreign_in(site: Path) -> list[str]:
    """Return a line for each resource that a page or style sheet would fetch from another host."""
    found: list[str] = []
    for path in sorted(site.rglob("*")):
        if path.suffix in (".html", ".css", ".svg") and path.is_file():
            text = path.read_text(encoding="utf-8")
            addresses = of_styles(text) if path.suffix == ".css" else of_page(text)
            found += [f"{path.relative_to(site).as_posix()}: {a}" for a in addresses if urlsplit(a).netloc]
    return found


def of_page(text: str) -> Iterator[str]:
    """Yield every address that a page fetches, including those in its styles."""
    for element in html.document_fromstring(text).iter():
        if not isinstance(element.tag, str):
            continue
        for name, elements in _LOADS.items():
            value = element.get(name)
            if value and (elements == "*" or element.tag in elements) and not _is_plain_link(element):
                yield from (
                    (part.split()[0] for part in value.split(",") if part.strip()) if name == "srcset" else [value]
                )
        yield from of_styles(element.get("style") or "")
        if element.tag == "style":
            yield from of_styles(element.text or "")


def of_styles(text: str) -> Iterator[str]:
    """Yield every address that a style sheet fetches."""
    for url, imported in _IN_STYLES.findall(text):
        yield (url or imported).strip()


def _is_plain_link(element: html.HtmlElement) -> bool:
    return element.tag == "link" and set((element.get("rel") or "").split()) <= _LINKS_THAT_LOAD_NOTHING
