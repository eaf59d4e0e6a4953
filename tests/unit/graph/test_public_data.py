"""Graphs of the public data are complete, correct, and contain the numbers of the reference programs."""

from collections import Counter
from decimal import Decimal
from functools import lru_cache
from pathlib import Path

import pytest
from pages import public_pages

from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.graph.builder import build_graph
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.ontology.builder import build_ontology
from quaestor.plan.program import parse_program
from quaestor.plan.steps import Compute, Constant
from quaestor.scoring.gold import read_gold

pytestmark = pytest.mark.slow

TUNE = "convfinqa_tune.json"


@lru_cache(maxsize=2)
def graphs(path: Path) -> dict[str, tuple[Document, KnowledgeGraph]]:
    documents = public_pages(path)
    ontology = build_ontology(documents)
    return {d.id: (d, build_graph(d, ontology, "strict")) for d in documents}


def test_strict_builds_every_page_from_the_ontology_of_all(shared_data: Path) -> None:
    found = graphs(shared_data / TUNE)
    assert not any(graph.minted for _, graph in found.values())


def test_graph_has_every_number_of_every_table(shared_data: Path) -> None:
    count = 0
    for document, graph in graphs(shared_data / TUNE).values():
        observations = {(o.source, o.order): o for o in graph.observations}
        for table in document.tables:
            for cell in table.body():
                for order, quantity in enumerate(cell.quantities):
                    observation = observations.pop((cell.ref, order))
                    row, column = cell.ref.row, cell.ref.column
                    assert observation.quantity == quantity
                    assert observation.label_scale == table.scale_at(row, column)
                    assert observation.label_unit == table.unit_at(row, column)
                    assert observation.period == table.period_at(row, column)
                    assert document.cell(observation.source) is cell
                    count += 1
        assert not observations
    assert count > 1700


def test_graph_has_every_number_of_every_text(shared_data: Path) -> None:
    count = 0
    for document, graph in graphs(shared_data / TUNE).values():
        printed = [mention for sentence in document.sentences for mention in sentence.mentions]
        assert [(m.quantity, m.source) for m in graph.mentions] == [(m.quantity, m.ref) for m in printed]
        assert [s.text for s in graph.sentences] == [s.text for s in document.sentences]
        count += len(printed)
    assert count > 1500


def operands(path: Path) -> list[tuple[str, int, str, Decimal]]:
    """Return each number of the reference programs that is not a constant: conversation, turn, text and value."""
    return [
        (name, turn, operand.text, operand.value)
        for name, turns in read_gold(path).items()
        for turn, gold in enumerate(turns)
        for step in parse_program(gold.program).steps
        if isinstance(step, Compute)
        for operand in step.operands
        if isinstance(operand, Constant) and not operand.text.startswith("const_")
    ]


@pytest.mark.parametrize("name", [TUNE, "convfinqa_train100.json", "convfinqa_train50.json"])
def test_the_graph_holds_the_operands_of_the_reference_programs(shared_data: Path, name: str) -> None:
    path = shared_data / name
    pages = {c.id: c.document.id for c in read_dataset(path).conversations}
    kinds: Counter[str] = Counter()
    missing = []
    for conversation, turn, text, value in operands(path):
        graph = graphs(path)[pages[conversation]][1]
        kind = container_of(graph, value)
        kinds[kind] += 1
        if kind == "missing":
            missing.append(f"{conversation}, turn {turn}: {text}")
    assert kinds["missing"] <= 0.01 * kinds.total()


def container_of(graph: KnowledgeGraph, value: Decimal) -> str:
    """Return what contains a value, ignoring its sign and whether it is a percentage or a fraction."""
    wanted = {value, -value, 100 * value, -100 * value}
    for kind, numbers in (("observation", graph.observations), ("mention", graph.mentions), ("label", graph.labels)):
        if any(number.quantity.value in wanted for number in numbers):
            return kind
    return "missing"
