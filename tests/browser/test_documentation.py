"""The documentation site in a browser: readable on desktop, on phone and in dark mode, with a local search."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from accessibility import serious_faults
from docs_site import public_names
from documentation_site import whole_site
from playwright.sync_api import Browser

from browser import DESKTOP, PHONE, watched

NAMES = public_names.groups()[0].page.removesuffix(".md")
PAGES = ("", "tutorials/own_filing/", f"{NAMES}/")


class QuietHandler(SimpleHTTPRequestHandler):
    """Serve files without logging."""

    def log_message(self, format: str, *words: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the site on this machine and yield its address."""
    folder, _ = whole_site(tmp_path_factory)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.very_slow
@pytest.mark.parametrize(("size", "dark"), [(DESKTOP, False), (PHONE, True)], ids=["desktop-light", "phone-dark"])
def test_pages_fit_the_width_and_are_accessible(
    browser: Browser, address: str, size: dict[str, int], dark: bool
) -> None:
    with watched(browser, address, size=size, dark=dark) as seen:
        for path in PAGES:
            seen.page.goto(f"/{path}")
            assert seen.page.locator("article h1").count() == 1
            assert seen.page.evaluate("document.documentElement.scrollWidth") <= size["width"], path
            assert serious_faults(seen.page) == [], path


@pytest.mark.very_slow
def test_site_search_finds_pages(browser: Browser, address: str) -> None:
    with watched(browser, address) as seen:
        seen.page.goto("/")
        seen.page.get_by_placeholder("Search").fill("calibration")
        found = seen.page.locator(".md-search-result__link").first
        found.wait_for()
        found.click()
        assert "calibrat" in seen.page.locator("article").inner_text().casefold()
