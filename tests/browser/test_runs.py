"""Runs in a real browser: filter, inspect turns, compare runs, and navigate graphs."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from accessibility import serious_faults
from played_runs import import_answers, run_sample
from playwright.sync_api import Browser, Page, expect
from web import pages_served

from browser import PHONE, watched

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def runs(folder: Path) -> tuple[str, ...]:
    """Store two runs of a part of the sample; the second has no answer to the last turn of each conversation."""
    return run_sample(folder / "runs.db", 12, runs=2, others=True)


@pytest.fixture
def address(folder: Path, runs: tuple[str, ...]) -> Iterator[str]:
    with pages_served(folder) as found:
        yield found


def count_rows(page: Page) -> int:
    """Return the number of turns on the page of a run, once it is visible."""
    expect(page.locator("table.turns")).to_be_visible()
    return page.locator("table.turns tbody tr").count()


@pytest.mark.very_slow
@pytest.mark.parametrize("scripts", [True, False])
def test_turns_are_filtered_with_an_address_to_share(
    browser: Browser, address: str, runs: tuple[str, ...], scripts: bool
) -> None:
    with watched(browser, address, scripts=scripts) as found:
        page = found.page
        page.goto("/runs")
        page.get_by_role("link", name=runs[1]).click()
        all_of_them = count_rows(page)
        page.locator("#f-verdict").select_option("wrong")
        page.locator("#f-kind").select_option("none")
        page.locator("form.filters button.primary").click()
        expect(page).to_have_url(re.compile(r"verdict=wrong.*kind=none"))
        assert 0 < count_rows(page) < all_of_them
        for row in page.locator("table.turns tbody tr").all():
            expect(row).to_have_attribute("data-kind", "none")
        expect(page.locator("#f-verdict")).to_have_value("wrong")
        page.locator("form.filters a.bare").click()
        expect(page).not_to_have_url(re.compile("verdict=wrong"))
        assert count_rows(page) == all_of_them


def test_turn_is_shown_with_its_numbers_marked(browser: Browser, address: str, runs: tuple[str, ...]) -> None:
    with watched(browser, address) as found:
        page = found.page
        page.goto(f"/runs/{runs[0]}?operation=divide&origin=table")
        page.locator("table.turns tbody th a").first.click()
        expect(page.locator(".card.reference")).to_be_visible()
        expect(page.locator("svg .box.last")).to_be_visible()
        boxes = page.locator("svg .box.taken rect").all()
        assert len(boxes) >= 2
        link = page.locator("ol.plan-steps a.where").first
        key = str(link.get_attribute("href"))
        link.click()
        cell = page.locator(f'[id="{key[1:]}"]')
        expect(cell).to_be_in_viewport()
        expect(cell).to_have_class(re.compile("used"))
        page.locator("nav.conversation a").first.click()
        expect(page.locator("nav.conversation [aria-current=page]")).to_have_count(1)


def test_two_runs_are_compared_turn_by_turn(browser: Browser, address: str, runs: tuple[str, ...]) -> None:
    with watched(browser, address) as found:
        page = found.page
        page.goto("/runs")
        for run in runs:
            page.locator(f"input[name=run][value='{run}']").check()
        page.locator("form[action='/runs/compare'] button[type=submit]").click()
        expect(page).to_have_url(re.compile(f"first={runs[0]}&second={runs[1]}"))
        outcome = page.locator("nav.outcomes a.first")
        count = int(str(outcome.locator("strong").text_content()))
        outcome.click()
        assert count_rows(page) == count > 0
        first = page.locator("table.turns tbody tr").first
        expect(first.locator(".verdict.right")).to_have_count(1)
        expect(first.locator(".verdict.wrong")).to_have_count(1)


def test_graph_can_be_navigated_in_the_picture_and_in_the_list(
    browser: Browser, address: str, runs: tuple[str, ...]
) -> None:
    with watched(browser, address) as found:
        page = found.page
        page.goto(f"/runs/{runs[0]}")
        page.locator("table.turns tbody th a").first.click()
        page.locator("a.button[href*='/graph/']").click()
        page.wait_for_selector("#graph canvas")
        page.locator("#node a").first.click()
        expect(page).to_have_url(re.compile("node=doc%3Atable_0"))
        expect(page.locator("#node h2")).to_be_focused()
        # The focus is in the middle of the picture after the animation.
        page.wait_for_timeout(500)
        box = page.locator("#graph").bounding_box()
        assert box is not None
        page.locator("button[data-zoom=fit]").click()
        shot = page.locator("#graph").screenshot()
        assert len(shot) > 3000


@pytest.mark.very_slow
def test_run_pages_are_usable_by_keyboard(browser: Browser, address: str, runs: tuple[str, ...]) -> None:
    def tab_to(page: Page, name: str) -> None:
        for _ in range(80):
            page.keyboard.press("Tab")
            result = page.evaluate(
                "(at => at.matches('a, input') ? at.textContent + at.id + at.href : '')(document.activeElement)"
            )
            if name in result:
                return
        raise AssertionError(f"no key leads to {name}")

    with watched(browser, address) as found:
        page = found.page
        page.goto("/runs")
        tab_to(page, runs[0])
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text(runs[0])
        tab_to(page, "f-q")
        page.keyboard.type("what")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("q=what"))
        question = str(page.locator("table.turns tbody th a").first.text_content())
        tab_to(page, question)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text(question)
        tab_to(page, "/graph/")
        page.keyboard.press("Enter")
        page.wait_for_selector("#graph canvas")
        tab_to(page, "node=doc%3Atable_0")
        page.keyboard.press("Enter")
        expect(page.locator("#node h2")).to_be_focused()


@pytest.mark.very_slow
def test_pages_fit_the_width_of_a_phone(browser: Browser, address: str, runs: tuple[str, ...]) -> None:
    with watched(browser, address, size=PHONE, dark=True) as found:
        page = found.page
        page.goto(f"/runs/{runs[0]}")
        turn = str(page.locator("table.turns tbody th a").first.get_attribute("href"))
        graph = turn.replace("/turns/1/", "/graph/")
        both = f"/runs/compare?first={runs[0]}&second={runs[1]}"
        for path in ("/runs", f"/runs/{runs[0]}", turn, graph, both, f"/runs/{runs[0]}/references"):
            page.goto(path)
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
            assert serious_faults(page) == [], path
        colour = page.evaluate("getComputedStyle(document.body.querySelector('.card')).backgroundColor")
        assert sum(map(int, re.findall(r"\d+", colour)[:3])) < 200


@pytest.mark.very_slow
def test_a_run_of_841_turns_is_filtered(browser: Browser, shared_data: Path, tmp_path: Path) -> None:
    """Page through and filter the turns of a whole public file."""
    answers = shared_data / "hosted_model_answers_tune.jsonl"
    import_answers(answers, shared_data / "convfinqa_tune.json", tmp_path / "runs.db")
    with pages_served(tmp_path) as address, watched(browser, address) as found:
        page = found.page
        page.goto("/runs")
        page.locator("table.runs tbody th a").first.click()
        expect(page.locator(".pager")).to_contain_text("841")
        page.locator(".pager a[rel=next]").click()
        expect(page.locator(".pager")).to_contain_text("100")
        page.locator("#f-verdict").select_option("wrong")
        page.locator("#f-q").fill("change")
        page.locator("input[name=to]").fill("50")
        page.locator("form.filters button.primary").click()
        shown = count_rows(page)
        assert 0 < shown <= 50
        for row in page.locator("table.turns tbody tr").all():
            expect(row.locator(".verdict.wrong")).to_have_count(1)
            expect(row).to_contain_text("change")
            assert int(re.sub(r"\D", "", str(row.locator(".sure").text_content()))) <= 50
