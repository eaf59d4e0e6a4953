"""Random requests to the web pages: existing and missing addresses, with hostile words."""

import re
from urllib.parse import quote, urlencode

from evil_words import CLIMBING, EVIL
from hypothesis import strategies as st
from web_attacks import BROWSER, FORM, HOST

WORDS = st.one_of(st.sampled_from([*EVIL, *CLIMBING, "", "0", "1", "latest", "default"]), st.text(max_size=40))
METHODS = ("GET", "POST", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "A" * 99, "")
HEADERS = {
    "hx-request": ("true", "false"),
    "hx-history-restore-request": ("true",),
    "origin": (f"http://{HOST}", "http://evil.example", "null", ""),
    "sec-fetch-site": ("same-origin", "cross-site", "none", "x"),
    "content-type": ("application/json", "multipart/form-data; boundary=part", "text/html", "x", ""),
    "content-length": ("0", "-1", "9" * 30, "x"),
    "authorization": ("Bearer x", "Basic eDp4", "", "Bearer \xff"),
    "cookie": ("a=b", "=", ";;;", "\xff=\xfe", "a" * 9_000),
    "accept-encoding": ("gzip", "x"),
    "range": ("bytes=0-", "bytes=9-1", "x"),
    "if-none-match": ("*", "x"),
    "if-modified-since": ("x", "Thu, 01 Jan 1970 00:00:00 GMT"),
    "transfer-encoding": ("chunked", "x"),
    "x-forwarded-host": ("evil.example",),
}


def quote_for_address(text: str) -> str:
    return quote(text, safe="/%", errors="replace")


@st.composite
def requests(draw: st.DrawFn, known: list[tuple[str, str]]) -> tuple[str, str, list[tuple[str, str]], bytes]:
    """Draw a request: method, address, headers, body.

    Args:
        known: Methods and paths, with parameters in braces, that most requests use.
    """
    method, there = draw(st.sampled_from(known))
    there = re.sub(r"\{[^}]*\}", lambda _: quote_for_address(draw(WORDS)), there.partition("?")[0])
    if draw(st.integers(0, 5)) == 0:
        there = f"/{quote_for_address(draw(st.text(max_size=60)))}"
    if draw(st.integers(0, 3)) == 0:
        method = draw(st.sampled_from(METHODS))
    names = st.sampled_from(
        ["question", "title", "document", "answerer", "file", "at", "part", "page", "format", "token", "x"]
    )
    query = draw(st.dictionaries(st.one_of(names, st.text(max_size=8)), WORDS, max_size=3))
    sent = draw(st.dictionaries(names, WORDS, max_size=3))
    headers = dict([*BROWSER, FORM]) | {
        name: draw(st.sampled_from(HEADERS[name]))
        for name in draw(st.lists(st.sampled_from(list(HEADERS)), max_size=3))
    }
    body = draw(st.one_of(st.just(urlencode(sent, errors="replace").encode()), st.binary(max_size=200)))
    return method, f"{there}?{urlencode(query, errors='replace')}", list(headers.items()), body
