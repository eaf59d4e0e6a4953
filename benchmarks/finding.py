"""Cost of retrieval: building, storing and loading the index of a long document, and searching it.

`python -m benchmarks.finding FILE ...` prints a line for each file; without files, and in `make bench`, it measures a
generated document of 80 tables. Times are CPU times, independent of other load.
"""

import sys
import tracemalloc
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median
from time import process_time

from rich.console import Console
from rich.table import Table as Grid

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from filed_tables import many_tables

from benchmarks.figure import Figure
from benchmarks.workload import Workload
from quaestor.core.caching import clear_caches
from quaestor.datasets.formats import read_document
from quaestor.documents.document import Document
from quaestor.questions.question import read_question
from quaestor.retrieval.finding import find_places
from quaestor.retrieval.index import PlaceIndex, WordIndex

_TABLES = 80
_ROWS = 120
_MEBI = 1 << 20


def measure(workload: Workload) -> Iterable[Figure]:
    """Yield the figures of the generated document; the workload is not used."""
    costs = _costs(many_tables(_TABLES))
    of = f"{_TABLES} made-up tables, {costs['lines']:.0f} lines"
    yield Figure("index of places, built", f"{costs['built']:.2f} s", of)
    yield Figure(
        "index of places, loaded", f"{1000 * costs['loaded']:.1f} ms", f"{costs['bytes'] / _MEBI:.1f} MiB kept"
    )
    yield Figure(
        "places found", f"{1000 * costs['asked']:.1f} ms", f"median question; slowest {1000 * costs['slowest']:.0f} ms"
    )


def _costs(document: Document) -> dict[str, float]:
    """Return seconds by step, the number of lines, the stored bytes, and the peak MiB of building."""
    PlaceIndex.of(many_tables(1))  # load what is loaded once per process
    clear_caches()
    at = process_time()
    index = PlaceIndex.of(document)
    costs = {"built": process_time() - at, "lines": float(index.words.lines)}
    data = index.words.to_bytes()
    at = process_time()
    index = PlaceIndex(document, WordIndex.load(data))
    costs |= {"loaded": process_time() - at, "bytes": float(len(data))}
    seconds = []
    for question in _questions(document):
        at = process_time()
        find_places(index, read_question(question))
        seconds.append(process_time() - at)
    tracemalloc.start()
    PlaceIndex.of(document)
    costs["MiB"] = tracemalloc.get_traced_memory()[1] / _MEBI
    tracemalloc.stop()
    return costs | {"asked": median(seconds), "slowest": max(seconds)}


def _questions(document: Document) -> Sequence[str]:
    """Return a question for each of some rows, spread over the document."""
    questions = [
        f"what was {row.label.casefold()} in {column.period.year}?"
        for table in document.tables
        for row in table.rows[table.header_rows :]
        for column in table.columns[1:2]
        if row.label and column.period is not None
    ]
    return questions[:: max(1, len(questions) // _ROWS)] or ["what was net income in 2019?"]


def _documents(paths: Sequence[str]) -> Iterator[Document]:
    yield from (read_document(path) for path in paths)
    if not paths:
        yield many_tables(_TABLES)


def main() -> None:
    """Print a line for each file."""
    grid = Grid("document", "blocks", "lines", "built s", "MiB", "kept MiB", "loaded ms", "question ms", "slowest ms")
    for document in _documents(sys.argv[1:]):
        costs = _costs(document)
        figures = (costs["built"], costs["MiB"], costs["bytes"] / _MEBI)
        times = (1000 * costs[name] for name in ("loaded", "asked", "slowest"))
        shown = (*(f"{value:.2f}" for value in figures), *(f"{value:.1f}" for value in times))
        grid.add_row(document.id, str(len(document.blocks)), f"{costs['lines']:.0f}", *shown)
    Console(width=140).print(grid)


if __name__ == "__main__":
    main()
