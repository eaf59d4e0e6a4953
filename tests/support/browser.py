"""The Chromium installed on this machine, driven by Playwright; tests are skipped if there is none.

A test fails if its page logs a warning or an error to the console, if a script raises an error, or if the page requests
a host other than the server of the test.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 800}

_PATIENCE = 30_000
"""Milliseconds; long enough for a busy machine."""
_NAMES = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the installed Chromium; skip the test if there is none."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip("there is no Chromium on this machine")
    # The sandbox of Chromium does not work as root.
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class WatchedPage:
    """A browser page and the faults found on it.

    Attributes:
        faults: Console messages, script errors and requests to other hosts.
        expected: Substrings of faults that the test expects, which are ignored.
    """

    page: Page
    faults: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)


@contextmanager
def watched(
    browser: Browser, address: str, *, size: dict[str, int] = DESKTOP, dark: bool = False, scripts: bool = True
) -> Iterator[WatchedPage]:
    """Yield a page of a server in its own browser context, and fail at the end if the page had faults."""
    context = browser.new_context(
        base_url=address,
        viewport={"width": size["width"], "height": size["height"]},
        color_scheme="dark" if dark else "light",
        java_script_enabled=scripts,
        locale="en-GB",
    )
    try:
        found = _watch(context, address)
        yield found
        faults = [fault for fault in found.faults if not any(part in fault for part in found.expected)]
        assert faults == []
    finally:
        context.close()


def _watch(context: BrowserContext, address: str) -> WatchedPage:
    found = WatchedPage(context.new_page())
    host = urlsplit(address).netloc

    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            found.faults.append(f"console: {message.text}")

    def on_request(request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and parts.netloc != host:
            found.faults.append(f"asked another host: {request.url}")

    context.on("console", on_console)
    context.on("weberror", lambda error: found.faults.append(f"script: {error.error}"))
    context.on("request", on_request)
    found.page.set_default_timeout(_PATIENCE)
    expect.set_options(timeout=_PATIENCE)
    return found
