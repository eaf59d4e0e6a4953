"""Graphs are restored from triples, and omit tables that are too large."""

from dataclasses import replace

import pytest
from pages import page, sample_pages

from quaestor.core.serial import Triple
from quaestor.documents.assembly import TablePart, assemble
from quaestor.documents.document import Document
from quaestor.documents.repairs import WarningKind
from quaestor.errors import GraphError
from quaestor.graph.builder import build_graph
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.graph.writing import graph_from_triples
from quaestor.ontology.builder import build_ontology
from quaestor.ontology.terms import read_turtle

SAMPLE = build_ontology(sample_pages())
GRAPHS = [build_graph(document, SAMPLE) for document in sample_pages()]


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.document)
def test_a_graph_loads_back_equal(graph: KnowledgeGraph) -> None:
    assert graph_from_triples(graph.triples()) == graph
    loaded = graph_from_triples(read_turtle(graph.to_turtle(), "a graph")[0])
    assert loaded == graph
    assert loaded.digest == graph.digest


@pytest.mark.parametrize(
    "document",
    [
        page([["", "2008"], ['a "quoted" \\ label', "1"]], ['he said "five" \\n \t 5 shares'], name="strange id/é #1"),
        page([["", "2008"], ["minted", "-1 ( 1 )"], ["minted", "2"]], ["in 2007 and 2008-2009 , 3% ( 3 % ) ."]),
        page([], []),
    ],
    ids=["quotes", "minted", "empty"],
)
def test_strange_pages_load_back_equal(document: Document) -> None:
    graph = build_graph(document, build_ontology([]))
    assert graph_from_triples(read_turtle(graph.to_turtle(), "a graph")[0]) == graph


def test_incomplete_or_foreign_facts_are_refused() -> None:
    triples = GRAPHS[0].triples()
    with pytest.raises(GraphError):
        graph_from_triples(t for t in triples if t.p != "kg:value")
    with pytest.raises(GraphError, match="kg:x kg:y 3"):
        graph_from_triples((*triples, Triple("kg:x", "kg:y", "3")))
    with pytest.raises(GraphError):
        graph_from_triples(())
    with pytest.raises(GraphError, match="kg:value"):
        graph_from_triples((*triples, Triple("doc:obs_0_1_1_0", "kg:value", '"1"^^xsd:decimal')))


def test_triples_are_sorted_without_repetitions() -> None:
    triples = GRAPHS[0].triples()
    assert list(triples) == sorted(set(triples))


def test_the_digest_covers_every_triple() -> None:
    graph = GRAPHS[0]
    assert replace(graph, ontology="0" * 64).digest != graph.digest
    assert build_graph(sample_pages()[0], SAMPLE).digest == graph.digest


def test_too_large_table_is_omitted_from_the_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quaestor.documents.table.MOST_CELLS_ASKED", 20)
    large = [["", "2021", "2020"], *([f"ship {row}", f"{row}1", f"{row}2"] for row in range(7))]
    document = assemble("fleet", [TablePart(large), TablePart([["", "2021", "2020"], ["crews", "12", "11"]])])
    assert [(w.table, w.count) for w in document.warnings if w.kind is WarningKind.TOO_LARGE] == [(0, 24)]
    assert document.table(0).cells[7][2].text == "62"
    ontology = build_ontology([document])
    assert not any("ship" in label for item in ontology.properties for label in (item.label, *item.variants))
    graph = build_graph(document, ontology, "strict")
    assert {seen.source.table for seen in graph.observations} == {1}
    assert {line.table for line in graph.lines} == {1}
    assert [fact.index for fact in graph.tables] == [0, 1]
