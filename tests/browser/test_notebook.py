"""HTML of notebooks in a browser: readable in light and dark mode, on desktop and phone, and harmless."""

from pathlib import Path

import pytest
from accessibility import serious_faults
from notebooks import NOTEBOOKS, outputs, read
from pages import page
from playwright.sync_api import Browser

import quaestor
from browser import DESKTOP, PHONE, watched

pytestmark = pytest.mark.very_slow

PAGE = """<!doctype html><html lang="en"><head><title>A notebook</title>
<meta name="viewport" content="width=device-width">
<style>:root {{ color-scheme: light dark; }}</style></head><body><main><h1>A notebook</h1>{}</main></body></html>"""


def write_page(parts: list[str], folder: Path) -> str:
    """Write a page with only these elements and return its address."""
    (folder / "page.html").write_text(PAGE.format("".join(parts)), encoding="utf-8")
    return (folder / "page.html").as_uri()


@pytest.mark.parametrize(("dark", "size"), [(False, DESKTOP), (True, PHONE)], ids=["light desk", "dark phone"])
def test_answers_can_be_read(browser: Browser, tmp_path: Path, dark: bool, size: dict[str, int]) -> None:
    cells = [data for path in NOTEBOOKS for cell in outputs(read(path)) for data in cell]
    # Only HTML of quaestor, not that of pandas.
    parts = [data["text/html"] for data in cells if "mathjax_ignore" in data.get("text/html", "")]
    assert len(parts) > 5
    with watched(browser, "file://", dark=dark, size=size) as found:
        found.page.goto(write_page(parts, tmp_path))
        assert serious_faults(found.page) == []
        assert found.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert found.page.locator("mark").count() > 5
        for mark in found.page.locator("mark").all():
            colours = mark.evaluate("e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]")
            assert colours == ["rgb(0, 0, 0)", "rgb(255, 255, 0)"]


@pytest.mark.very_slow
def test_markup_in_a_page_is_not_executed(browser: Browser, tmp_path: Path) -> None:
    attack = "<script>console.error('run')</script><img src='http://192.0.2.1/x' onerror=\"console.error('run')\">"
    document = page(
        [[attack, "2010"], [f"net sales {attack}", f"5 {attack}"]], [f"net sales were 5 in 2010 {attack} ."]
    )
    opened = quaestor.open(document)
    parts = [
        opened.ask("what were net sales in 2010?")._repr_html_(),
        opened._repr_html_(),
        opened.tables[0]._repr_html_(),
    ]
    with watched(browser, "file://") as found:
        found.page.goto(write_page(parts, tmp_path))
        assert found.page.locator("img, script").count() == 0
        assert "<script>" in found.page.locator("main").inner_text()
