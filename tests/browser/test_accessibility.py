"""axe-core finds nothing serious on any page, in light and in dark, on a desk and on a phone."""

from pathlib import Path

import pytest
from accessibility import serious_faults
from playwright.sync_api import Browser
from web import pages_served

from browser import DESKTOP, PHONE, watched
from quaestor.web.security import Access


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_the_pages_of_an_empty_store(browser: Browser, tmp_path: Path, dark: bool, size: dict[str, int]) -> None:
    with pages_served(tmp_path, "sample") as address, watched(browser, address, dark=dark, size=size) as found:
        found.expected.append("404")
        for path in ("/", "/runs", "/nothing"):
            found.page.goto(path)
            assert serious_faults(found.page) == [], path


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
