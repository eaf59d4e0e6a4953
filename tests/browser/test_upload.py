"""Upload a file in a real browser, ask about it, follow its numbers, and download results."""

from collections.abc import Sequence
from math import isclose
from pathlib import Path

import pytest
from handed_over import as_html
from long_filing import a_long_filing
from office import OFFICE, recalculated
from pages import sample_pages
from playwright.sync_api import Browser, Locator, Page, expect
from web import pages_served

from browser import PHONE, watched

pytestmark = pytest.mark.slow

PAGE = (
    "what were net sales of power cables in 2012?",
    "and in 2011?",
    "what was the change?",
    "what was the percentage change?",
    "and what were net sales of power cables in 2010?",
)
FILING = (
    "what was net income in 2023?",
    "and in 2022?",
    "what was the change?",
    "what was the percentage change?",
    "what were total assets in 2023?",
)
FILES = {"page.html": PAGE, "10-k.html": FILING}
PUBLIC = ("what were total revenues in 2025?", "and in 2024?", "what was the change?", "what percentage is that?")


def file_of(name: str) -> bytes:
    nord = next(page for page in sample_pages() if page.id.startswith("NORD"))
    return as_html(nord if name == "page.html" else a_long_filing(200))


def upload(page: Page, name: str, data: bytes) -> None:
    page.goto("/")
    page.locator("#file").set_input_files({"name": name, "mimeType": "text/html", "buffer": data})
    page.locator("form.upload button.primary").click()
    expect(page.locator("#question")).to_be_visible(timeout=60_000)


def converse(page: Page, questions: Sequence[str]) -> list[str]:
    """Ask questions one after the other with the keyboard, and return the answers."""
    expect(page.locator("#undo-button")).to_be_hidden()
    cards = page.locator("#turns > .turn:not(.pending)")
    for number, question in enumerate(questions, start=1):
        page.locator("#question").fill(question)
        page.keyboard.press("Enter")
        expect(cards).to_have_count(number, timeout=60_000)
        expect(page.locator(".pending")).to_have_count(0)
    return cards.locator("output").all_inner_texts()


def digits(text: str) -> str:
    return "".join(sign for sign in text if sign.isdigit() or sign == ".")


def check_link_marks_its_cell(page: Page, link: Locator) -> None:
    """Check that the link marks one cell, which contains its number and is completely visible in window and sheet."""
    link.scroll_into_view_if_needed()
    link.click()
    marked = page.locator('#sheet [aria-current="location"]')
    expect(marked).to_have_count(1)
    expect(marked).to_have_attribute("id", link.get_attribute("data-key") or "")
    assert digits(link.inner_text()) in digits(marked.inner_text())
    box, around, size = marked.bounding_box(), page.locator("#sheet").bounding_box(), page.viewport_size
    assert box is not None
    assert around is not None
    assert size is not None
    top, bottom = max(0, around["y"]), min(size["height"], around["y"] + around["height"])
    assert top <= box["y"]
    assert box["y"] + box["height"] <= bottom + 1
    assert around["x"] <= box["x"] < min(size["width"], around["x"] + around["width"])


@pytest.mark.very_slow
@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("page.html", None),
        ("10-k.html", PHONE),
    ],
    ids=["page-desk", "filing-phone"],
)
def test_uploaded_file_is_answered_and_each_number_marks_its_cell(
    browser: Browser, tmp_path: Path, name: str, size: dict[str, int] | None
) -> None:
    sized = size or {"width": 1280, "height": 800}
    with pages_served(tmp_path) as address, watched(browser, address, size=sized, dark=size is None) as found:
        upload(found.page, name, file_of(name))
        answers = converse(found.page, FILES[name])
        assert found.page.locator(".value.none").count() == 0
        assert "%" in answers[3]
        links = found.page.locator("#turns a.place").all()
        assert len(links) > 5
        for link in links:
            check_link_marks_its_cell(found.page, link)
        found.page.screenshot(path=tmp_path / "marked.png")
        assert found.page.evaluate("document.documentElement.scrollWidth") <= sized["width"]


@pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not installed")
def test_workbook_of_a_conversation_computes_the_answers_of_the_page(browser: Browser, tmp_path: Path) -> None:
    name = "10-k.html"
    with pages_served(tmp_path) as address, watched(browser, address) as found:
        page = found.page
        upload(page, name, file_of(name))
        converse(page, FILES[name])
        page.locator(".about details.menu > summary").click()
        with page.expect_download() as taken:
            page.locator(".about a[href$='format=xlsx']").click()
        taken.value.save_as(tmp_path / "answers.xlsx")
        there = page.url.partition("#")[0]
        (exported,) = page.request.get(f"{there}/export?format=json").json()
    answers = recalculated([tmp_path / "answers.xlsx"], tmp_path)[tmp_path / "answers.xlsx"]["Answers"]
    assert [turn["question"] for turn in exported["turns"]] == [answers[row, 2] for row in range(1, 6)]
    for row, turn in enumerate(exported["turns"], start=1):
        computed = answers[row, 3]
        assert isinstance(computed, float)
        assert isclose(computed, turn["value"], rel_tol=1e-9), turn["question"]


@pytest.mark.very_slow
def test_public_filing_can_be_uploaded(browser: Browser, tmp_path: Path, shared_data: Path) -> None:
    data = (shared_data / "filings" / "nflx-10-q-2025-07-18.html.gz").read_bytes()
    with pages_served(tmp_path) as address, watched(browser, address) as found:
        upload(found.page, "nflx-10-q-2025-07-18.html.gz", data)
        assert len(converse(found.page, PUBLIC)) == len(PUBLIC)
        links = found.page.locator("#turn-1 a.place").all()
        assert links
        for link in links:
            check_link_marks_its_cell(found.page, link)
        found.page.screenshot(path=tmp_path / "marked.png")


def test_unreadable_file_is_reported_beside_the_field(browser: Browser, tmp_path: Path) -> None:
    with pages_served(tmp_path) as address, watched(browser, address) as found:
        found.expected.append("400")
        page = found.page
        page.goto("/")
        picture = b"\x89PNG\r\n\x1a\n" + bytes(99)
        field = page.locator("#file")
        field.set_input_files({"name": "chart.png", "mimeType": "image/png", "buffer": picture})
        page.locator("form.upload button.primary").click()
        expect(page.get_by_role("alert")).to_contain_text("chart.png")
        expect(field).to_have_attribute("aria-invalid", "true")


@pytest.mark.very_slow
def test_uploaded_files_execute_no_scripts(browser: Browser, tmp_path: Path) -> None:
    evil = b'"<script>document.title=1</script>","<img src=x onerror=document.title=2>",2008\nnet sales,120,100\n'
    with pages_served(tmp_path) as address, watched(browser, address) as found:
        page = found.page
        upload(page, "<svg onload=document.title=3>.csv", evil)
        converse(page, ["what were net sales in 2008?", "<img src=x onerror=document.title=4>"])
        assert page.title() not in ("1", "2", "3", "4")
        assert page.locator("main img, main svg[onload], main script").count() == 0
