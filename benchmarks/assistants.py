"""How long an assistant waits: `python -m benchmarks.assistants [FILING]`, by default a page of the sample.

`quaestor mcp` is started as an assistant starts it, and asked over its standard streams by messages that are
written plainly, so that no client's time counts. The first answer is timed from the start of the process; the filing
is kept from a first process, as it is from the second time on that somebody uses it. Later answers are timed beside
the same questions in Python.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.figure import Figure
from quaestor.application.ask_service import AskRequest
from quaestor.application.chat_service import Chat
from quaestor.application.file_cache import file_cache
from quaestor.application.resolve import find_page
from quaestor.settings import Settings

_PAGE = "sample#NORD/2012/page_41.pdf"
_QUESTIONS = ("what were total net sales in {}?", "and in {}?", "what was the change?", "what is that in percent?")
_STARTS, _ROUNDS = 5, 10
_HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


class Spoken:
    """A process that speaks the protocol."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process, self._number = process, 0
        self._say("initialize", _HELLO)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Returns what a tool gives."""
        result = self._say("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise SystemExit(result["content"][0]["text"])
        said: dict[str, Any] = result["structuredContent"]
        return said

    @property
    def computed(self) -> float:
        """How many seconds the process has computed, where the system says it."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _say(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
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
def started(folder: Path, *names: str) -> Iterator[Spoken]:
    """Gives a process that was just started, with its store in a folder."""
    command = [sys.executable, "-c", "from quaestor.cli import main; main()", "mcp", *names]
    environment = {**os.environ, "QUAESTOR_STORE": str(folder / "runs.db")}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            yield Spoken(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait()


def measure(document: str, name: str, questions: tuple[str, ...]) -> Iterator[Figure]:
    """Yields the figures of a document.

    Args:
        document: As `quaestor mcp` is told of it.
        name: As the server calls it.
        questions: The first one, and those that refer to it.
    """
    with tempfile.TemporaryDirectory() as there:
        folder = Path(there)
        with started(folder, document) as spoken:
            spoken.call("ask", document=name, question=questions[0])
        waited, computed = [], []
        for _ in range(_STARTS):
            begun = perf_counter()
            with started(folder, document) as spoken:
                spoken.call("ask", document=name, question=questions[0])
                waited.append(perf_counter() - begun)
                computed.append(spoken.computed)
        yield Figure("first answer", f"{median(waited):.2f} s", f"median of {_STARTS} starts of the process")
        yield Figure("", f"{median(computed):.2f} s", "of them computing")
        with started(folder, document) as spoken:
            over = [seconds for _ in range(_ROUNDS) for seconds in _asked(spoken, name, questions)]
        alone = asyncio.run(_in_python(document if Path(document).is_file() else name, folder, questions))
        yield Figure("later answers", f"{1000 * median(over):.0f} ms", f"median of {len(over)} questions over MCP")
        yield Figure("", f"{1000 * median(alone):.0f} ms", "the same in Python")


def _asked(spoken: Spoken, name: str, questions: tuple[str, ...]) -> Iterator[float]:
    id = spoken.call("ask", document=name, question=questions[0])["conversation"]
    for question in questions[1:]:
        begun = perf_counter()
        spoken.call("ask", conversation=id, question=question)
        yield perf_counter() - begun


async def _in_python(document: str, folder: Path, questions: tuple[str, ...]) -> list[float]:
    settings = Settings(store=str(folder / "python.db"))
    cache = file_cache(settings)
    page, seconds = find_page(document, cache), []
    for _ in range(_ROUNDS):
        chat = Chat(page, AskRequest(settings, keep=True, cache=cache))
        await chat.open()
        await chat.ask(questions[0])
        for question in questions[1:]:
            begun = perf_counter()
            await chat.ask(question)
            seconds.append(perf_counter() - begun)
        await chat.close()
    return seconds


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
