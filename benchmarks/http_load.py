"""Load test of the HTTP API: `python -m benchmarks.http_load [--clients N] [--seconds S]`.

The server runs like `quaestor serve` in a separate process, without a request rate limit. Each client is a thread that
repeatedly starts a conversation about a page of the sample, asks five questions, reads the conversation, exports it as
CSV and deletes it. Times are wall times from the request to the end of the reply. A wrong answer, or one that is
missing from the conversation afterwards, ends the program.
"""

import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlsplit

from benchmarks.figure import Figure, print_figures

_PAGE = "sample#NORD/2012/page_41.pdf"
_QUESTIONS = (
    ("what were net sales of power cables in 2012?", "$ 642.3 million"),
    ("and in 2011?", "$ 598.7 million"),
    ("what was the change?", "$ 43.6 million"),
    ("what was the percentage change?", "7.3 %"),
    ("what was operating income in 2012?", "$ 88.1 million"),
)
_WARM = 5.0
"""Seconds before the first memory measurement."""


@dataclass(frozen=True)
class ServerProcess:
    """A running server.

    Attributes:
        address: Its base address without a trailing slash.
    """

    address: str
    process: int


@dataclass
class ClientTimes:
    """The measurements of a client.

    Attributes:
        other: Seconds of each request other than questions.
    """

    questions: list[float] = field(default_factory=list)
    other: list[float] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), _PAGE) as server:
        found = measure(server, options.clients, options.seconds)
    print_figures(found)


@contextmanager
def served(folder: Path, *files: str) -> Iterator[ServerProcess]:
    """Serve files in a separate process, with a store in a folder."""
    command = [sys.executable, "-uc", "from quaestor.cli import main; main()", "serve", *files, "--port", "0"]
    command += ["--requests-per-minute", "0"]
    environment = {**os.environ, "QUAESTOR_STORE": f"sqlite:///{folder}/runs.db"}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=folder)
    try:
        assert server.stdout is not None
        line = next((line for line in server.stdout if "http://" in line), None)
        if line is None:
            raise SystemExit("the server did not say its address")
        yield ServerProcess(line[line.index("http://") :].split()[0].rstrip("/"), server.pid)
    finally:
        server.terminate()
        server.wait()


def measure(server: ServerProcess, clients: int, seconds: float) -> list[Figure]:
    """Return the figures of a running server.

    Args:
        clients: Number of concurrent clients.
    """
    began = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        running = [pool.submit(converse, server.address, began + seconds) for _ in range(clients)]
        time.sleep(min(_WARM, seconds / 2))
        first = _memory(server.process)
        time.sleep(max(0.0, began + seconds / 2 - time.perf_counter()))
        middle = _memory(server.process)
        seen = [one.result() for one in running]
    whole = time.perf_counter() - began
    last = _memory(server.process)
    times = [took for one in seen for took in one.questions]
    other = [took for one in seen for took in one.other]
    return [
        Figure(
            f"{clients} clients",
            f"{(len(times) + len(other)) / whole:.0f} requests/s",
            f"{len(times) + len(other):,} in {whole:.0f} s, none failed",
        ),
        Figure("questions", f"{len(times) / whole:.0f} answers/s", f"{len(times):,}, each right and kept"),
        Figure("", _milliseconds(median(times)), "median"),
        Figure("", _milliseconds(quantiles(times, n=20)[-1]), "19 of 20 within"),
        Figure("other requests", _milliseconds(median(other)), "median"),
        Figure("", _milliseconds(quantiles(other, n=20)[-1]), "19 of 20 within"),
        Figure("memory of the server", f"{first:.0f} MB", f"after {min(_WARM, seconds / 2):.0f} s"),
        Figure("", f"{middle:.0f} MB", "after half of the time"),
        Figure("", f"{last:.0f} MB", "at the end"),
    ]


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms"


def _memory(process: int) -> float:
    """Return the resident memory of a process in MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def converse(address: str, end: float) -> ClientTimes:
    """Hold one conversation after the other until the time is up; the last one is completed."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)
    seen = ClientTimes()
    while time.perf_counter() < end:
        document = _get(connection, seen.other, "GET", "/documents")["items"][0]["id"]
        there = f"/conversations/{_get(connection, seen.other, 'POST', '/conversations', {'document': document})['id']}"
        for question, expected in _QUESTIONS:
            (answer,) = _get(connection, seen.questions, "POST", f"{there}/questions", {"question": question})[
                "answers"
            ]
            _same(answer["display"], expected)
        turns = _get(connection, seen.other, "GET", there)["turns"]
        _same([turn["display"] for turn in turns], [expected for _, expected in _QUESTIONS])
        _same(len(_get(connection, seen.other, "GET", f"{there}/export?format=csv").splitlines()), len(_QUESTIONS) + 1)
        _get(connection, seen.other, "DELETE", there)
    connection.close()
    return seen


def _same(found: object, expected: object) -> None:
    if found != expected:
        raise SystemExit(f"{found!r} was answered, not {expected!r}")


def _get(
    connection: http.client.HTTPConnection,
    took: list[float],
    method: str,
    there: str,
    body: dict[str, str] | None = None,
) -> Any:
    """Return a reply, and record its time."""
    began = time.perf_counter()
    sent = None if body is None else json.dumps(body)
    connection.request(method, f"/api/v1{there}", sent, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    data = answer.read()
    took.append(time.perf_counter() - began)
    if not 200 <= answer.status < 300:
        raise SystemExit(f"{method} {there}: {answer.status} {data.decode()[:300]}")
    kind = answer.headers.get("Content-Type", "")
    return json.loads(data) if kind == "application/json" and data else data.decode()


if __name__ == "__main__":
    main()
