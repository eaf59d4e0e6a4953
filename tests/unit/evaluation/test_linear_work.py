"""Work grows linearly with the size of a document: counted, not timed, so that results do not depend on the machine."""

import sys
import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from filed_tables import many_tables

from quaestor.conversation.turn import Memory
from quaestor.documents.document import Document
from quaestor.graph.builder import build_graph
from quaestor.ontology.builder import build_ontology
from quaestor.questions.question import read_question
from quaestor.readers.content import FileContent
from quaestor.readers.reading import read_file
from quaestor.retrieval.index import PlaceIndex
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.solver import EmbeddedSolver
from quaestor.solvers.registry import make_solver

FEW, MANY = 10, 20
MOST = 1.3
"""Highest allowed ratio of the work per number in a document of twice the size."""
QUESTION = "what is the change in net income from 2018 to 2019?"


def lines_of(work: Callable[[], object]) -> int:
    """Return how many lines of Python a call runs, counting every iteration of a loop."""
    lines = 0

    def traced(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal lines
        lines += 1
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines


def bytes_of(work: Callable[[], object]) -> int:
    """Return the peak memory of a call in bytes, including numpy arrays, whose work runs no lines of Python."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def costs(document: Document, solver: EmbeddedSolver) -> Mapping[str, float]:
    """Return the lines or bytes of each step, divided by the count of numbers in the document."""
    ontology = build_ontology([document])
    graph = build_graph(document, ontology)
    numbers = len(graph.observations) + len(graph.mentions)

    def turn() -> None:
        context = TurnContext(document, Memory(), graph, ontology, question=read_question(QUESTION))
        next(solver.answers(QUESTION, context))

    turn()  # builds what is cached for the document, which other steps measure
    found = {
        "ontology": lines_of(lambda: build_ontology([document])),
        "graph": lines_of(lambda: build_graph(document, ontology)),
        "turn": lines_of(turn),
        "bytes of the turn": bytes_of(turn),
    }
    return {step: cost / numbers for step, cost in found.items()}


@pytest.fixture(scope="module")
def ratios() -> Mapping[str, float]:
    """Return the ratio of the cost per number in many tables to that in few."""
    solver = make_solver("embedded", {})
    assert isinstance(solver, EmbeddedSolver)
    few, many = costs(many_tables(FEW), solver), costs(many_tables(MANY), solver)
    return {step: many[step] / few[step] for step in few}


@pytest.mark.slow
@pytest.mark.parametrize("step", ["ontology", "graph", "turn", "bytes of the turn"])
def test_cost_per_number_does_not_grow_with_the_document(ratios: Mapping[str, float], step: str) -> None:
    assert ratios[step] < MOST, ratios


SHAPES = {"square": (24, 24), "long": (150, 3), "wide": (6, 75)}
LABELS = {"different labels": "line {}", "equal labels": "sales"}


def a_file(rows: int, columns: int, label: str) -> FileContent:
    """Return a file of dollar amounts under headings that are not periods."""
    lines = [["item", *(f"column {column}" for column in range(1, columns))]]
    lines += [[label.format(row), *["$ 17"] * (columns - 1)] for row in range(1, rows)]
    return FileContent(Path("table.csv"), "\n".join(map(",".join, lines)).encode())


def costs_of_cells(rows: int, columns: int, label: str) -> Mapping[str, float]:
    """Return the lines that each step from a file to its graph runs, divided by the count of cells."""
    file = a_file(rows, columns, label)
    reading = read_file(file)
    assert reading is not None
    document = reading[1]
    assert [(len(table.rows), len(table.columns)) for table in document.tables] == [(rows, columns)]
    ontology = build_ontology([document])
    graph = build_graph(document, ontology)
    found = {
        "read": lines_of(lambda: read_file(file)),
        "ontology": lines_of(lambda: build_ontology([document])),
        "graph": lines_of(lambda: build_graph(document, ontology)),
        "triples": lines_of(graph.triples),
        "index": lines_of(lambda: PlaceIndex.of(document)),
    }
    return {step: cost / (rows * columns) for step, cost in found.items()}


@pytest.mark.slow
@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("shape", SHAPES)
def test_cost_per_cell_does_not_grow_with_the_table(shape: str, label: str) -> None:
    rows, columns = SHAPES[shape]
    few = costs_of_cells(rows, columns, LABELS[label])
    more = 2 if rows >= columns else 1, 2 if columns >= rows else 1
    many = costs_of_cells(rows * more[0], columns * more[1], LABELS[label])
    assert all(many[step] < MOST * few[step] for step in few), (few, many)
