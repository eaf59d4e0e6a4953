"""axe-core finds nothing serious on any page, in light and in dark, on a desk and on a phone."""

import asyncio
import re
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from accessibility import OF_THEMES, serious_faults
from playwright.sync_api import Browser, expect
from web import asking, pages_served

from browser import DESKTOP, PHONE, watched
from quaestor import evaluate_async
from quaestor.web.security import Access

pytestmark = pytest.mark.slow

# Contrast is a matter of the theme, and room one of the size: each of both is looked at once.
LOOKS = pytest.mark.parametrize(("dark", "size"), [(False, DESKTOP), (True, PHONE)], ids=["light desk", "dark phone"])
NORD = "sample#NORD/2012/page_41.pdf"
QUESTIONS = ("what were net sales of power cables in 2012?", "and in 2011?", "what was the change?", "why is that?")


@pytest.mark.very_slow
@LOOKS
def test_the_pages_of_an_empty_store(browser: Browser, tmp_path: Path, dark: bool, size: dict[str, int]) -> None:
    with pages_served(tmp_path, "sample") as address, watched(browser, address, dark=dark, size=size) as found:
        found.expected.append("404")
        for path in ("/", "/runs", "/nothing"):
            found.page.goto(path)
            assert serious_faults(found.page) == [], path


@pytest.mark.very_slow
@LOOKS
def test_a_conversation_beside_its_document(browser: Browser, tmp_path: Path, dark: bool, size: dict[str, int]) -> None:
    with pages_served(tmp_path, NORD, "sample") as address, watched(browser, address, dark=dark, size=size) as found:
        page = found.page
        page.goto("/")
        page.locator("button.document").first.click()
        expect(page.locator(".first button").first).to_be_visible(timeout=60_000)
        assert serious_faults(page) == [], "before anything is asked"
        for number, question in enumerate(QUESTIONS, start=1):
            page.locator("#question").fill(question)
            page.keyboard.press("Enter")
            expect(page.locator("#turns > .turn:not(.pending)")).to_have_count(number, timeout=60_000)
            expect(page.locator(".pending")).to_have_count(0)
        assert serious_faults(page) == [], "with answers"
        page.locator("#turns a.place").first.click()
        assert serious_faults(page) == [], "with a cell that is marked"
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert serious_faults(page) == [], "with all that can be opened"
        page.goto("/")
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert serious_faults(page) == [], "the list of conversations"
        page.locator("button.document").last.click()
        expect(page.locator("ul.pages")).to_be_visible()
        assert serious_faults(page) == [], "the pages of a file"


def test_the_page_that_asks_for_the_token(browser: Browser, tmp_path: Path) -> None:
    access = Access(token="0123456789abcdef-token")
    with pages_served(tmp_path, access=access) as address, watched(browser, address) as found:
        found.expected.append("401")
        found.page.goto("/runs")
        assert serious_faults(found.page) == []


def test_a_fault_is_found(browser: Browser, tmp_path: Path) -> None:
    with pages_served(tmp_path) as address, watched(browser, address) as found:
        found.page.goto("/")
        found.page.evaluate("document.querySelector('main').innerHTML = '<img src=\"data:,\"><button></button>'")
        assert {fault.split(" ")[0] for fault in serious_faults(found.page)} >= {"button-name", "image-alt"}
        found.page.evaluate("document.querySelector('main').textContent = 'pale words'")
        found.page.evaluate("document.querySelector('main').style.cssText = 'color: #bbb; background: #ccc'")
        assert [fault.split(" ")[0] for fault in serious_faults(found.page, *OF_THEMES)] == ["color-contrast"]


@pytest.mark.very_slow
def test_every_page_that_runs_lead_to(browser: Browser, tmp_path: Path) -> None:
    store = asking(tmp_path).settings.store
    for _ in range(2):
        in_another_loop(evaluate_async("sample", limit=2, store=store))
    with pages_served(tmp_path, "sample") as address, watched(browser, address, dark=True) as found:
        page, seen = found.page, set[str]()
        page.goto("/runs")
        runs = page.eval_on_selector_all("input[name=run]", "found => found.map(one => one.value)")
        waiting = ["/runs", f"/runs/compare?run={runs[0]}&run={runs[1]}"]
        while waiting:
            there = waiting.pop(0)
            page.goto(there)
            assert serious_faults(page) == [], there
            for link in page.eval_on_selector_all(
                "main a[href]", "found => found.map(one => one.getAttribute('href'))"
            ):
                # One address of a kind: two of a kind differ in digits, in ids and behind the question mark.
                kind = re.sub(r"[\w.-]*\d[\w.-]*", "0", re.sub(r"=[^&#]*", "", link)).partition("#")[0]
                if link.startswith("/runs") and kind not in seen and len(seen) < 12:
                    seen.add(kind)
                    waiting.append(link)
        assert any("/turns/" in kind for kind in seen)
        assert any("/graph/" in kind for kind in seen), seen


def in_another_loop(work: Coroutine[Any, Any, object]) -> None:
    """Playwright has a loop of its own in this thread."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()
