"""A conversation in a real browser: keyboard input, links from numbers to cells, and steps shown as they arrive."""

from dataclasses import replace
from pathlib import Path

import pytest
from agent_bench import final, query, reply
from model_server import ModelServer
from playwright.sync_api import Browser, Locator, Page, Route, expect
from toolboxes import CASH_FLOWS
from web import pages_served

from browser import PHONE, WatchedPage, watched
from quaestor.testing.models import Call, ReceivedRequest, Reply

pytestmark = pytest.mark.slow

NORD = "sample#NORD/2012/page_41.pdf"


def begin(page: Page) -> None:
    page.goto("/")
    page.locator("button.document").first.click()
    expect(page.locator("html.scripted")).to_be_attached()


def ask(page: Page, question: str) -> Locator:
    """Ask with the keyboard, wait for the answer, and return its card."""
    before = page.locator("#turns > .turn:not(.pending)").count()
    page.locator("#question").fill(question)
    page.keyboard.press("Enter")
    card = page.locator("#turns > .turn:not(.pending)").nth(before)
    expect(card).to_be_visible(timeout=30_000)
    expect(page.locator(".pending")).to_have_count(0)
    return card


def is_in_view(page: Page, cell: Locator) -> bool:
    box, size = cell.bounding_box(), page.viewport_size
    assert box is not None
    assert size is not None
    return box["y"] >= 0 and box["y"] + box["height"] <= size["height"] and 0 <= box["x"] < size["width"]


def converse(found: WatchedPage) -> None:
    begin(found.page)
    for question in ("what were net sales in 2012?", "what were they in 2011?"):
        ask(found.page, question)
    card = ask(found.page, "what was the percentage change?")
    expect(card.locator("output")).to_contain_text("%")


@pytest.mark.parametrize("size", [None, pytest.param(PHONE, marks=pytest.mark.slow)], ids=["desktop", "phone"])
def test_each_number_of_the_formula_leads_to_its_cell(
    browser: Browser, tmp_path: Path, size: dict[str, int] | None
) -> None:
    with (
        pages_served(tmp_path, NORD) as address,
        watched(browser, address, size=size or {**PHONE, "width": 1280}) as found,
    ):
        converse(found)
        page = found.page
        links = page.locator("#turn-3 .formula a")
        assert links.count() >= 2
        for link in links.all():
            link.click()
            cell = page.locator('#sheet [aria-current="location"]')
            expect(cell).to_have_count(1)
            assert cell.get_attribute("id") == link.get_attribute("data-key")
            printed = "".join(sign for sign in cell.inner_text() if sign.isdigit() or sign == ".")
            assert printed == link.inner_text().replace(",", "")
            assert is_in_view(page, cell)
            if size:
                page.locator("#back-to").click()
                assert is_in_view(page, link)


def test_conversation_works_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    with pages_served(tmp_path, NORD) as address, watched(browser, address) as found:
        converse(found)
        page = found.page
        expect(page.locator("#question")).to_be_focused()
        page.locator("#turn-3 .formula a").first.focus()
        page.keyboard.press("Enter")
        expect(page.locator('#sheet [aria-current="location"]')).to_be_focused()
        page.locator("#turn-3 summary").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#turn-3 .why")).to_have_attribute("open", "")


def test_question_persists_after_reload_and_can_be_undone(browser: Browser, tmp_path: Path) -> None:
    with pages_served(tmp_path, NORD) as address, watched(browser, address) as found:
        converse(found)
        page = found.page
        expect(page.locator("#title")).to_have_text("what were net sales in 2012?")
        page.reload()
        expect(page.locator("#turns > .turn")).to_have_count(3)
        page.locator("#undo-button").click()
        expect(page.locator("#turns > .turn")).to_have_count(2)
        page.goto("/")
        expect(page.locator(".conversations .count")).to_contain_text("2")


def test_invalid_question_stays_in_the_input(browser: Browser, tmp_path: Path) -> None:
    with pages_served(tmp_path, NORD) as address, watched(browser, address) as found:
        page = found.page
        begin(page)
        box = page.locator("#question")
        box.evaluate("box => { box.maxLength = 20000; }")
        box.fill("x" * 10_001)
        page.locator("#ask .send").click()
        expect(page.locator("#ask-error")).not_to_be_empty()
        expect(box).to_have_value("x" * 10_001)
        expect(page.locator(".turn")).to_have_count(0)
        box.fill("what were net sales in 2012?")
        page.keyboard.press("Enter")
        expect(page.locator("#turn-1 output")).to_be_visible()
        expect(page.locator("#ask-error")).to_be_empty()


