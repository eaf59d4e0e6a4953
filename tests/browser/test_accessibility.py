"""axe-core finds nothing serious on any page, in light and in dark, on a desk and on a phone."""

from pathlib import Path

import pytest
from accessibility import serious_faults
from playwright.sync_api import Browser, expect
from web import pages_served

from browser import DESKTOP, PHONE, watched
from quaestor.web.security import Access

NORD = "sample#NORD/2012/page_41.pdf"
QUESTIONS = ("what were net sales of power cables in 2012?", "and in 2011?", "what was the change?", "why is that?")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_the_pages_of_an_empty_store(browser: Browser, tmp_path: Path, dark: bool, size: dict[str, int]) -> None:
    with pages_served(tmp_path, "sample") as address, watched(browser, address, dark=dark, size=size) as found:
        found.expected.append("404")
        for path in ("/", "/runs", "/nothing"):
            found.page.goto(path)
            assert serious_faults(found.page) == [], path


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_a_conversation_beside_its_document(browser: Browser, tmp_path: Path, dark: bool, size: dict[str, int]) -> None:
    with pages_served(tmp_path, NORD, "sample") as address, watched(browser, address, dark=dark, size=size) as found:
        page = found.page
        page.goto("/")
        page.get_by_role("button", name="NORD").click()
        expect(page.locator(".first button").first).to_be_visible(timeout=60_000)
        assert serious_faults(page) == [], "before anything is asked"
        for number, question in enumerate(QUESTIONS, start=1):
            page.get_by_label("Question").fill(question)
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
        page.get_by_role("button", name="sample: pages").click()
        expect(page.get_by_text("Choose a page")).to_be_visible()
        assert serious_faults(page) == [], "the pages of a file"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_that_asks_for_the_token(browser: Browser, tmp_path: Path, dark: bool) -> None:
    access = Access(token="0123456789abcdef-token")
    with pages_served(tmp_path, access=access) as address, watched(browser, address, dark=dark) as found:
        found.expected.append("401")
        found.page.goto("/runs")
        assert serious_faults(found.page) == []


def test_a_fault_is_found(browser: Browser, tmp_path: Path) -> None:
    with pages_served(tmp_path) as address, watched(browser, address) as found:
        found.page.goto("/")
        found.page.evaluate("document.querySelector('main').innerHTML = '<img src=\"data:,\"><button></button>'")
        assert {fault.split(" ")[0] for fault in serious_faults(found.page)} >= {"button-name", "image-alt"}
