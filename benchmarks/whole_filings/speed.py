"""Cost of a whole filing: reading and indexing it, a question, and both again from the cache.

`python -m benchmarks.whole_filings.speed FILE...` measures each file in a separate process and prints a table: CPU
seconds, and the peak memory of the process.
"""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from time import process_time

from rich.console import Console
from rich.table import Table

from benchmarks.figure import Figure
from benchmarks.whole_filings.answering import DATA
from benchmarks.workload import Workload

FILES = ("tsla-10-k-2025-01-30.html.gz", "mcdonalds-2022-10k.pdf")
"""About 2.5 MB of HTML, and a PDF of 76 pages."""
_ASKED = (
    "what were total revenues in 2024?",
    "what was net income in 2023?",
    "what was the change in total assets from 2023 to 2024?",
    "what was the effective tax rate in 2022?",
    "what percentage of total revenues was cost of revenues in 2022?",
)
_KIBI = 1 << 10


def measure(workload: Workload) -> Iterable[Figure]:
    """Yield the figures of the shared filings, if they exist; the workload is not used."""
    for name in FILES:
        path = DATA / name
        if path.exists():
            costs = costs_of(path)
            size = f"{costs['megabytes']:.1f} MB, {costs['blocks']:.0f} blocks; the process {costs['peak']:.0f} MB"
            yield Figure(f"{_kind(path)} filing read and indexed", f"{costs['read']:.2f} s", size)
            yield Figure(f"{_kind(path)} filing from the cache", f"{costs['again']:.2f} s", "read and index")
            yield Figure(f"question about a {_kind(path)} filing", f"{1000 * costs['question']:.0f} ms", "median of 5")


def costs_of(path: Path) -> dict[str, float]:
    """Return the costs of a file, measured in a separate process.

    Units: `read`, `again`, `ontology`, `question` in CPU seconds; `megabytes`, `peak` in MB.
    """
    command = [sys.executable, "-m", "benchmarks.whole_filings.speed", "--inside", str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def _inside(path: Path) -> dict[str, float]:
    """Measure in this process, after loading what is loaded once per process with a small file."""
    from quaestor.datasets.dataset import Conversation
    from quaestor.evaluation.context_selection import PlaceExcerpts
    from quaestor.evaluation.knowledge import GraphProvider
    from quaestor.evaluation.runner import answer_conversation
    from quaestor.readers.cache import FolderCache
    from quaestor.readers.content import read_content
    from quaestor.readers.reading import read_file
    from quaestor.retrieval.index import PlaceIndex, WordIndex
    from quaestor.settings import Settings
    from quaestor.solvers.registry import make_solver

    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.html"
        small.write_text("<html><body><h1>Sales</h1><table><tr><td>a</td><td>1</td></tr></table></body></html>")
        if path.suffix != ".pdf":
            read_file(read_content(small))
        cache = FolderCache(Path(folder) / "cache")
        at = process_time()
        read = read_file(read_content(path), cache)
        assert read is not None
        document = read[1]
        index = PlaceIndex.of(document)
        costs = {"read": process_time() - at}
        kept = index.words.to_bytes()
        costs["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIBI
        at = process_time()
        again = read_file(read_content(path), cache)
        assert again is not None
        WordIndex.load(kept)
        costs["again"] = process_time() - at
    at = process_time()
    knowledge = GraphProvider.of([document], "extend")
    costs["ontology"] = process_time() - at
    solver, excerpts = (
        make_solver("embedded", {"decline": True, "answers": "all"}),
        PlaceExcerpts.of_file(document, Settings().excerpt_tokens),
    )
    seconds = []
    # Warm-up: the first turn loads the weights.
    for question in (_ASKED[0], *_ASKED):
        at = process_time()
        asyncio.run(answer_conversation(Conversation("q", document, (question,)), solver, knowledge, excerpts=excerpts))
        seconds.append(process_time() - at)
    costs |= {"question": median(seconds[1:]), "slowest": max(seconds[1:])}
    costs |= {"megabytes": _size(path), "blocks": float(len(document.blocks))}
    return costs


def _size(path: Path) -> float:
    import gzip

    data = path.read_bytes()
    return len(gzip.decompress(data) if path.suffix == ".gz" else data) / 1e6


def _kind(path: Path) -> str:
    return "PDF" if path.suffix == ".pdf" else "HTML"


def main() -> None:
    """Parse the command line, measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.whole_filings.speed", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="by default two of the shared ones")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside is not None:
        print(json.dumps(_inside(options.inside)))
        return
    table = Table("file", "MB", "read and index s", "peak MB", "cached s", "ontology s", "question ms", "slowest ms")
    for path in options.files or [DATA / name for name in FILES]:
        costs = costs_of(path)
        table.add_row(
            path.name.split(".")[0],
            f"{costs['megabytes']:.1f}",
            f"{costs['read']:.2f}",
            f"{costs['peak']:.0f}",
            f"{costs['again']:.2f}",
            f"{costs['ontology']:.2f}",
            f"{1000 * costs['question']:.0f}",
            f"{1000 * costs['slowest']:.0f}",
        )
    Console(highlight=False, width=120).print(table)


if __name__ == "__main__":
    main()
