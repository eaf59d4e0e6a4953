"""Effect of an endless question on other clients: `python -m benchmarks.worst_question [--clients N] [--seconds S]`.

The server runs as for `http_load`, with a solver that answers like the embedded one, but never ends for a certain
question. First all clients hold conversations, then one of them asks the endless question instead, again whenever it
has ended. The measurements alternate, so that other load affects both. A process of the
lowest priority computes all the time: two CPUs are often two threads of one core, and each is slower while the other is
busy.
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
from pathlib import Path
from statistics import median, quantiles
from urllib.parse import urlsplit

from rich.console import Console
from rich.table import Table

from benchmarks.figure import Figure
from benchmarks.http_load import converse, served

_PAGE = "sample#NORD/2012/page_41.pdf"

_SOLVER = """
from quaestor.core.computing import compute
from quaestor.solvers.registry import make_solver
from quaestor.solvers.spec import SolverSpec

def _wait(question):
    while "endless" in question:
        pass

class Endless:
    name = "endless"

    def __init__(self, options):
        self._embedded = make_solver("embedded", {"decline": True, "answers": "all"})

    async def solve(self, question, context):
        await compute(_wait, question)
        return await self._embedded.solve(question, context)

SPEC = SolverSpec("endless", "never ends if the question says so", Endless)
"""

_COMPUTES = """
import os
if hasattr(os, "SCHED_IDLE"):
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
elif hasattr(os, "nice"):
    os.nice(19)
while True:
    pass
"""


def main() -> None:
    wanted = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    wanted.add_argument("--clients", type=int, default=20)
    wanted.add_argument("--seconds", type=float, default=30.0, help="of each measurement")
    wanted.add_argument("--times", type=int, default=3, help="measurements of each kind")
    arguments = wanted.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        packages = Path(folder) / "packages" / "endless-1.0.dist-info"
        packages.mkdir(parents=True)
        (packages.parent / "endless_solver.py").write_text(_SOLVER)
        (packages / "METADATA").write_text("Metadata-Version: 2.1\nName: endless\nVersion: 1.0\n")
        (packages / "entry_points.txt").write_text("[quaestor.solvers]\nendless = endless_solver:SPEC\n")
        os.environ |= {"PYTHONPATH": str(packages.parent), "QUAESTOR_SOLVER": "endless"}
        with _lowest_priority_load(), served(Path(folder), _PAGE) as server:
            found = measure(server.address, arguments.clients, arguments.seconds, arguments.times)
    table = Table("figure", "", "how")
    for figure in found:
        table.add_row(figure.name, figure.value, figure.how)
    Console(highlight=False).print(table)


@contextmanager
def _lowest_priority_load() -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-c", _COMPUTES])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def measure(address: str, clients: int, seconds: float, times: int) -> list[Figure]:
    """Return the figures of a running server."""
    _time_answers(address, 1, 2.0, endless=False)  # warm-up, for what the first questions load
    without, beside = list[float](), list[float]()
    for _ in range(times):
        without += _time_answers(address, clients, seconds, endless=False)
        beside += _time_answers(address, clients, seconds, endless=True)
    figures = [
        Figure(f"{count} clients, an answer", _milliseconds(median(took)), f"median of {len(took)} {how}")
        for count, took, how in (
            (clients, without, "without it"),
            (clients - 1, beside, "beside the endless question"),
        )
    ]
    ratio = median(beside) / median(without)
    slowest = quantiles(beside, n=20)[-1] / quantiles(without, n=20)[-1]
    return [
        *figures,
        Figure("ratio of the medians", f"{ratio:.2f}", "beside it to without it"),
        Figure("ratio of the slowest", f"{slowest:.2f}", "what 19 of 20 are within"),
    ]


def _time_answers(address: str, clients: int, seconds: float, *, endless: bool) -> list[float]:
    """Return the seconds of each answer; if `endless`, without those of the client that asks the endless question."""
    end = time.perf_counter() + seconds
    with ThreadPoolExecutor(clients + 1) as pool:
        worst = pool.submit(_ask_endless, address, end) if endless else None
        seen = [pool.submit(converse, address, end) for _ in range(clients - endless)]
        took = [second for one in seen for second in one.result().questions]
        if worst is not None:
            worst.result()
    return took


def _ask_endless(address: str, end: float) -> None:
    """Ask the endless question until the time is up, then stop it by disconnecting."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)
    kind = {"Content-Type": "application/json"}

    def send(method: str, where: str, body: dict[str, str] | None = None) -> http.client.HTTPResponse:
        connection.request(method, f"/api/v1{where}", None if body is None else json.dumps(body), kind)
        return connection.getresponse()

    document = json.loads(send("GET", "/documents").read())["items"][0]["id"]
    id = json.loads(send("POST", "/conversations", {"document": document}).read())["id"]
    while (left := end - time.perf_counter()) > 0:
        reply = send("POST", f"/conversations/{id}/questions/stream", {"question": "endless"})
        connection.sock.settimeout(left)
        try:
            reply.read()
        except TimeoutError:
            break
    connection.close()


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms"


if __name__ == "__main__":
    main()
