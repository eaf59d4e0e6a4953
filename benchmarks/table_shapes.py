"""Cost per cell in tables of growing sizes, from the file to the graph: `python -m benchmarks.table_shapes`.

Each table is a CSV file of generated numbers. Prints CPU microseconds per cell: a step with linear cost levels off.
`--shapes 50x50 100x100` measures other sizes.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from quaestor.graph.builder import build_graph
from quaestor.ontology.builder import build_ontology
from quaestor.readers.content import FileContent
from quaestor.readers.reading import read_file
from quaestor.retrieval.index import PlaceIndex

SHAPES = ("50x50", "100x100", "200x200", "35x541", "5000x2", "10000x2", "20x1000")
STEPS = ("read", "ontology", "graph", "triples", "index")

T = TypeVar("T")


def measure(rows: int, columns: int) -> dict[str, float]:
    """Return the CPU seconds of each step for a table of a shape."""
    lines = [["", *(f"column {column}" for column in range(1, columns))]]
    lines += [[f"line {row}", *(str(row * column % 9_973) for column in range(1, columns))] for row in range(1, rows)]
    file = FileContent(Path("table.csv"), "\n".join(map(",".join, lines)).encode())
    measured = dict.fromkeys(STEPS, 0.0)

    def step(name: str, work: Callable[[], T]) -> T:
        begun = time.process_time()
        result = work()
        measured[name] = time.process_time() - begun
        return result

    reading = step("read", lambda: read_file(file))
    assert reading is not None
    document = reading[1]
    ontology = step("ontology", lambda: build_ontology([document]))
    graph = step("graph", lambda: build_graph(document, ontology))
    step("triples", graph.triples)
    step("index", lambda: PlaceIndex.of(document))
    return measured


def main() -> None:
    """Print a line for each shape."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shapes", nargs="+", default=SHAPES, metavar="ROWSxCOLUMNS")
    measure(3, 3)  # load what is loaded once per process
    print(f"{'shape':>10} {'cells':>8} " + " ".join(f"{step:>9}" for step in STEPS) + "   microseconds a cell")
    for shape in parser.parse_args().shapes:
        rows, columns = map(int, shape.split("x"))
        found = measure(rows, columns)
        costs = (f"{1e6 * found[step] / (rows * columns):9.1f}" for step in STEPS)
        print(f"{shape:>10} {rows * columns:8,} " + " ".join(costs), flush=True)


if __name__ == "__main__":
    main()
