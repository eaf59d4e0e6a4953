"""Every area works in a real browser, with styles and scripts, and without requests to other hosts."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from web import pages_served

from browser import PHONE, watched
from quaestor.web.security import Access

pytestmark = pytest.mark.slow

TOKEN = "a token that nobody guesses"


@pytest.mark.parametrize("scripts", [True, False])
def test_each_area_is_reached_by_the_navigation(browser: Browser, tmp_path: Path, scripts: bool) -> None:
    with pages_served(tmp_path) as address, watched(browser, address, scripts=scripts) as found:
        page = found.page
        page.goto("/")
        for name in ("Runs", "Ask"):
            page.get_by_role("navigation", name="Main").get_by_role("link", name=name).click()
            expect(page.get_by_role("heading", level=1)).to_have_text(name)
            expect(page.locator('nav [aria-current="page"]')).to_have_text(name)


def test_content_security_policy_allows_styles_and_scripts(browser: Browser, tmp_path: Path) -> None:
    with pages_served(tmp_path) as address, watched(browser, address) as found:
        found.page.goto("/")
        assert found.page.evaluate("typeof htmx.ajax") == "function"
        assert found.page.evaluate("getComputedStyle(document.body).display") == "flex"


def test_pages_fit_the_width_of_a_phone(browser: Browser, tmp_path: Path) -> None:
    with pages_served(tmp_path) as address, watched(browser, address, size={**PHONE, "width": 360}) as found:
        for path in ("/", "/runs"):
            found.page.goto(path)
            assert found.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_first_tab_stop_skips_the_navigation(browser: Browser, tmp_path: Path) -> None:
    with pages_served(tmp_path) as address, watched(browser, address) as found:
        found.page.goto("/")
        found.page.keyboard.press("Tab")
        expect(found.page.locator(":focus")).to_have_class("skip")
        found.page.keyboard.press("Enter")
        expect(found.page.locator(":focus")).to_have_attribute("id", "main")


def test_token_is_requested_and_remembered(browser: Browser, tmp_path: Path) -> None:
    access = Access(token=TOKEN)
    with pages_served(tmp_path, access=access) as address, watched(browser, address) as found:
        found.expected.append("401")
        page = found.page
        page.goto("/runs")
        page.locator("#token").fill("another token, a wrong one")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_be_visible()
        page.locator("#token").fill(TOKEN)
        page.locator("form button.primary").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Ask")
        page.goto("/runs")
        expect(page.get_by_role("heading", level=1)).to_have_text("Runs")


def test_token_in_the_address_is_accepted_and_removed(browser: Browser, tmp_path: Path) -> None:
    access = Access(token=TOKEN)
    with pages_served(tmp_path, access=access) as address, watched(browser, address) as found:
        found.page.goto(f"/runs?token={TOKEN.replace(' ', '%20')}")
        expect(found.page).to_have_url(f"{address}/runs")
        expect(found.page.get_by_role("heading", level=1)).to_have_text("Runs")
