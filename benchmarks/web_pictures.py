"""Takes the screenshots for docs/web.md: `python -m benchmarks.web_pictures` (needs Chromium)."""

import tempfile
from pathlib import Path

from benchmarks.web_pages import ask, begin, chromium, pages
from benchmarks.web_run_pictures import draw_runs

_IMAGES = Path(__file__).parents[1] / "docs" / "images"
_PAGE = "NORD/2012/page_41.pdf"
_QUESTIONS = (
    "what were net sales in 2012?",
    "what was the percentage change from 2011?",
    "what did it spend on research in 2009?",
)


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        pages(Path(folder), [f"sample#{_PAGE}"]) as address,
        chromium() as browser,
    ):
        page = browser.new_context(base_url=address, viewport={"width": 1280, "height": 760}).new_page()
        begin(page, f"sample#{_PAGE}")
        for question in _QUESTIONS:
            ask(page, question)
        page.locator("#turn-2 .formula a").first.click()
        page.locator("#talk").evaluate("talk => { talk.scrollTop = 0; }")
        page.screenshot(path=_IMAGES / "web_ask.png")
        phone = browser.new_context(
            base_url=address, viewport={"width": 390, "height": 760}, color_scheme="dark"
        ).new_page()
        phone.goto(page.url)
        phone.wait_for_selector("html.scripted")
        phone.screenshot(path=_IMAGES / "web_ask_phone.png")
    draw_runs(_IMAGES)
    print(f"the pictures are in {_IMAGES}")


if __name__ == "__main__":
    main()
