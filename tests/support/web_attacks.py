"""Requests that no browser sends, made to an app directly, and the checks of pages for forbidden content."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

from fastapi import FastAPI
from lxml import html

HOST = "127.0.0.1:8765"
BROWSER = (("host", HOST), ("sec-fetch-site", "same-origin"))
"""Headers of a browser for a request from a page of the server."""

FORM = ("content-type", "application/x-www-form-urlencoded")
"""The content type of a form."""

_SECONDS = 60
_LEADS = ("href", "src", "action", "hx-get", "hx-post", "formaction")
_OWN_SCRIPT = re.compile(r"/static/[0-9a-f]+/[\w./-]+\.js")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Reply:
    """The response of an app.

    Attributes:
        headers: Values by lower-case name; the last one of repeated headers.
    """

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode(errors="replace")

    @property
    def is_page(self) -> bool:
        """Whether a browser would display the body as a page."""
        return self.headers.get("content-type", "").startswith("text/html") and (
            "attachment" not in self.headers.get("content-disposition", "")
        )


class RawApp:
    """An app that is sent ASGI messages without any checks."""

    def __init__(self, app: FastAPI, runner: asyncio.Runner) -> None:
        """Take an app that is started in the loop of a runner."""
        self.app, self._runner = app, runner

    def ask(
        self,
        method: str,
        address: str | bytes,
        headers: Iterable[tuple[str, str]] = BROWSER,
        body: bytes | Sequence[bytes] = b"",
    ) -> Reply:
        """Return the response of the app.

        Args:
            address: Path and query, percent-encoded.
            body: The whole body, or pieces of a body that is never complete.
        """
        return self._runner.run(asyncio.wait_for(self._ask(method, address, headers, body), _SECONDS))

    def ask_all(self, requests: Sequence[tuple[str, str, bytes]]) -> list[Reply]:
        """Return the responses to concurrent requests of a browser: method, address, body of a form."""
        form = (*BROWSER, ("content-type", "application/x-www-form-urlencoded"))

        async def all_of_them() -> list[Reply]:
            return await asyncio.gather(*(self._ask(method, there, form, body) for method, there, body in requests))

        return self._runner.run(asyncio.wait_for(all_of_them(), _SECONDS))

    async def _ask(
        self, method: str, address: str | bytes, headers: Iterable[tuple[str, str]], body: bytes | Sequence[bytes]
    ) -> Reply:
        raw, _, query = (address.encode() if isinstance(address, str) else address).partition(b"?")
        coming: list[dict[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]
        if not isinstance(body, bytes):
            coming = [{"type": "http.request", "body": piece, "more_body": True} for piece in body]
            coming.append({"type": "http.disconnect"})
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote_to_bytes(raw).decode(errors="replace"),
            "raw_path": raw,
            "query_string": query,
            "root_path": "",
            "headers": [
                (name.lower().encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers
            ],
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", 8765),
        }
        sent: list[dict[str, Any]] = []
        never = asyncio.Event()

        async def receive() -> dict[str, Any]:
            if coming:
                return coming.pop(0)
            await never.wait()
            raise AssertionError

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self.app(scope, receive, send)  # type: ignore[arg-type]
        received = {name.decode(): value.decode("latin-1") for name, value in sent[0]["headers"]}
        return Reply(sent[0]["status"], received, b"".join(message.get("body", b"") for message in sent[1:]))


@contextmanager
def raw(app: FastAPI) -> Iterator[RawApp]:
    """Start an app and yield a `RawApp` for it."""
    with asyncio.Runner() as runner:
        context = app.router.lifespan_context(app)
        runner.run(_enter(context))
        try:
            yield RawApp(app, runner)
        finally:
            runner.run(context.__aexit__(None, None, None))


async def _enter(context: Any) -> None:
    await context.__aenter__()


def linked_addresses(reply: Reply) -> set[tuple[str, str]]:
    """Return the methods and addresses on this server that a page links to."""
    found: set[tuple[str, str]] = set()
    if not reply.is_page or not reply.body.strip():
        return found
    for element in html.fromstring(reply.text).iter():
        for name in _LEADS:
            there = element.get(name) if isinstance(element.tag, str) else None
            if there is None or urlsplit(there).netloc or urlsplit(there).scheme or not there.startswith("/"):
                continue
            posts = name == "hx-post" or (name == "action" and element.get("method", "get").lower() == "post")
            found.add(("POST" if posts else "GET", there.partition("#")[0]))
    return found


def crawl(app: RawApp, begin: str = "/", most: int = 150) -> dict[tuple[str, str], Reply | None]:
    """Return the replies of all GET requests reachable from a page; requests that change something have None."""
    found: dict[tuple[str, str], Reply | None] = {}
    waiting = [("GET", begin)]
    while waiting and len(found) < most:
        method, there = waiting.pop(0)
        if (method, there) in found:
            continue
        reply = app.ask("GET", there) if method == "GET" else None
        found[method, there] = reply
        if reply is not None:
            waiting += sorted(linked_addresses(reply))
    return found


def faults_of(page: Reply) -> list[str]:
    """Return the parts of a page that could run code or mislead, which no page may have, regardless of the document."""
    faults = [f"the sign {match!r}" for match in set(_CONTROLS.findall(page.text))]
    if not page.is_page or not page.body.strip():
        return faults
    for element in html.fromstring(page.text).iter():
        if not isinstance(element.tag, str):
            continue
        source = element.get("src", "")
        if element.tag == "script" and not (_OWN_SCRIPT.fullmatch(source) and not (element.text or "").strip()):
            faults.append(f"a script: {source} {element.text}")
        if element.tag in ("style", "base", "object", "embed", "iframe", "applet"):
            faults.append(f"<{element.tag}>")
        for key, attribute in element.attrib.items():
            name, value = str(key), str(attribute)
            if name.lower().startswith("on") or name.lower() == "style":
                faults.append(f"{name}={value!r} of <{element.tag}>")
            if value.strip().lower().startswith(("javascript:", "vbscript:", "data:text")):
                faults.append(f"{name}={value!r} of <{element.tag}>")
            if name in _LEADS and (urlsplit(value).netloc or urlsplit(value).scheme):
                faults.append(f"{name} leads to {value!r}")
    return faults


def addresses(app: FastAPI) -> list[tuple[str, str]]:
    """Return the methods and paths of an app, with parameters in braces."""

    def below(routes: Iterable[Any], prefix: str) -> Iterator[tuple[str, str]]:
        for route in routes:
            if (router := getattr(route, "original_router", None)) is not None:
                yield from below(router.routes, prefix + route.include_context.prefix)
            elif (methods := getattr(route, "methods", None)) is not None:
                yield from ((method, prefix + route.path) for method in methods)

    return sorted(below(app.routes, ""))


def multipart(data: bytes, name: str, field: str = "file", boundary: str = "part") -> tuple[str, bytes]:
    """Return the content type and the body of a form with a file, as browsers write it; the name is not escaped."""
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n'
    kind = "Content-Type: application/octet-stream\r\n\r\n"
    body = head.encode("utf-8", "surrogateescape") + kind.encode() + data + f"\r\n--{boundary}--\r\n".encode()
    return f"multipart/form-data; boundary={boundary}", body
