"""Cost of additional tables: a generated document is read, built into a graph and asked four questions.

Run with `python benchmarks/many_tables.py [TABLES ...]` (by default 1, 10, 20, 40 and 80). Each size is measured in a
separate process by CPU time, independent of other load. Costs that are linear in the numbers have a constant number of
seconds per thousand numbers.
"""

import asyncio
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from filed_tables import many_tables

from quaestor.conversation.references.resolving import resolve
from quaestor.conversation.turn import Memory
from quaestor.documents.document import Document
from quaestor.evaluation.runner import run_turn
from quaestor.graph.builder import build_graph
from quaestor.ontology.builder import build_ontology
from quaestor.questions.question import read_question
from quaestor.solvers.base import TurnContext
from quaestor.solvers.registry import make_solver

SIZES = (1, 10, 20, 40, 80)

QUESTIONS = (
    "what was the net income in 2019?",
    "and in 2018?",
    "what is the change between these years?",
    "what percentage of the 2018 value does this represent?",
)


def measure(tables: int) -> dict[str, float]:
    """Return the costs of a document with a number of tables: CPU seconds by step, and the peak MiB."""
    measured: dict[str, float] = {"tables": tables}
    document = many_tables(tables)
    # Load what is loaded once per process.
    small = many_tables(1, seed=1)
    asyncio.run(_ask(small, {}))
    before = _peak()
    at = time.process_time()
    ontology = build_ontology([document])
    measured["ontology"] = time.process_time() - at
    at = time.process_time()
    graph = build_graph(document, ontology)
    measured["graph"] = time.process_time() - at
    at = time.process_time()
    measured["statements"] = len(graph.triples())
    measured["triples"] = time.process_time() - at
    measured["numbers"] = len(graph.observations) + len(graph.mentions)
    asyncio.run(_ask(document, measured))
    measured["MiB before"], measured["MiB"] = before, _peak()
    return measured


async def _ask(document: Document, measured: dict[str, float]) -> None:
    solver, memory = make_solver("embedded", {}), Memory()
    ontology = build_ontology([document])
    graph = build_graph(document, ontology)
    for number, question in enumerate(QUESTIONS, start=1):
        at = time.process_time()
        context = TurnContext(document, memory, graph, ontology, references=resolve(read_question(question), memory))
        memory = memory.add(await run_turn(question, context, solver))
        measured[f"turn {number}"] = time.process_time() - at
    if errors := [turn.error for turn in memory.turns if turn.error]:
        raise SystemExit(f"a turn has no answer: {errors[0]}")


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Measure each size in a separate process and print a line for each."""
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(int(sys.argv[2]))))
        return
    steps = ("ontology", "graph", "triples", "turn 1", "turn 2", "turn 3", "turn 4")
    print("tables numbers triples " + " ".join(f"{step:>9}" for step in (*steps, "4 turns", "peak MiB", "s/1000 nr")))
    for size in map(int, sys.argv[1:] or SIZES):
        out = subprocess.run([sys.executable, __file__, "--one", str(size)], check=True, capture_output=True).stdout
        found = json.loads(out)
        turns = sum(found[f"turn {n}"] for n in range(1, 5))
        whole = found["ontology"] + found["graph"] + found["triples"] + turns
        cells = (*(found[step] for step in steps), turns)
        print(
            f"{size:6} {found['numbers']:7} {found['statements']:7} "
            + " ".join(f"{cell:8.3f}s" for cell in cells)
            + f" {found['MiB']:9.0f} {1000 * whole / found['numbers']:9.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
