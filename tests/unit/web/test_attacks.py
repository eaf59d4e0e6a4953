"""Hostile requests, documents and questions: nothing leaks, nothing is executed, and no response is a 500."""

import asyncio
import csv
import gc
import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import pytest
from evil_words import CLIMBING, EVIL, SUM, evil_csv
from examples import share
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_requests import requests
from web import asking
from web_attacks import BROWSER, FORM, HOST, RawApp, Reply, addresses, crawl, faults_of, multipart, raw
from workbooks import write_workbook

from quaestor import evaluate_async
from quaestor.sample import sample_path
from quaestor.web.app import create_app
from quaestor.web.security import Access

TOKEN = "0123456789abcdef-token"
KEY = "sk-no-page-may-ever-have-this-key"


@dataclass
class AttackedApp:
    """An app with its known addresses, and checks of its responses."""

    app: RawApp
    folder: Path
    known: list[tuple[str, str]] = field(default_factory=list)

    def leaks(self, reply: Reply) -> list[str]:
        secrets = (str(self.folder), "Traceback (most recent", "site-packages", "/src/quaestor", KEY, "root:x:", SUM)
        text = f"{reply.headers} {reply.text}"
        return [secret for secret in secrets if secret in text]

    def wrong(self, reply: Reply) -> list[str]:
        """Return the faults of a response: a server error, leaked secrets, or unsafe HTML."""
        faults = [f"status {reply.status}"] if reply.status >= 500 else []
        return faults + self.leaks(reply) + (faults_of(reply) if reply.is_page else [])

    def post(self, there: str, **fields: str) -> Reply:
        return self.app.ask("POST", there, (*BROWSER, FORM), urlencode(fields).encode())

    def upload(self, data: bytes, name: str) -> Reply:
        kind, body = multipart(data, name)
        return self.app.ask("POST", "/documents", (*BROWSER, ("content-type", kind)), body)

    def converse(self, data: bytes, name: str, *questions: str) -> str:
        """Begin a conversation about an upload, and return its address."""
        begun = self.upload(data, name)
        assert begun.status == 303, begun.text
        there = begun.headers["location"]
        for question in questions:
            reply = self.post(f"{there}/ask", question=question)
            assert reply.status in (303, 400), reply.text
        return there


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AttackedApp]:
    """An app with conversations about hostile documents and a run in its store."""
    folder = tmp_path_factory.mktemp("attacked")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", KEY)
        patch.setenv("ANTHROPIC_API_KEY", KEY)
        request = asking(folder)
        asyncio.run(evaluate_async("sample", limit=2, store=request.settings.store))
        with raw(create_app(request, None, ("sample", str(sample_path())))) as app:
            attack = AttackedApp(app, folder)
            there = attack.converse(evil_csv(), f"../../{EVIL[0]}.csv", "what were net sales in 2009?", *EVIL)
            attack.post(f"{there}/name", title=EVIL[1])
            attack.known = list(crawl(app))
            yield attack


ADDRESSES = addresses(create_app(asking(Path("nowhere"))))


def filled(path: str, value: str) -> str:
    return re.sub(r"\{[^}]*\}", value, path)


@pytest.mark.parametrize(
    "headers",
    [
        {"host": HOST},
        {"host": HOST, "origin": "http://evil.example"},
        {"host": HOST, "sec-fetch-site": "cross-site"},
    ],
)
def test_cross_site_requests_change_nothing(site: AttackedApp, headers: dict[str, str]) -> None:
    changing = [(method, path) for method, path in ADDRESSES if method not in ("GET", "HEAD", "OPTIONS")]
    assert len(changing) > 3
    for method, path in changing:
        reply = site.app.ask(method, filled(path, "x"), (*headers.items(), FORM), b"title=x&question=x")
        assert reply.status == 403, (method, path)
        assert site.wrong(reply) == []


@pytest.mark.parametrize("host", ["evil.example:8765", "", "[", "127.0.0.1@evil", "a b"])
def test_unknown_host_names_are_refused(site: AttackedApp, host: str) -> None:
    for method, path in ADDRESSES:
        headers = (("host", host), ("sec-fetch-site", "same-origin"), ("origin", f"http://{host}"))
        reply = site.app.ask(method, filled(path, "x"), headers)
        assert reply.status == 421, (method, path)
        assert site.wrong(reply) == []


