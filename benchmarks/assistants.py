"""Response times of `quaestor mcp`: `python -m benchmarks.assistants [FILING]`, by default a page of the sample.

The server is started like an assistant starts it, and receives plain messages over stdio, so that no client time
counts. The first answer is timed from the start of the process; the filing was cached by an earlier process, as on
every start but the first.

Later answers are timed next to the same questions in Python, each stored and converted to the same JSON, and next to
these through the protocol's SDK with nothing else in between (`benchmarks.asked_in_python`), the minimum for a server
based on this SDK. Each runs in a separate process behind a pipe, and they take turns, so that other load on the machine
affects all of them alike; on a busy machine the CPU times are more reliable than the wall times.
"""

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import clock_gettime, perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.figure import Figure

_PAGE = "sample#NORD/2012/page_41.pdf"
_QUESTIONS = ("what were total net sales in {}?", "and in {}?", "what was the change?", "what is that in percent?")
_STARTS, _ROUNDS, _UNTIMED = 5, 40, 3
_SERVER = ("-c", "from quaestor.cli import main; main()", "mcp")
_PYTHON = ("-m", "benchmarks.asked_in_python")
_HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


@dataclass(slots=True)
class Times:
    """Times of answers.

    Attributes:
        waited: Wall seconds of each answer.
        computed: CPU seconds of the answering process for each answer.
    """

    waited: list[float] = field(default_factory=list)
    computed: list[float] = field(default_factory=list)


class ServerProcess:
    """A server process that speaks MCP over stdio."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process, self._number = process, 0
        clock = ctypes.c_int()
        if ctypes.CDLL(None).clock_getcpuclockid(process.pid, ctypes.byref(clock)):
            raise SystemExit("this system cannot report the CPU time of another process")
        self._clock = clock.value
        self.request("initialize", _HELLO)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    @property
    def computed(self) -> float:
        """CPU seconds that the process has used."""
        return clock_gettime(self._clock)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its result."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise SystemExit(result["content"][0]["text"])
        content: dict[str, Any] = result["structuredContent"]
        return content

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its response."""
        self._number += 1
        self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        while True:
            message = json.loads(self._process.stdout.readline())
            if message.get("id") == self._number:
                result: dict[str, Any] = message["result"]
                return result

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


@contextmanager
def start_process(folder: Path, *command: str) -> Iterator[ServerProcess]:
    """Start a process with its store in a folder."""
    environment = {**os.environ, "QUAESTOR_STORE": str(folder / "runs.db")}
    with subprocess.Popen(
        [sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            yield ServerProcess(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait()


def measure(document: str, name: str, questions: tuple[str, ...]) -> Iterator[Figure]:
    """Yield the figures of a document.

    Args:
        document: The document as an argument of `quaestor mcp`.
        questions: The first question and its follow-ups.
    """
    with tempfile.TemporaryDirectory() as there:
        folder = Path(there)
        with start_process(folder, *_SERVER, document) as server:
            server.call("ask", document=name, question=questions[0])
        first = Times()
        for _ in range(_STARTS):
            begun = perf_counter()
            with start_process(folder, *_SERVER, document) as server:
                server.call("ask", document=name, question=questions[0])
                first.waited.append(perf_counter() - begun)
                first.computed.append(server.computed)
        yield Figure("first answer", f"{median(first.waited):.2f} s", f"median of {_STARTS} starts of the process")
        yield Figure("", f"{median(first.computed):.2f} s", "of them computing")
        yield from _later(folder, document, name, questions)


def _later(folder: Path, document: str, name: str, questions: tuple[str, ...]) -> Iterator[Figure]:
    plain = document if Path(document).is_file() else name
    with (
        start_process(folder, *_SERVER, document) as server,
        start_process(folder, *_PYTHON, plain) as python,
        start_process(folder, *_PYTHON, plain, "--mcp") as bare,
    ):
        for rounds in (_UNTIMED, _ROUNDS):
            over, alone, least, ping = Times(), Times(), Times(), Times()
            for _ in range(rounds):
                _time_questions(server, name, questions, over)
                _time_questions(python, name, questions, alone)
                _time_questions(bare, name, questions, least)
                _time_pings(bare, len(questions) - 1, ping)
    yield _both("later answers over MCP", over, f"median of {len(over.waited)} questions")
    yield _both("the same in Python", alone, "asked, kept, and made into JSON")
    yield _both("behind the SDK alone", least, "the same in Python, and nothing but the protocol's SDK before it")
    yield _both("", ping, "a ping to that")
    yield _shares("over MCP", over, alone, "times Python")
    yield _shares("", over, least, "times Python behind the SDK alone")
    yield _without_sdk(over, least, alone)


def _shares(name: str, taken: Times, other: Times, how: str) -> Figure:
    waited = median(taken.waited) / median(other.waited)
    return Figure(name, f"{waited:.2f}, computing {median(taken.computed) / median(other.computed):.2f}", how)


def _without_sdk(over: Times, least: Times, alone: Times) -> Figure:
    waited, computed = (
        1 + (median(mine) - median(bare)) / median(python)
        for mine, bare, python in (
            (over.waited, least.waited, alone.waited),
            (over.computed, least.computed, alone.computed),
        )
    )
    return Figure("", f"{waited:.2f}, computing {computed:.2f}", "times Python, without what the SDK takes")


def _both(name: str, taken: Times, how: str) -> Figure:
    value = f"{1000 * median(taken.waited):.1f} ms, computing {1000 * median(taken.computed):.1f} ms"
    return Figure(name, value, how)


def _time_questions(server: ServerProcess, name: str, questions: tuple[str, ...], taken: Times) -> None:
    """Ask all questions in a new conversation, and record the times of the follow-ups."""
    id = server.call("ask", document=name, question=questions[0])["conversation"]
    computed = server.computed
    for question in questions[1:]:
        begun = perf_counter()
        server.call("ask", conversation=id, question=question)
        taken.waited.append(perf_counter() - begun)
    taken.computed.append((server.computed - computed) / len(questions[1:]))


def _time_pings(server: ServerProcess, times: int, taken: Times) -> None:
    computed = server.computed
    for _ in range(times):
        begun = perf_counter()
        server.request("ping", {})
        taken.waited.append(perf_counter() - begun)
    taken.computed.append((server.computed - computed) / times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("filing", nargs="?", type=Path)
    parser.add_argument("--years", nargs=2, default=("2012", "2011"))
    given = parser.parse_args()
    document, name = (str(given.filing), given.filing.name) if given.filing else ("sample", _PAGE)
    years = iter(given.years)
    questions = tuple(question.format(next(years)) if "{}" in question else question for question in _QUESTIONS)
    table = Table("figure", "", "how")
    for figure in measure(document, name, questions):
        table.add_row(figure.name, figure.value, figure.how)
    Console(highlight=False).print(table)


if __name__ == "__main__":
    main()