def test_question_sent_before_the_answer_is_complete_is_answered_next(browser: Browser, tmp_path: Path) -> None:
    # The answer is announced while its request is still open; a fast typist asks the next question at that moment.
    fast = """form => form.addEventListener("answered", () => {
        const box = form.querySelector("textarea");
        box.value = "and in 2011?";
        for (const _ of [1, 2])
            box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    }, { once: true })"""
    with pages_served(tmp_path, NORD) as address, watched(browser, address) as found:
        page = found.page
        begin(page)
        box = page.locator("#question")
        box.locator("xpath=ancestor::form").evaluate(fast)
        box.fill("what were net sales in 2012?")
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        expect(page.locator("#turn-2 output")).to_be_visible()
        expect(page.locator(".pending")).to_have_count(0)
        expect(page.locator("#turns > .turn")).to_have_count(2)
        expect(box).to_have_value("")


def test_question_sent_before_the_script_loads_is_answered(browser: Browser, tmp_path: Path) -> None:
    with pages_served(tmp_path, NORD) as address, watched(browser, address) as found:
        page = found.page
        requests: list[Route] = []
        page.route("**/ask*.js*", lambda route: requests.append(route))  # noqa: PLW0108 - Playwright marks what it is handed
        page.goto("/")
        page.locator("button.document").first.click(no_wait_after=True)
        page.locator("#question").fill("what were net sales in 2012?")
        page.keyboard.press("Enter")
        expect(page.locator("html.scripted")).to_have_count(0)
        requests[0].continue_()
        expect(page.locator("#turn-1 output")).to_be_visible()
        expect(page.locator("#question")).to_have_value("")
        expect(page.locator("#turns > .turn")).to_have_count(1)


def test_places_of_a_long_document_are_fetched_and_marked(browser: Browser, tmp_path: Path) -> None:
    rows = "".join(f"line {row},{row * 7 + 1},{row * 5 + 2}\n" for row in range(1_000))
    (tmp_path / "long.csv").write_text(f"line,2009,2008\n{rows}", encoding="utf-8")
    with pages_served(tmp_path, str(tmp_path / "long.csv")) as address, watched(browser, address) as found:
        page = found.page
        begin(page)
        assert page.locator(".part.later").count() > 8
        key = "t0-900-1"
        page.evaluate("""key => {
            const link = document.createElement("a");
            link.href = "#"; link.dataset.key = key; link.textContent = "there";
            link.dataset.part = "11";
            document.getElementById("turns").append(link);
        }""", key)  # fmt: skip
        page.get_by_role("link", name="there").click()
        cell = page.locator(f"#{key}")
        expect(cell).to_have_attribute("aria-current", "location", timeout=20_000)
        assert is_in_view(page, cell)
        assert cell.inner_text().replace(",", "") == str(899 * 7 + 1)


@pytest.mark.very_slow
def test_steps_of_a_model_appear_before_its_answer(browser: Browser, tmp_path: Path, local_models: None) -> None:
    def model(request: ReceivedRequest) -> Reply:
        understanding = Call("describe_understanding", {"description": "net cash from operating activities in 2008"})
        if not request.results:
            return reply(understanding, query(2008))
        return replace(reply(final(181001, steps=[1])), delay=1.5)

    with ModelServer(model) as server:
        model_name = f"openai:scripted@{server.url}/v1"
        with (
            pages_served(tmp_path, f"sample#{CASH_FLOWS}", solver="agent", model=model_name) as address,
            watched(browser, address) as found,
        ):
            page = found.page
            begin(page)
            page.locator("#question").fill("what was the net cash from operating activities in 2008?")
            page.keyboard.press("Enter")
            expect(page.locator(".pending .steps")).to_contain_text("query_kg", timeout=60_000)
            assert page.locator("#turn-1").count() == 0
            expect(page.locator("#turn-1 output")).to_contain_text("181,001", timeout=30_000)
            expect(page.locator(".pending")).to_have_count(0)
            assert server.url not in page.content()
