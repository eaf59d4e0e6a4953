"""A table of more cells than are asked: the document has it and warns of it, the graph has none of its numbers."""

import pytest

from quaestor.documents.assembly import TablePart, assemble
from quaestor.documents.repairs import WarningKind
from quaestor.graph.builder import build_graph
from quaestor.ontology.builder import build_ontology


def test_a_table_that_is_too_large_is_in_the_document_and_not_in_the_graph(monkeypatch: pytest.MonkeyPatch) -> None:
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