def test_every_address_requires_the_token(tmp_path: Path) -> None:
    right = ("authorization", f"Bearer {TOKEN}")
    with raw(create_app(asking(tmp_path), Access(token=TOKEN))) as app:
        for method, path in ADDRESSES:
            there = filled(path, "x")
            if path == "/login":
                continue
            for wrong in (
                BROWSER,
                (*BROWSER, ("authorization", "Bearer x")),
                (*BROWSER, ("authorization", f"Basic {TOKEN}")),
                (*BROWSER, ("authorization", f"Bearer {TOKEN}x")),
                (*BROWSER, ("cookie", f"quaestor={TOKEN}; quaestor_x={TOKEN}; =; {TOKEN}")),
            ):
                assert app.ask(method, there, wrong).status == 401, (method, path)
            assert app.ask(method, f"{there}?token={TOKEN[:-1]}").status == 401
            assert app.ask(method, there, (*BROWSER, right)).status != 401, (method, path)
        granted = app.ask("GET", f"/runs?token={TOKEN}")
        cookie = granted.headers["set-cookie"].partition(";")[0]
        assert app.ask("GET", "/runs", (*BROWSER, ("cookie", cookie))).status == 200
        # The cookie is not a token: a request from another site that includes it is refused.
        across = (("host", HOST), ("origin", "http://evil.example"), ("cookie", cookie), FORM)
        assert app.ask("POST", "/conversations", across, b"document=x").status == 403


@pytest.mark.parametrize(
    "climbing", [*CLIMBING[:2], *(pytest.param(one, marks=pytest.mark.slow) for one in CLIMBING[2:])]
)
def test_paths_cannot_reach_files(site: AttackedApp, climbing: str) -> None:
    for method, path in ADDRESSES:
        for there in {filled(path, climbing), f"{path.rpartition('/')[0]}/{climbing}", f"/static/{climbing}"}:
            reply = site.app.ask(method, filled(there, climbing), (*BROWSER, FORM), f"document={climbing}".encode())
            assert site.wrong(reply) == [], (method, there)
            assert "set-cookie" not in reply.headers


@pytest.mark.slow
def test_no_text_is_executed_in_any_page(site: AttackedApp) -> None:
    pages = {there: reply for there, reply in crawl(site.app).items() if reply is not None}
    assert [(there, site.wrong(reply)) for there, reply in pages.items() if site.wrong(reply)] == []
    shown = "".join(reply.text for reply in pages.values())
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert "{{7*19104773}}" in shown
    assert "\ufffdfdp.exe" in shown
    assert "\u241b[2J" in shown, "a question with an escape sequence shows it"


@pytest.mark.parametrize("kind", ["csv", "json", "markdown", "html", "xlsx"])
def test_downloads_do_not_execute_in_the_browser(site: AttackedApp, kind: str) -> None:
    there = site.converse(evil_csv(), "evil.csv", "what were net sales in 2009?", EVIL[5], EVIL[6], EVIL[0])
    taken = site.app.ask("GET", f"{there}/export?format={kind}")
    assert taken.status == 200
    assert taken.headers["content-disposition"].startswith("attachment;")
    assert site.leaks(taken) == []
    if kind == "csv":
        cells = [cell for row in csv.reader(io.StringIO(taken.text)) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "@", "+", "\t"))]
    if kind == "json":
        assert json.loads(taken.text)
    if kind == "html":
        shown = Reply(200, {"content-type": "text/html"}, taken.body)
        assert [fault for fault in faults_of(shown) if fault != "<style>"] == []
    if kind == "xlsx":
        with zipfile.ZipFile(io.BytesIO(taken.body)) as book:
            sheets = "".join(book.read(name).decode() for name in book.namelist() if "worksheets/sheet" in name)
        assert "HYPERLINK" not in sheets
        assert "cmd|" not in sheets


@pytest.mark.parametrize(
    "name",
    [
        'a"; filename="b.csv',
        "a\r\nX-Evil: 1\r\n.csv",
        "\x00.csv",
        "..\\..\\runs.db",
        "/etc/passwd",
        "\u202efdp.csv",
        "." * 300,
        EVIL[1],
    ],
)
def test_file_names_cannot_inject_paths_or_headers(site: AttackedApp, name: str) -> None:
    begun = site.upload(b"x,2009,2008\nnet sales,120,100\n", name)
    assert begun.status in (303, 400, 422)
    assert site.wrong(begun) == []
    assert "x-evil" not in begun.headers
    if begun.status == 303:
        page = site.app.ask("GET", begun.headers["location"])
        assert site.wrong(page) == []
        taken = site.app.ask("GET", f"{begun.headers['location']}/export?format=csv")
        assert "x-evil" not in taken.headers
    files = [path.name for path in site.folder.rglob("*") if path.is_file()]
    assert not [path for path in files if "passwd" in path or "evil" in path.lower() or path.endswith(".csv")]


