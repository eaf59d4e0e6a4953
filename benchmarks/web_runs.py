"""Response times of the pages for runs.

`python -m benchmarks.web_runs FILE [--runs 50] [--turns 0]` runs a labelled file once, copies the run within its store
under other ids, and requests each kind of page over HTTP, one request after the other. With `--turns` the store also
contains one run with at least that many turns, the conversations of the file repeated. Prints the median and the 95th
percentile of the time from the request to the last byte in milliseconds, and the 95th percentile of the CPU time, which
is independent of other programs.
"""

import argparse
import asyncio
import sqlite3
import statistics
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time, sleep
from typing import NamedTuple
from urllib.parse import quote

import httpx2 as httpx
from rich.console import Console
from rich.table import Table

from quaestor.application.ask_service import AskRequest
from quaestor.application.file_cache import file_cache
from quaestor.application.score_service import score_run
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.engines import make_engine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.scoring.gold import read_gold
from quaestor.settings import load_settings
from quaestor.store.base import open_store
from quaestor.web.app import create_app
from quaestor.web.serving import bind, server_of


class PageTime(NamedTuple):
    """Time of a page in milliseconds: wall time and CPU time."""

    clock: float
    processor: float


ROUNDS = 4
"""Number of requests per address, not counting one warm-up request at the start."""

_PLACES = 25
"""Number of addresses of each kind."""

_COPIED = ("examples", "turns", "scores", "scored_examples", "scored_turns")


def run_file(path: Path, store: Path) -> str:
    """Run a labelled file into a store, score it, and return the run id."""
    dataset = read_dataset(path)

    async def run_and_score() -> str:
        async with open_store(str(store)) as opened:
            run = await run_dataset(dataset, RunSpec.of(dataset, "embedded"), opened, make_engine("processes", 2))
            scored = await score_run(opened, run, dataset, read_gold(path), str(store))
            assert scored.unkept is None
            return run.id

    return asyncio.run(run_and_score())


def copy_run(store: Path, run: str, number: int, times: int = 1) -> str:
    """Copy a run within its store, and return the id of the copy.

    Args:
        number: Number that makes the copy's id unique.
        times: Number of copies of each conversation.
    """
    other = f"{run[:-4]}{number:04}"
    with sqlite3.connect(store) as db:
        _copy(db, "runs", "id = ?", run, {"id": (other,), "started": (f"2026-01-01T00:00:{number % 60:02}.000+00:00",)})
        for table in _COPIED:
            for time in range(times if table != "scores" else 1):
                changes: dict[str, tuple[str, ...]] = {"run": (other,)}
                columns = _columns(db, table)
                if table == "scores":
                    changes["id"] = (f"{other}-score",)
                if "score" in columns:
                    changes["score"] = (f"{other}-score",)
                if "conversation" in columns and time:
                    changes["conversation"] = (f'conversation || " ({time})"',) * 2
                _copy(db, table, "run = ?", run, changes)
        graphs = "SELECT ?, conversation, created FROM graphs WHERE run = ?"
        db.execute(f"INSERT INTO graphs (run, conversation, created) {graphs}", (other, run))
        db.execute(
            """INSERT INTO instances SELECT copied.id, i.s, i.p, i.o FROM instances i JOIN graphs g ON g.id = i.graph
            JOIN graphs copied ON copied.run = ? AND copied.conversation = g.conversation WHERE g.run = ?""",
            (other, run),
        )
    db.close()
    return other


def _columns(db: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in db.execute(f"PRAGMA table_info({table})")]


def _copy(db: sqlite3.Connection, table: str, where: str, run: str, changes: Mapping[str, tuple[str, ...]]) -> None:
    """Copy the rows of a run; a change is a value, or an SQL expression if given twice."""
    names, values, given = _columns(db, table), list[str](), list[str]()
    for name in names:
        if len(changes.get(name, ())) == 1:
            values.append("?")
            given.append(changes[name][0])
        else:
            values.append(changes[name][0].replace('"', "'") if name in changes else f'"{name}"')
    columns = ", ".join(f'"{name}"' for name in names)
    db.execute(f"INSERT INTO {table} ({columns}) SELECT {', '.join(values)} FROM {table} WHERE {where}", (*given, run))


