"""Runs on a local Ray cluster: python -m benchmarks.ray_engine [--kills N].

The same file is run in this process, in worker processes, and on one, two and four Ray nodes, each a machine with one
CPU from Ray's point of view. Every run is compared with the first, record by record. With `--kills`, one of four nodes
is killed at a random moment, N times. Four nodes cannot speed up two cores: the test is whether anything is lost.
"""

import argparse
import asyncio
import hashlib
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from quaestor.cluster.ray_workers import joined_cluster
from quaestor.conversation.turn import Turn
from quaestor.core.caching import collect_seldom
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.engines import Engine, InlineEngine, make_engine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.store.base import open_store

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))

from ray_cluster import Nodes, ray_nodes
from run_rows import content, stored

from benchmarks.workload import SOLVER, benchmark_file

NODES = (1, 2, 4)


class EndTimes:
    """Progress callback that records when each conversation ended."""

    def __init__(self, then: int = 0, kill: Nodes | None = None) -> None:
        self.ended: list[str] = []
        self.times: list[float] = []
        self._then, self._kill = then, kill

    def __call__(self, conversation: Conversation, _turns: tuple[Turn, ...]) -> None:
        """Record the time, and kill a node if it is due."""
        self.ended.append(conversation.id)
        self.times.append(time.perf_counter())
        if self._kill is not None and len(self.ended) == self._then:
            self._kill.kill(random.randrange(len(self._kill.alive)))


def run_and_digest(dataset: Dataset, engine: Engine, progress: EndTimes) -> tuple[str, float]:
    """Return the digest of the stored run without ids and times, and its seconds."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "runs.db"

        async def run() -> None:
            async with open_store(str(store)) as opened:
                await run_dataset(dataset, RunSpec.of(dataset, SOLVER, {}), opened, engine, on_conversation=progress)

        started = time.perf_counter()
        asyncio.run(run())
        seconds = time.perf_counter() - started
        return hashlib.sha256(content(stored(store)).encode()).hexdigest(), seconds


def main() -> None:
    """Print a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--dataset", type=Path, default=benchmark_file())
    parser.add_argument("--limit", type=int)
    given = parser.parse_args()
    collect_seldom()
    dataset = read_dataset(given.dataset, given.limit)
    turns = sum(len(one.questions) for one in dataset.conversations)
    print(f"{given.dataset.name}: {len(dataset.conversations)} conversations, {turns} turns; {os.cpu_count()} cores")
    everyone = sorted(one.id for one in dataset.conversations)
    wanted = ""

    def show(name: str, engine: Engine, progress: EndTimes | None = None) -> None:
        nonlocal wanted
        progress = progress or EndTimes()
        digest, seconds = run_and_digest(dataset, engine, progress)
        wanted = wanted or digest
        # From the first conversation to the last, which excludes the startup time.
        pace = (len(progress.times) - 1) / (progress.times[-1] - progress.times[0]) * turns / len(everyone)
        once = "each conversation once" if sorted(progress.ended) == everyone else "CONVERSATIONS LOST OR DOUBLED"
        same = "the same records" if digest == wanted else "OTHER RECORDS"
        print(f"{name}: {seconds:.1f} s, {pace:.0f} turns a second once it has begun; {once}, {same}", flush=True)

    show("this process", InlineEngine())
    show("2 worker processes", make_engine("processes", 2))
    with ray_nodes() as nodes:
        for count in NODES:
            nodes.grow(count)
            show(f"Ray, nodes: {count}", make_engine("ray", count, nodes.address))
        for number in range(given.kills):
            nodes.grow(NODES[-1])
            then = random.randrange(1, len(everyone))
            name = f"kill {number + 1}, after {then} conversations"
            show(name, make_engine("ray", NODES[-1], nodes.address), EndTimes(then, nodes))
    print(f"a Ray of this machine: started and ended in {start_and_end():.1f} s")


def start_and_end() -> float:
    """Return the seconds to start and stop a local Ray."""

    async def start() -> None:
        async with joined_cluster(1):
            pass

    started = time.perf_counter()
    asyncio.run(start())
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
