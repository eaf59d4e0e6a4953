"""Load test of the web pages: `python -m benchmarks.serving [PEOPLE]`.

The pages are served like `quaestor serve` in a separate process; each person is a thread that starts a conversation
about a page of the sample and asks one question after the other. Times are wall times until the page with the answer is
complete.
"""

import http.client
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median, quantiles
from urllib.parse import urlencode, urlsplit

from benchmarks.figure import Figure, print_figures
from benchmarks.http_load import served

_PAGE = "sample#NORD/2012/page_41.pdf"
_QUESTIONS = (
    "what were net sales of power cables in 2012?",
    "and in 2011?",
    "what was the change?",
    "what was the percentage change?",
    "what was operating income in 2012?",
)
_FORM = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}


def main() -> None:
    people = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), _PAGE) as server:
        found = measure(urlsplit(server.address).netloc, people)
    print_figures(found)


def measure(host: str, people: int) -> list[Figure]:
    """Return the figures of a running server."""
    alone = _person(host)
    began = time.perf_counter()
    with ThreadPoolExecutor(people) as pool:
        waited = [seconds for person in pool.map(_person, [host] * people) for seconds in person]
    whole = time.perf_counter() - began
    count = people * len(_QUESTIONS)
    return [
        Figure("one person, an answer", _milliseconds(median(alone)), f"median of {len(alone)} questions"),
        Figure(f"{people} people, an answer", _milliseconds(median(waited)), f"median of {count} questions"),
        Figure("", _milliseconds(quantiles(waited, n=20)[-1]), "19 of 20 within"),
        Figure("", f"{count / whole:.0f} answers/s", "all were answered, each with its page"),
    ]


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms"


def _person(host: str) -> list[float]:
    """Ask the questions of a conversation, and return the seconds of each answer."""
    connection = http.client.HTTPConnection(host, timeout=120)
    start = _fetch(connection, "GET", "/")[1]
    document = start.partition('name="document" value="')[2].partition('"')[0]
    there, _ = _fetch(connection, "POST", "/conversations", {"document": document})
    waited = []
    for number, question in enumerate(_QUESTIONS, start=1):
        began = time.perf_counter()
        _fetch(connection, "POST", f"{there}/ask", {"question": question})
        page = _fetch(connection, "GET", there)[1]
        waited.append(time.perf_counter() - began)
        if f'id="turn-{number}"' not in page:
            raise SystemExit(f"question {number} was not answered")
    connection.close()
    return waited


def _fetch(
    connection: http.client.HTTPConnection, method: str, there: str, form: dict[str, str] | None = None
) -> tuple[str, str]:
    """Return the address that a response redirects to, and its page."""
    connection.request(method, there, urlencode(form) if form else None, _FORM)
    answer = connection.getresponse()
    page = answer.read().decode()
    if answer.status not in (200, 303):
        raise SystemExit(f"{method} {there}: {answer.status}")
    return (answer.headers.get("Location") or "").partition("#")[0], page


if __name__ == "__main__":
    main()
