"""Waiting times in the browser: `python -m benchmarks.web_ask FILING` (needs Chromium)."""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from playwright.sync_api import Page

from benchmarks.figure import Figure, print_figures
from benchmarks.web_pages import ask, begin, chromium, pages

_TIMES = 10

_SHOWN = """() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(
    () => resolve(performance.now()))))"""
"""Milliseconds from the request of a page to the second frame, which shows everything received."""

_SCROLLED = """async link => {
    const begun = performance.now();
    link.click();
    for (;;) {
        const there = document.querySelector('#sheet [aria-current="location"]');
        if (there && there.id === link.dataset.key) break;
        await new Promise(resolve => setTimeout(resolve, 0));
    }
    await new Promise(resolve => requestAnimationFrame(resolve));
    return performance.now() - begun;
}"""
"""Milliseconds from the click on a number to the frame in which its cell is highlighted and centred."""


def measure(filing: Path, questions: list[str]) -> Iterator[Figure]:
    """Yield the time to load the page of a filing, and to go to a source."""
    with tempfile.TemporaryDirectory() as folder, pages(Path(folder), [str(filing)]) as address, chromium() as browser:
        page = browser.new_context(base_url=address, viewport={"width": 1280, "height": 800}).new_page()
        begin(page, filing.name)
        for question in questions:
            ask(page, question)
        yield _figure("ask page of the filing", [_reloaded(page) for _ in range(_TIMES)], "reloads until it is shown")
        near: list[float] = []
        far: list[float] = []
        for _ in range(_TIMES):
            for times, fetched in ((far, False), (near, True)):
                if not fetched:
                    page.reload()
                    page.wait_for_selector("html.scripted")
                link = page.locator("#turns a.place").last
                times.append(float(link.evaluate(_SCROLLED)))
                page.locator("#sheet").evaluate("sheet => { sheet.scrollTop = 0; }")
        yield _figure("to a source, its part not fetched yet", far, "clicks on a number until its cell is marked")
        yield _figure("to a source that is there", near, "clicks on a number until its cell is marked")


def _reloaded(page: Page) -> float:
    page.reload(wait_until="domcontentloaded")
    return float(page.evaluate(_SHOWN))


def _figure(name: str, times: list[float], of: str) -> Figure:
    worst = sorted(times)[round(0.95 * (len(times) - 1))]
    return Figure(name, f"{median(times):.0f} ms", f"median of {len(times)} {of}; 95 % within {worst:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("filing", type=Path)
    parser.add_argument("--question", action="append", default=[])
    given = parser.parse_args()
    print_figures(measure(given.filing, given.question or ["what were net sales in 2025?"]))


if __name__ == "__main__":
    main()