def grows(_: Path) -> bytes:
    return gzip.compress(b"<p>" * (90 << 20), 1)


def large(_: Path) -> bytes:
    return b"net sales,120,100\n" * (3 << 20)


def bomb(folder: Path) -> bytes:
    sheet = {"xl/worksheets/sheet1.xml": b"<s>" * (90 << 20)}
    return write_workbook(folder / "bomb.xlsx", {"S": [["a", 1]]}, parts=sheet).read_bytes()


@pytest.mark.very_slow
@pytest.mark.parametrize(
    ("name", "build"),
    [
        ("picture.csv", lambda _: b"\x89PNG\r\n\x1a\n" + bytes(99)),
        ("empty.html", lambda _: b"   \n"),
        pytest.param("large.csv", large, marks=pytest.mark.slow),
        pytest.param("grows.html.gz", grows, marks=pytest.mark.slow),
        pytest.param("bomb.xlsx", bomb, marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_unreadable_file_is_one_line(
    site: AttackedApp, tmp_path: Path, name: str, build: Callable[[Path], bytes]
) -> None:
    before = {path for path in site.folder.rglob("*") if path.is_file()}
    reply = site.upload(build(tmp_path), name)
    assert reply.status == 400
    assert 'id="upload-error"' in reply.text
    assert site.wrong(reply) == []
    assert {path for path in site.folder.rglob("*") if path.is_file()} == before


def test_endless_body_is_refused(site: AttackedApp) -> None:
    kind, body = multipart(b"x" * (1 << 20), "endless.csv")
    reply = site.app.ask(
        "POST", "/documents", (*BROWSER, ("content-type", kind)), [body[:-99], *[b"x" * (4 << 20)] * 20]
    )
    assert reply.status == 413
    assert site.wrong(reply) == []


MULTIPART = "multipart/form-data; boundary=part"


def part(headers: str, body: str = "x", end: str = "--part--\r\n") -> bytes:
    return f"--part\r\nContent-Disposition: form-data; {headers}\r\n\r\n{body}\r\n{end}".encode("latin-1")


@pytest.mark.very_slow
@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (MULTIPART, part('name="file"; filename="a.csv"', "cut", "")),
        (MULTIPART, part('name="file"', "no file")),
        (MULTIPART, part("\xff\xfe; name=file")),
        (MULTIPART, b"--part\r\n" + b"X: y\r\n" * 50_000 + b"\r\nx\r\n--part--\r\n"),
        (MULTIPART, b"".join(part(f'name="a{n}"', end="") for n in range(3_000)) + b"--part--\r\n"),
        (MULTIPART, b"no boundary at all"),
        ("multipart/form-data", b"--part\r\n\r\n"),
        ("multipart/form-data; boundary=", b"--\r\n\r\n"),
        ("multipart/form-data; boundary=" + "x" * 9_000, b"--x"),
        ("application/json", b"{" * 9_000),
        ("application/x-www-form-urlencoded", b"&".join(b"a%d=b" % n for n in range(20_000))),
        ("text/plain; charset=nothing", b"\xff\xfe"),
        ("", b"x"),
    ],
    ids=[f"{number}" for number in range(13)],
)
# The file of an incomplete form is closed by the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_malformed_body_is_a_client_error(site: AttackedApp, kind: str, body: bytes) -> None:
    for method, path in ADDRESSES:
        if method in ("POST", "PUT", "PATCH", "DELETE") and path != "/login":
            halves = [body[: len(body) // 2], body[len(body) // 2 :]]
            for pieces in (body, halves) if path == "/documents" else (body,):
                reply = site.app.ask(method, filled(path, "x"), (*BROWSER, ("content-type", kind)), pieces)
                assert 400 <= reply.status < 500, (path, reply.status)
                assert site.wrong(reply) == []
    gc.collect()


@pytest.mark.slow
@settings(max_examples=share(100), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_hundred_random_requests(site: AttackedApp, data: st.DataObject) -> None:
    method, there, headers, body = data.draw(requests([*site.known, *ADDRESSES]))
    reply = site.app.ask(method, there, headers, body)
    assert site.wrong(reply) == []
