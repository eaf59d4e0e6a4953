"""Parse pages, to test their visible content."""

import re

from lxml import html
from starlette.testclient import TestClient


def page_of(client: TestClient, address: str) -> html.HtmlElement:
    """Request a page, which has to exist, and return its tree."""
    answered = client.get(address)
    assert answered.status_code == 200, answered.text[-400:]
    return html.fromstring(answered.text)


def select(tree: html.HtmlElement, selector: str) -> list[html.HtmlElement]:
    """Return the elements that match a descendant selector of tags, classes, ids and attributes: `table.list th`."""
    path = "." + "".join(f"//{_step(part)}" for part in selector.split())
    found: list[html.HtmlElement] = tree.xpath(path)
    return found


def _step(part: str) -> str:
    tag, *rest = re.findall(r"^[a-z0-9]*|[.#][\w-]+|\[[^]]+\]", part)
    conditions = ""
    for piece in rest:
        name = piece[1:]
        if piece[0] == ".":
            conditions += f"[contains(concat(' ', normalize-space(@class), ' '), ' {name} ')]"
        elif piece[0] == "#":
            conditions += f"[@id='{name}']"
        else:
            key, _, value = piece[1:-1].partition("=")
            conditions += f"[@{key}='{value}']" if value else f"[@{key}]"
    return f"{tag or '*'}{conditions}"


def text(found: html.HtmlElement) -> str:
    """Return the text of an element with normalized white space."""
    return " ".join(found.text_content().split())