def addresses(store: Path, runs: Sequence[str], large: str | None) -> Mapping[str, list[str]]:
    """Return addresses of each kind of page."""
    with sqlite3.connect(store) as db:
        asked = 'SELECT conversation, "index" FROM turns WHERE run = ? ORDER BY conversation, "index"'
        turns = db.execute(asked, (runs[0],)).fetchall()
    db.close()
    some = turns[:: max(1, len(turns) // _PLACES)][:_PLACES]
    queries = ("?verdict=wrong", "?operation=divide&origin=table", "?q=percent&page=2", "?from=20&to=60", "?page=9")
    filtered = [f"/runs/{run}{query}" for run in runs[:5] for query in queries]
    pairs = [f"/runs/compare?first={runs[n]}&second={runs[n + 1]}" for n in range(min(5, len(runs) - 1))]
    found = {
        "list of runs": ["/runs", "/runs?page=2", "/runs?solver=embedded&state=complete"],
        "one run": [f"/runs/{run}" for run in runs[:_PLACES]],
        "its turns, filtered": filtered,
        "one turn": [f"/runs/{runs[n % len(runs)]}/turns/{i + 1}/{quote(c)}" for n, (c, i) in enumerate(some)],
        "two runs": [f"{pair}{query}" for pair in pairs for query in ("", "&outcome=neither", "&q=percent&page=2")],
        "graph of a page": [f"/runs/{runs[0]}/graph/{quote(c)}" for c, _ in some],
        "a thing of it": [f"/runs/{runs[0]}/network/{quote(c)}?node=doc:table_0" for c, _ in some[:5]],
        "by the references": [f"/runs/{runs[0]}/references"],
    }
    if large is not None:
        found["one large run"] = [f"/runs/{large}", *(f"/runs/{large}{query}" for query in (*queries, "?page=99"))]
    return found


def measure(store: Path, kinds: Mapping[str, list[str]]) -> Iterator[tuple[str, PageTime, list[PageTime]]]:
    """Yield for each kind of page the time of its first request, and of all others."""
    settings = load_settings({"store": str(store)}, environment={}, folder=store.parent)
    with bind("127.0.0.1", 0) as bound:
        server = server_of(create_app(AskRequest(settings, keep=True, cache=file_cache(settings))))
        with ThreadPoolExecutor(1) as pool:
            done = pool.submit(server.run, [bound])
            while not server.started:
                sleep(0.01)
            with httpx.Client(base_url=f"http://127.0.0.1:{bound.getsockname()[1]}", timeout=60) as client:
                for kind, found in kinds.items():
                    first = _time_page(client, found[0])
                    yield kind, first, [_time_page(client, address) for _ in range(ROUNDS) for address in found]
            server.should_exit = True
            done.result()


def _time_page(client: httpx.Client, address: str) -> PageTime:
    begun, used = perf_counter(), process_time()
    answered = client.get(address)
    took = PageTime(1000 * (perf_counter() - begun), 1000 * (process_time() - used))
    if answered.status_code != 200 and "node=" not in address:
        raise SystemExit(f"{address}: {answered.status_code}")
    return took


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20, method="inclusive")[-1]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--turns", type=int, default=0)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        store = Path(folder) / "runs.db"
        run = run_file(given.file, store)
        with sqlite3.connect(store) as db:
            turns = int(db.execute("SELECT count(*) FROM turns").fetchone()[0])
        db.close()
        runs = [run, *(copy_run(store, run, number) for number in range(1, given.runs))]
        large = copy_run(store, run, given.runs, -(-given.turns // turns)) if given.turns else None
        size = store.stat().st_size / 1e6
        table = Table(title=f"{len(runs)} runs of {turns} turns, {size:,.0f} MB", title_justify="left")
        for heading in ("page", "first, ms", "p50, ms", "p95, ms", "p95 of CPU, ms", "requests"):
            table.add_column(heading, justify="left" if heading == "page" else "right")
        for kind, first, took in measure(store, addresses(store, runs, large)):
            clocks = [one.clock for one in took]
            p95s = [_p95(clocks), _p95([one.processor for one in took])]
            shown = [first.clock, statistics.median(clocks), *p95s]
            table.add_row(kind, *(f"{number:.1f}" for number in shown), str(len(took)))
        Console().print(table)


if __name__ == "__main__":
    main()
