"""Takes screenshots of the pages for runs, with a run of the bundled sample; also used by `web_pictures`."""

import asyncio
import os
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep

from playwright.sync_api import Browser, sync_playwright

from quaestor.application.ask_service import AskRequest
from quaestor.application.file_cache import file_cache
from quaestor.application.score_service import score_run
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.engines import make_engine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.sample import sample_path
from quaestor.scoring.gold import read_gold
from quaestor.settings import load_settings
from quaestor.store.base import open_store
from quaestor.web.app import create_app
from quaestor.web.serving import bind, server_of

DESK, PHONE = (1200, 760), (390, 760)


def run_sample(store: Path) -> str:
    """Run the sample into a store, score it, and return the run id."""
    dataset = read_dataset(sample_path())

    async def run_and_score() -> str:
        async with open_store(str(store)) as opened:
            run = await run_dataset(dataset, RunSpec.of(dataset, "embedded"), opened, make_engine("inline", 1))
            await score_run(opened, run, dataset, read_gold(sample_path()), str(store))
            return run.id

    return asyncio.run(run_and_score())


@contextmanager
def served(store: Path) -> Iterator[str]:
    """Serve the pages of a store, and yield their address."""
    settings = load_settings({"store": str(store)}, environment={}, folder=store.parent)
    with bind("127.0.0.1", 0) as bound, ThreadPoolExecutor(1) as pool:
        server = server_of(create_app(AskRequest(settings, keep=True, cache=file_cache(settings))))
        done = pool.submit(server.run, [bound])
        while not server.started:
            sleep(0.01)
        try:
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        finally:
            server.should_exit = True
            done.result()


def take(
    browser: Browser, address: str, path: str, to: Path, *, size: tuple[int, int] = DESK, dark: bool = False
) -> None:
    """Take a screenshot of a page.

    Args:
        size: Width and height of the window in pixels.
        dark: Whether to use the dark colour scheme.
    """
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light"
    )
    page = context.new_page()
    page.goto(address + path)
    page.wait_for_timeout(800)
    page.screenshot(path=to)
    context.close()


def pages_of(browser: Browser, address: str, run: str) -> Mapping[str, str]:
    """Return the paths of the pages to capture, by file name."""
    page = browser.new_page()
    page.goto(f"{address}/runs/{run}?operation=percentage_change")
    links = page.locator("table.turns tbody th a")
    if not links.count():
        page.goto(f"{address}/runs/{run}?operation=divide&origin=table")
    turn = str(links.first.get_attribute("href"))
    page.close()
    graph = turn.replace(f"/turns/{turn.split('/')[4]}/", "/graph/")
    return {"web_run": f"/runs/{run}", "web_turn": turn, "web_graph": f"{graph}?node=doc%3Atable_0"}


def draw_runs(to: Path) -> None:
    """Write screenshots of the pages for runs to a folder."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    # The sandbox requires a user other than root.
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with TemporaryDirectory() as folder:
        store = Path(folder) / "runs.db"
        run = run_sample(store)
        with served(store) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=sandbox)
            paths = pages_of(browser, address, run)
            for name, path in paths.items():
                take(browser, address, path, to / f"{name}.png")
            take(browser, address, paths["web_turn"], to / "web_turn_phone.png", size=PHONE, dark=True)
            browser.close()
