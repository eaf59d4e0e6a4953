"""The machine's own Chromium, driven by Playwright: skipped if there is none, strict if there is one.

A page fails its test by whatever it writes to the console as an error, by any error of a script, and by any request to
another host than the server of the test.
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
"""Milliseconds: of a busy machine, too."""
_NAMES = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the machine's Chromium; the test is skipped if there is none."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip("there is no Chromium on this machine")
    # Whose sandbox needs a user that is not root.
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class WatchedPage:
    """A page of a browser, and what was wrong with it.

    Attributes:
        faults: What it wrote as an error, what of its scripts broke, which other hosts it asked.
        expected: Parts of lines that are not faults: a test that asks for what is not there knows of them.
    """

    page: Page
    faults: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)


@contextmanager
def watched(
    browser: Browser, address: str, *, size: dict[str, int] = DESKTOP, dark: bool = False, scripts: bool = True
) -> Iterator[WatchedPage]:
    """Give a page of a server in a context of its own, and fails at the end where anything was wrong with it."""
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
