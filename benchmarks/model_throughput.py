"""Throughput of concurrent conversations with a model, compared with Inspect AI: python -m benchmarks.model_throughput.

A stub server in a separate process replies after 100 ms. The agent stores a run with `--turns` questions per
conversation (one) and four requests per question; the ideal is the time of waiting alone.
`--engines inline processes` runs it on one core and on all cores, counting the CPU time of the worker processes; the
server's CPU time is shown separately, although it shares the cores. `--inspect PYTHON` names an interpreter with
`inspect_ai`, which evaluates as many samples over the same pages with four requests each, a tool and a written log,
alternating at the same server, so that other load affects both. Imports and reading of files are not counted.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.stub_model import REQUESTS, stub_model

LATENCY = 0.1
FIRST = 2
"""Number of warm-up samples, for everything that is loaded with the first one."""

_KEYS = {"OPENAI_API_KEY": "none", "ANTHROPIC_API_KEY": "none", "INSPECT_DISPLAY": "none"}


def main() -> None:
    """Print a line for each measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--at-once", type=int, nargs="+", default=[50, 200])
    parser.add_argument("--samples", type=int, default=600)
    parser.add_argument("--turns", type=int, default=1, help="Questions a sample; Inspect is given one.")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--protocols", nargs="+", default=["openai", "anthropic"])
    parser.add_argument("--engines", nargs="+", default=["inline", "processes"], choices=["inline", "processes"])
    parser.add_argument("--inspect", metavar="PYTHON", help="An interpreter that has inspect_ai.")
    parser.add_argument("--run", nargs=5, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inspect and given.turns != 1:
        parser.error("Inspect's samples have one question: leave out --turns or --inspect")
    if given.run:
        who, protocol, url, at_once, folder = given.run
        samples, lanes = Path(folder), int(at_once)
        if who == "inspect_ai":
            print(json.dumps(_run_inspect(protocol, url, lanes, samples)))
        else:
            print(json.dumps(_run_quaestor(protocol, url, lanes, samples, who)))
        return
    with tempfile.TemporaryDirectory() as folder, stub_model(LATENCY) as stub:
        _write_samples(Path(folder), given.samples, given.turns)
        interpreters = dict.fromkeys(given.engines, sys.executable) | (
            {"inspect_ai": given.inspect} if given.inspect else {}
        )
        for protocol in given.protocols:
            for at_once in given.at_once:
                found: dict[str, list[tuple[float, float]]] = {name: [] for name in interpreters}
                for _ in range(given.rounds):
                    for name, python in interpreters.items():
                        stub.served()
                        result = _measured(python, name, protocol, stub.url, at_once, folder)
                        served = stub.served()
                        assert served.requests == REQUESTS * given.turns * (given.samples + FIRST), (name, served)
                        seconds, computed = result["seconds"], result["computed"]
                        found[name].append((seconds, computed))
                        ideal = given.samples / at_once * given.turns * REQUESTS * LATENCY
                        print(
                            f"{protocol}, {at_once} at once, {name}: {given.samples / seconds:.0f} samples/s, "
                            f"{100 * ideal / seconds:.0f} % of the ideal; "
                            f"{1000 * computed / given.samples:.1f} ms of CPU per sample"
                            f"{_shares(result, given.samples)}, "
                            f"{served.received // served.requests // 1000} KB a request; "
                            f"server {1000 * served.seconds / served.requests:.2f} ms a request",
                            flush=True,
                        )
                if given.inspect:
                    for engine in given.engines:
                        both = list(zip(found[engine], found["inspect_ai"], strict=True))
                        rate = median(their[0] / our[0] for our, their in both)
                        cpu = median(their[1] / our[1] for our, their in both)
                        print(
                            f"{protocol}, {at_once} at once: {engine} has {rate:.1f} times the samples/s of "
                            f"inspect_ai, and {cpu:.1f} times less CPU"
                        )


def _shares(result: dict[str, float], samples: int) -> str:
    """Describe the share of CPU time of the process that writes, if others run the conversations."""
    here = result.get("here", result["computed"])
    return "" if here == result["computed"] else f" ({1000 * here / samples:.1f} of them in the process that writes)"


def _measured(python: str, who: str, protocol: str, url: str, at_once: int, folder: str) -> dict[str, float]:
    command = [python, "-m", "benchmarks.model_throughput", "--run", who, protocol, url, str(at_once), folder]
    root = str(Path(__file__).resolve().parents[1])
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=root,
        env={**os.environ, **_KEYS, "PYTHONPATH": root},
    )
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def _write_samples(folder: Path, count: int, turns: int) -> None:
    """Write the pages and their numbers of questions, and for Inspect the agent's page prompts."""
    from benchmarks.workload import benchmark_file
    from quaestor.application.outline import text_parts
    from quaestor.datasets.formats import read_dataset
    from quaestor.prompts import render

    dataset = read_dataset(benchmark_file())
    pages = list({one.document.id: one.document for one in dataset.conversations}.values())
    texts = ["\n".join(part.text for part in text_parts(page)) for page in pages]
    system = render("agent/system", advice=None)
    work = {"system": system, "turns": turns, "pages": [texts[number % len(pages)] for number in range(count)]}
    (folder / "samples.json").write_text(json.dumps(work), encoding="utf-8")


