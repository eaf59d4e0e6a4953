"""Correct an answer in the browser: dependent answers change, and all corrections can be undone."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from accessibility import serious_faults
from made_up import a_record, write_dataset
from playwright.sync_api import Browser, Page, expect
from scripted import ScriptedSolver
from web import pages_served

from browser import DESKTOP, PHONE, WatchedPage, watched

pytestmark = pytest.mark.very_slow

ASKED = ("cell 1 1", "cell 1 2", "change", "ratio")


@contextmanager
def opened(browser: Browser, folder: Path, *, scripts: bool = True, **more: object) -> Iterator[WatchedPage]:
    """Yield a conversation of four questions; the fourth depends on the second."""
    file = str(write_dataset(folder / "page.json", a_record()))
    with (
        pages_served(folder, file, answering=ScriptedSolver()) as address,
        watched(browser, address, scripts=scripts, **more) as found,  # type: ignore[arg-type]
    ):
        page = found.page
        page.goto("/")
        page.locator("button.document").first.click()
        for number, question in enumerate(ASKED, start=1):
            page.locator("#question").fill(question)
            page.locator("#ask .send").click()
            expect(page.locator(f"#turn-{number} output")).to_be_visible()
            expect(page.locator(".pending")).to_have_count(0)
        yield found


def answers(page: Page) -> list[str]:
    return page.locator("#turns .value output").all_inner_texts()


FIRST = ["206,588 million", "181,001 million", "-25,587 million", "-0.1414"]


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_corrected_figure_in_the_second_answer_changes_the_fourth(
    browser: Browser, tmp_path: Path, scripts: bool
) -> None:
    with opened(browser, tmp_path, scripts=scripts) as found:
        page = found.page
        assert answers(page) == FIRST
        page.locator("#turn-2 .correct").click()
        page.locator("#figure").fill("200,000")
        page.locator("#reason-number").fill("the scan says so")
        page.locator("#author-number").fill("Ada")
        page.locator("#misread button.primary").click()
        expect(page.locator("#turn-4 output")).not_to_have_text(FIRST[3])
        assert answers(page)[:3] == [FIRST[0], "200,000 million", "-6,588 million"]
        expect(page.locator("#turn-4 .corrected del")).to_have_text(FIRST[3])
        expect(page.locator("#turn-4 .corrected")).to_contain_text("Ada")
        expect(page.locator("#turn-1 .corrected")).to_have_count(0)
        expect(page.locator("#t0-1-2")).to_have_text("200,000")
        record = page.locator("#corrections")
        expect(record).to_contain_text("200,000")
        expect(record.locator(".changes li")).to_have_count(3)
        expect(record.locator(".changes li").first).to_contain_text("181,001 million")
        record.locator("form[action$='/corrections/1/undo'] button").click()
        expect(page.locator("#turn-4 output")).to_have_text(FIRST[3])
        assert answers(page) == FIRST
        expect(page.locator("#turns .corrected")).to_have_count(0)


def test_another_cell_is_chosen_by_clicking_on_it(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path) as found:
        page = found.page
        page.locator("#turn-2 .correct").click()
        page.locator("#t0-2-2").click()
        expect(page.locator("#place")).to_have_value("t0-2-2")
        expect(page.locator("#t0-2-2")).to_have_attribute("aria-current", "location")
        page.locator("#another button.primary").click()
        expect(page.locator("#turn-2 output")).to_have_text("402 million")
        expect(page.locator("#turn-3 output")).to_have_text("-206,186 million")
        expect(page.locator("#turn-2 .places a")).to_have_attribute("data-key", "t0-2-2")


def test_a_number_is_chosen_with_the_keyboard_alone(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path) as found:
        page = found.page
        link = page.locator("#turn-2 .correct")
        link.press("Enter")
        expect(page.locator("#h-number")).to_be_visible()
        page.locator("#sheet td[tabindex='0']").focus()
        page.keyboard.press("ArrowDown")
        expect(page.locator("#t0-2-2")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#another button.primary")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#turn-2 output")).to_have_text("402 million")


def test_another_calculation_is_offered_with_its_result(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, scripts=False) as found:
        page = found.page
        page.locator("#turn-3 .correct").click()
        page.locator(".offers button[value*='\"add\"']").click()
        expect(page.locator("#turn-3 output")).to_have_text("387,589 million")
        expect(page.locator("#turn-4 .corrected")).to_be_visible()


def test_impossible_correction_is_shown_on_the_page(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, scripts=False) as found:
        found.expected.append("400")
        page = found.page
        page.locator("#turn-2 .correct").click()
        page.locator("#figure").fill("five")
        page.locator("#misread button.primary").click()
        expect(page.get_by_role("alert")).to_contain_text("five")
        expect(page.locator("#figure")).to_have_value("five")
        page.locator("#place").fill("wages | 2007")
        page.locator("#another button.primary").click()
        expect(page.get_by_role("alert")).to_contain_text("wages | 2007")


@pytest.mark.parametrize(("dark", "size"), [(False, DESKTOP), (True, PHONE)], ids=["light desk", "dark phone"])
@pytest.mark.very_slow
def test_correction_page_is_accessible(browser: Browser, tmp_path: Path, dark: bool, size: dict[str, int]) -> None:
    with opened(browser, tmp_path, dark=dark, size=size) as found:
        page = found.page
        page.locator("#turn-3 .correct").click()
        expect(page.locator("#h-operation")).to_be_visible()
        assert serious_faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        page.locator(".offers button[value*='\"add\"']").click()
        expect(page.locator("#corrections .changes li")).to_have_count(2)
        assert serious_faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
