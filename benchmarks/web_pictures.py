"""Takes the screenshots for docs/web.md: `python -m benchmarks.web_pictures` (needs Chromium)."""

import tempfile
from pathlib import Path

from playwright.sync_api import Browser

from benchmarks.web_pages import ask, begin, chromium, pages
from quaestor import evaluate

_IMAGES = Path(__file__).parents[1] / "docs" / "images"
_PAGE = "NORD/2012/page_41.pdf"
_QUESTIONS = (
    "what were net sales in 2012?",
    "what was the percentage change from 2011?",
    "what did it spend on research in 2009?",
)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = evaluate("sample", store=str(folder / "runs.db")).run.id
        with pages(folder, [f"sample#{_PAGE}"]) as address, chromium() as browser:
            _take_conversation(browser, address)
            _take_run(browser, address, run)
    print(f"the pictures are in {_IMAGES}")


def _take_conversation(browser: Browser, address: str) -> None:
    page = browser.new_context(base_url=address, viewport={"width": 1280, "height": 760}).new_page()
    begin(page, f"sample#{_PAGE}")
    for question in _QUESTIONS:
        ask(page, question)
    page.locator("#turn-2 .formula a").first.click()
    page.locator("#talk").evaluate("talk => { talk.scrollTop = 0; }")
    page.screenshot(path=_IMAGES / "web_ask.png")
    _take(browser, page.url, "web_ask_phone", phone=True)


def _take_run(browser: Browser, address: str, run: str) -> None:
    page = browser.new_page()
    page.goto(f"{address}/runs/{run}?operation=percentage_change")
    links = page.locator("table.turns tbody th a")
    if not links.count():
        page.goto(f"{address}/runs/{run}?operation=divide&origin=table")
    turn = str(links.first.get_attribute("href"))
    graph = turn.replace(f"/turns/{turn.split('/')[4]}/", "/graph/")
    _take(browser, f"{address}/runs/{run}", "web_run")
    _take(browser, address + turn, "web_turn")
    _take(browser, f"{address}{graph}?node=doc%3Atable_0", "web_graph")
    _take(browser, address + turn, "web_turn_phone", phone=True)


def _take(browser: Browser, address: str, name: str, *, phone: bool = False) -> None:
    """Take a screenshot of a page in a window, or on a phone in dark mode."""
    context = browser.new_context(
        viewport={"width": 390 if phone else 1200, "height": 760}, color_scheme="dark" if phone else "light"
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_timeout(800)
    page.screenshot(path=_IMAGES / f"{name}.png")
    context.close()


if __name__ == "__main__":
    main()
