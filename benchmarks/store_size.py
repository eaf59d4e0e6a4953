"""Size of the run store per turn, and its speed: python -m benchmarks.store_size.

Each solver runs the file into a new store twice: the second run adds what it cannot share with the first. A solver that
uses a model has a perfect one on this machine (`tests/support/oracle.py`), so that prompts and replies are as long as
those of a real model. Of the references, only the plans in the model's replies are stored.
"""

import argparse
import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from rich.console import Console
from rich.table import Table

from benchmarks.workload import SUPPORT, benchmark_file
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.engines import Engine, InlineEngine, RunListener
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.runner import SolverFactory, run_conversation
from quaestor.evaluation.spec import RunSpec
from quaestor.llm.naming import find_model
from quaestor.llm.session import ModelConfig, ModelSession
from quaestor.scoring.gold import GoldTurn, read_gold
from quaestor.store.base import RunStore, open_store

if TYPE_CHECKING:
    from model_server import ModelServer

SOLVERS = ("workflow", "agent", "embedded")


@dataclass(frozen=True, slots=True)
class Size:
    """The size and speed of one solver's runs.

    Attributes:
        first: Bytes of the store after the first run.
        second: Bytes that the second run added.
        parts: Bytes by table and index after both, the largest first.
        writing: Seconds per turn in store operations during the first run.
        reading: Seconds per turn to read all turns and prompts of a run.
        showing: Seconds of `quaestor runs show` in a separate process.
    """

    solver: str
    turns: int
    first: int
    second: int
    parts: Mapping[str, int]
    writing: float
    reading: float
    showing: float


class OracleEngine:
    """Engine that runs in this process, each turn with the perfect model of its reference."""

    def __init__(self, server: "ModelServer", solver: str, golds: Mapping[str, Sequence[GoldTurn]]) -> None:
        """Take the model's server, the solver and the references."""
        self._server, self._solver, self._golds = server, solver, golds

    async def run(
        self,
        conversations: Iterable[Conversation],
        factory: SolverFactory,
        listener: RunListener,
        graphs: GraphProvider | None = None,
        session: ModelSession | None = None,
    ) -> None:
        """Run every conversation, one after the other."""
        from oracle import GuidedSolver
        from run_oracle import oracle_of

        for conversation in conversations:
            guided = GuidedSolver(factory(), self._server, self._golds[conversation.id], oracle_of(self._solver))
            watcher = await listener.on_start(conversation)
            assert watcher is not False, "another process runs this conversation"
            await listener.on_finish(
                conversation, await run_conversation(conversation, guided, graphs, session, watcher)
            )
            self._server.requests.clear()


class TimedStore:
    """A run store that records the time of its operations."""

    def __init__(self, store: RunStore) -> None:
        """Wrap a store."""
        self._store, self.seconds = store, 0.0

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        """Return an operation that records its time."""
        operation = getattr(self._store, name)

        async def timed(*args: Any, **kwargs: Any) -> Any:
            started = perf_counter()
            try:
                return await operation(*args, **kwargs)
            finally:
                self.seconds += perf_counter() - started

        return timed


async def store_run(dataset: Dataset, path: Path, solver: str, uri: str) -> float:
    """Store a run, and return the seconds spent in the store."""
    from model_replies import say
    from model_server import ModelServer

    asks = solver != "embedded"
    with ModelServer(lambda request: say("")) if asks else nullcontext() as server:
        engine: Engine = OracleEngine(server, solver, read_gold(path)) if server else InlineEngine()
        config = ModelConfig(find_model(f"openai:oracle@{server.url}/v1")) if server else None
        async with open_store(uri) as store:
            timed = TimedStore(store)
            spec = RunSpec.of(dataset, solver, {}, model={"model": "oracle"} if asks else None)
            run = await run_dataset(dataset, spec, cast(RunStore, timed), engine, config=config)
            assert run.status == "complete", run
            return timed.seconds


async def read_all(uri: str) -> float:
    """Return the seconds to read the turns and prompts of the latest run."""
    async with open_store(uri) as store:
        run = (await store.runs())[0]
        examples = await store.examples(run.id)
        started = perf_counter()
        await store.turns(run.id)
        for example in examples:
            await store.prompts(run.id, example.conversation)
        return perf_counter() - started


def parts_of(file: Path) -> dict[str, int]:
    """Return the bytes of each table and index, the largest first."""
    with closing(sqlite3.connect(file)) as db:
        return dict(db.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC"))


def show(uri: str) -> float:
    """Return the seconds of `quaestor runs show latest`, the best of three."""
    command = [str(Path(sys.executable).with_name("quaestor")), "runs", "show", "latest", "--store", uri]
    seconds = []
    for _ in range(3):
        started = perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "COLUMNS": "120"})
        seconds.append(perf_counter() - started)
    return min(seconds)


def measure(dataset: Dataset, path: Path, solver: str, folder: Path) -> Size:
    """Store two runs of a solver in a folder, and measure them."""
    file = folder / f"{solver}.db"
    uri, turns = str(file), sum(len(conversation.questions) for conversation in dataset.conversations)
    writing = asyncio.run(store_run(dataset, path, solver, uri))
    first = file.stat().st_size
    asyncio.run(store_run(dataset, path, solver, uri))
    reading, showing = asyncio.run(read_all(uri)), show(uri)
    second = file.stat().st_size - first
    return Size(solver, turns, first, second, parts_of(file), writing / turns, reading / turns, showing)


def main() -> None:
    """Print the figures of each solver per turn."""
    parser = argparse.ArgumentParser(prog="benchmarks.store_size", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, default=benchmark_file())
    parser.add_argument("--solver", action="append", choices=SOLVERS, help="by default all")
    parser.add_argument("--limit", type=int, help="only so many conversations")
    parser.add_argument("--keep", type=Path, help="a folder for the stores")
    options = parser.parse_args()
    sys.path.append(SUPPORT)
    dataset, console = read_dataset(options.file, options.limit), Console(highlight=False)
    headings = ("solver", "turns", "B a turn", "second run", "written", "read", "runs show")
    table = Table(*headings, title=f"{options.file.name}, SQLite")
    for column in table.columns[1:]:
        column.justify = "right"
    with TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for solver in options.solver or SOLVERS:
            size = measure(dataset, options.file, solver, folder)
            table.add_row(
                solver,
                f"{size.turns:,}",
                f"{size.first / size.turns:,.0f}",
                f"{size.second / size.turns:,.0f}",
                f"{1000 * size.writing:.2f} ms",
                f"{1000 * size.reading:.2f} ms",
                f"{1000 * size.showing:.0f} ms",
            )
            largest = [f"{name} {bytes_ / size.turns / 2:,.0f}" for name, bytes_ in [*size.parts.items()][:8]]
            console.print(f"{solver}, B a turn by table: {', '.join(largest)}")
    console.print(table)


if __name__ == "__main__":
    main()
