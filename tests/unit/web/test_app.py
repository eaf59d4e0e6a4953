"""Many users at once, whose questions are answered in order, and the templates."""

from hashlib import sha256
from pathlib import Path
from urllib.parse import urlencode

import pytest
from jinja2 import UndefinedError
from many_cases import for_each
from web import asking
from web_attacks import BROWSER, RawApp, raw

from quaestor.web.app import create_app
from quaestor.web.templating import FILES, TEMPLATES, Pages

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


PAGES = Pages({"Ask": "/"})


def test_any_text_is_escaped_and_visible() -> None:
    shown = PAGES.text("error_line.html", line="<script>alert(1)</script> \x1b[2J \u202e54")
    assert "&lt;script&gt;alert(1)&lt;/script&gt; ␛[2J \ufffd54" in shown


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        PAGES.text("error_line.html")


def test_addresses_of_files_change_with_the_files() -> None:
    assert PAGES.static("app.css") == f"/static/{PAGES.version}/app.css"


@for_each(sorted(TEMPLATES.rglob("*.html")))
def test_templates_have_no_inline_scripts_or_styles(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "<style" not in text
    assert " style=" not in text
    assert not [part for part in text.split("<script")[1:] if not part.startswith(' src="{{ static(')]
    assert "|safe" not in text.replace(" ", "")
    assert not [word for word in (" onclick", " onload", "hx-on", "javascript:", "js:") if word in text]


def test_vendored_files_are_unchanged_and_have_licences() -> None:
    folder = FILES / "vendor"
    listed = [line.split() for line in (folder / "SOURCES").read_text().splitlines() if not line.startswith("#")]
    digests = {name: digest for digest, name, *_ in listed}
    assert digests == {path.name: sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.js")}
    assert {f"{package.removesuffix('.org')}.LICENSE" for _, _, package, *_ in listed} <= {
        path.name for path in folder.iterdir()
    }
    assert all("http://" not in path.read_text() for path in FILES.glob("*.css"))
