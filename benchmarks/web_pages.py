"""Serves the pages of `quaestor serve` from this process, and starts the machine's Chromium."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import sleep

from playwright.sync_api import Browser, Page, sync_playwright

from quaestor.application.ask_service import AskRequest
from quaestor.application.file_cache import file_cache
from quaestor.settings import load_settings
from quaestor.web.app import create_app
from quaestor.web.serving import bind, server_of

_CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def pages(folder: Path, files: Sequence[str]) -> Iterator[str]:
    """Serve files like `quaestor serve` with a store in a folder, and yield the address."""
    settings = load_settings({"store": str(folder / "runs.db")}, environment={}, folder=folder)
    app = create_app(AskRequest(settings, keep=True, cache=file_cache(settings)), None, tuple(files))
    sys.setswitchinterval(0.001)
    with bind("127.0.0.1", 0) as bound:
        server = server_of(app)
        thread = Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        while not server.started:
            sleep(0.01)
        try:
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(30)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium, without its sandbox if the user is root."""
    found = next(filter(None, map(shutil.which, _CHROMIUM)), None)
    if found is None:
        raise SystemExit("there is no Chromium on this machine: install one")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


def begin(page: Page, name: str) -> None:
    """Start a conversation about an available document."""
    page.goto("/")
    page.get_by_role("button", name=name, exact=True).click()
    page.wait_for_selector("html.scripted")


def ask(page: Page, question: str) -> None:
    """Ask a question, and wait for the answer."""
    before = page.locator("#turns > .turn:not(.pending)").count()
    page.locator("#question").fill(question)
    page.keyboard.press("Enter")
    page.locator("#turns > .turn:not(.pending)").nth(before).wait_for(timeout=120_000)
    page.locator(".pending").wait_for(state="detached")
