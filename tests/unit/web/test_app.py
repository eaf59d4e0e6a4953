"""Many users at once: every question is answered, and those of one conversation in order."""

from pathlib import Path
from urllib.parse import urlencode

import pytest
from web import asking
from web_attacks import BROWSER, RawApp, raw

from quaestor.web.app import create_app

NORD = "sample#NORD/2012/page_41.pdf"
PEOPLE = 20
QUESTIONS = ("what were net sales of power cables in 2012?", "and in 2011?", "what was the change?")
FORM = ("content-type", "application/x-www-form-urlencoded")


def begin(app: RawApp) -> str:
    start = app.ask("GET", "/").text
    document = start.partition('name="document" value="')[2].partition('"')[0]
    return app.ask("POST", "/conversations", (*BROWSER, FORM), f"document={document}".encode()).headers["location"]


@pytest.mark.slow
def test_twenty_concurrent_users_are_answered_in_order(tmp_path: Path) -> None:
    with raw(create_app(asking(tmp_path), None, (NORD,))) as app:
        there = [begin(app) for _ in range(PEOPLE)]
        assert len(set(there)) == PEOPLE
        # All first questions at once, followed immediately by the second and third questions.
        requests = [
            ("POST", f"{one}/ask", urlencode({"question": question}).encode())
            for question in QUESTIONS
            for one in there
        ]
        replies = app.ask_all(requests)
        assert [reply.status for reply in replies] == [303] * len(requests)
        pages = app.ask_all([("GET", f"{one}/export?format=csv", b"") for one in there])
    expected = pages[0].text.partition("\n")[2].splitlines()
    assert len(expected) == len(QUESTIONS)
    for line, question, answer in zip(expected, QUESTIONS, ("$ 642.3", "$ 598.7", "$ 43.6"), strict=True):
        assert question in line
        assert answer in line
    assert {page.text for page in pages} == {pages[0].text}
