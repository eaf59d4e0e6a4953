"""axe-core finds no serious violations on any page, in light and dark mode, on desktop and phone."""

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

# Contrast depends on the theme and layout on the size, so each theme and each size is tested once.
LOOKS = pytest.mark.parametrize(("dark", "size"), [(False, DESKTOP), (True, PHONE)], ids=["light desk", "dark phone"])
NORD = "sample#NORD/2012/page_41.pdf"
QUESTIONS = ("what were net sales of power cables in 2012?", "and in 2011?", "what was the change?", "why is that?")


@pytest.mark.very_slow
@LOOKS
def test_pages_of_an_empty_store_are_accessible(
    browser: Browser, tmp_path: Path, dark: bool, size: dict[str, int]
) -> None:
    with pages_served(tmp_path, "sample") as address, watched(browser, address, dark=dark, size=size) as found:
        found.expected.append("404")
        for path in ("/", "/runs", "/nothing"):
            found.page.goto(path)
            assert serious_faults(found.page) == [], path


@pytest.mark.very_slow
@LOOKS
def test_conversation_page_is_accessible(browser: Browser, tmp_path: Path, dark: bool, size: dict[str, int]) -> None:
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


def test_token_page_is_accessible(browser: Browser, tmp_path: Path) -> None:
    access = Access(token="0123456789abcdef-token")
    with pages_served(tmp_path, access=access) as address, watched(browser, address) as found:
        found.expected.append("401")
        found.page.goto("/runs")
        assert serious_faults(found.page) == []


def test_faults_are_found(browser: Browser, tmp_path: Path) -> None:
    with pages_served(tmp_path) as address, watched(browser, address) as found:
        found.page.goto("/")
        found.page.evaluate("document.querySelector('main').innerHTML = '<img src=\"data:,\"><button></button>'")
        assert {fault.split(" ")[0] for fault in serious_faults(found.page)} >= {"button-name", "image-alt"}
        found.page.evaluate("document.querySelector('main').textContent = 'pale words'")
        found.page.evaluate("document.querySelector('main').style.cssText = 'color: #bbb; background: #ccc'")
        assert [fault.split(" ")[0] for fault in serious_faults(found.page, *OF_THEMES)] == ["color-contrast"]


@pytest.mark.very_slow
def test_all_pages_linked_from_runs_are_accessible(browser: Browser, tmp_path: Path) -> None:
    store = asking(tmp_path).settings.store
    for _ in range(2):
        run_in_thread(evaluate_async("sample", limit=2, store=store))
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
                # Visit one address of each kind; addresses of a kind differ in digits, ids and the query only.
                kind = re.sub(r"[\w.-]*\d[\w.-]*", "0", re.sub(r"=[^&#]*", "", link)).partition("#")[0]
                if link.startswith("/runs") and kind not in seen and len(seen) < 12:
                    seen.add(kind)
                    waiting.append(link)
        assert any("/turns/" in kind for kind in seen)
        assert any("/graph/" in kind for kind in seen), seen


def run_in_thread(work: Coroutine[Any, Any, object]) -> None:
    """Run a coroutine in another thread, because Playwright has a running loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()