def _run_quaestor(protocol: str, url: str, at_once: int, folder: Path, engine: str) -> dict[str, float]:
    from benchmarks.workload import benchmark_file
    from quaestor.core.caching import collect_seldom
    from quaestor.datasets.dataset import Conversation, Dataset
    from quaestor.datasets.formats import read_dataset
    from quaestor.evaluation.engines import make_engine
    from quaestor.evaluation.processes import ASKING, preload_modules
    from quaestor.evaluation.run import run_dataset
    from quaestor.evaluation.spec import RunSpec
    from quaestor.llm.naming import find_model
    from quaestor.llm.session import ModelConfig
    from quaestor.store.base import open_store

    collect_seldom()
    if engine == "processes":
        preload_modules([*ASKING, "quaestor.solvers.agent.solver"])
    plays = make_engine(engine, at_once if engine == "inline" else os.cpu_count() or 1, at_once=at_once)
    work = json.loads((folder / "samples.json").read_text(encoding="utf-8"))
    found = read_dataset(benchmark_file())
    pages = list({one.document.id: one.document for one in found.conversations}.values())
    questions = ("what was it?",) * work["turns"]
    conversations = [Conversation(f"sample {n}", pages[n % len(pages)], questions) for n in range(len(work["pages"]))]
    name = f"openai:scripted@{url}/v1" if protocol == "openai" else f"anthropic:scripted@{url}"

    async def run(some: Dataset, store: str) -> None:
        config = ModelConfig(find_model(name))
        spec = RunSpec.of(some, "agent", {}, model=config.fingerprint)
        async with open_store(store) as opened:
            run = await run_dataset(some, spec, opened, plays, config=config)
        assert run.status == "complete", run

    with tempfile.TemporaryDirectory() as stores:
        asyncio.run(run(Dataset.of("first", found.format, conversations[:FIRST]), f"{stores}/first.db"))
        with _computed_by_workers() as workers:
            started, computed = time.perf_counter(), time.process_time()
            asyncio.run(run(Dataset.of("samples", found.format, conversations), f"{stores}/runs.db"))
            seconds, here = time.perf_counter() - started, time.process_time() - computed
        return {"seconds": seconds, "computed": here + sum(workers.values()), "here": here}


@contextmanager
def _computed_by_workers() -> Iterator[dict[int, float]]:
    """Yield the CPU seconds of each worker process, sampled often because workers end without notice."""
    found, over = dict[int, float](), threading.Event()

    def look() -> None:
        while not over.wait(0.02):
            for process in multiprocessing.active_children():
                with suppress(OSError):
                    times = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
                    found[process.pid or 0] = sum(map(int, times)) / os.sysconf("SC_CLK_TCK")

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield found
    finally:
        over.set()
        looking.join()


def _run_inspect(protocol: str, url: str, at_once: int, folder: Path) -> dict[str, float]:
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import GenerateConfig, get_model
    from inspect_ai.scorer import match
    from inspect_ai.solver import generate, system_message, use_tools
    from inspect_ai.tool import Tool, tool

    @tool  # type: ignore[untyped-decorator]  # the extra `inspect` is not installed in this environment
    def calculate() -> Tool:
        async def execute(operation: str, values: list[float]) -> str:
            """Calculate with numbers.

            Args:
                operation: What is done with them, such as add.
            """
            return str(sum(values)) if operation == "add" else operation

        return execute

    work = json.loads((folder / "samples.json").read_text(encoding="utf-8"))
    samples = [
        Sample(input=f"{page}\n\nwhat was it?", target="5", id=f"sample {number}")
        for number, page in enumerate(work["pages"])
    ]
    options: dict[str, Any] = {"base_url": url, "streaming": False}
    if protocol == "openai":
        options = {"base_url": f"{url}/v1", "responses_api": False}
    model = get_model(
        f"{protocol}/scripted", config=GenerateConfig(max_connections=at_once, max_tokens=1000), **options
    )
    solver = [system_message(work["system"].replace("{", "(").replace("}", ")")), use_tools(calculate()), generate()]

    def evaluate(some: list[Sample], logs: str) -> None:
        task = Task(dataset=some, solver=solver, scorer=match())
        (log,) = eval(task, model=model, max_samples=at_once, log_dir=logs, display="none")
        assert log.status == "success", log.error and log.error.message

    with tempfile.TemporaryDirectory() as logs:
        evaluate(samples[:FIRST], logs)
        started, computed = time.perf_counter(), time.process_time()
        evaluate(samples, logs)
        return {"seconds": time.perf_counter() - started, "computed": time.process_time() - computed}


if __name__ == "__main__":
    main()
