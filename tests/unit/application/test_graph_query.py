"""The graph of a document: queries, lists of numbers, and walks over its nodes."""

import asyncio
from pathlib import Path

import pytest
from toolboxes import OPTIONS, sample_knowledge, sample_pages
from web import asking

from quaestor.application.graph_network import MOST, GraphNetwork
from quaestor.application.graph_query import DocumentFact, document_facts, query_graph, value_object
from quaestor.application.resolve import read_page
from quaestor.core.provenance import CellRef
from quaestor.core.serial import Triple
from quaestor.errors import GraphError
from quaestor.store.listing import ListPage, ListPart

GRAPH = sample_knowledge().graph(sample_pages()[OPTIONS])


def test_rows_have_the_sources_of_their_numbers() -> None:
    found = query_graph(GRAPH, "SELECT ?o ?v WHERE { ?o kg:value ?v ; kg:rowLabel ?r . FILTER(?v = 48.65) }")
    assert (found.form, found.columns) == ("SELECT", ("o", "v"))
    ((node, value),) = found.rows
    assert value_object(value) == "48.65"
    assert found.places is not None
    place = found.places[str(node)]
    assert isinstance(place, CellRef)
    assert sample_pages()[OPTIONS].cell(place).text == "$ 48.65"


def test_numbers_of_tables_come_before_those_of_the_text(tmp_path: Path) -> None:
    page = read_page("sample#NORD/2012/page_41.pdf")

    def facts(text: str, part: ListPart) -> ListPage[DocumentFact]:
        return asyncio.run(document_facts(page, asking(tmp_path).settings, None, text, part))

    all = facts("", ListPart(0, 500))
    assert all.total == len(all.items) > 10
    kinds = [item.source.kind for item in all.items]
    assert kinds == sorted(kinds)
    found = facts("  POWER   cables ", ListPart(0, 1))
    (first,) = found.items
    assert found.total == 3
    assert (first.label, first.value, first.scale, first.unit) == ("power cables, 2012", "642.3", "million", "USD")
    assert facts("no such line", ListPart()).items == ()


TABLE = [
    Triple("doc:table_0", "rdf:type", "kg:Table"),
    Triple("doc:table_0", "kg:index", "0"),
    Triple("doc:table_0", "kg:class", "kg:CashFlow"),
]
FLOW = [
    Triple("kg:CashFlow_2008", "rdf:type", "kg:CashFlow"),
    Triple("kg:CashFlow_2008", "kg:net_income", '"12.5"^^xsd:decimal'),
    Triple("kg:CashFlow_2008", "prov:wasDerivedFrom", "doc:table_0"),
]
NUMBER = [
    Triple("doc:obs_0", "rdf:type", "kg:Observation"),
    Triple("doc:obs_0", "kg:printedText", '"$ 12.5"'),
    Triple("doc:obs_0", "kg:rowLabel", '"net \\"income\\""'),
    Triple("doc:obs_0", "kg:instance", "kg:CashFlow_2008"),
]
NETWORK = GraphNetwork([*TABLE, *FLOW, *NUMBER])


def test_a_walk_begins_at_the_tables() -> None:
    start = NETWORK.start()
    assert start.focus is None
    assert [(node.label, node.kind) for node in start.nodes] == [
        ("table 0: CashFlow", "Table"),
        ("CashFlow 2008", "CashFlow"),
    ]
    assert [(edge.source, edge.label, edge.target) for edge in start.edges] == [
        ("kg:CashFlow_2008", "found in", "doc:table_0")
    ]
    assert (start.hidden, start.count) == (0, 3)


def test_entity_has_its_facts_and_linked_entities() -> None:
    around = NETWORK.neighbourhood("kg:CashFlow_2008")
    assert around.focus is not None
    assert around.focus.facts == (("net income", "12.5"),)
    assert [node.id for node in around.nodes] == ["kg:CashFlow_2008", "doc:table_0", "doc:obs_0"]
    assert {(edge.source, edge.target) for edge in around.edges} == {
        ("kg:CashFlow_2008", "doc:table_0"),
        ("doc:obs_0", "kg:CashFlow_2008"),
    }
    assert NETWORK.neighbourhood("doc:obs_0").nodes[0].label == '$ 12.5 net "income"'


def test_excess_neighbours_are_counted_but_not_shown() -> None:
    many = [Triple(f"doc:obs_{n}", "kg:instance", "kg:CashFlow_2008") for n in range(MOST + 7)]
    around = GraphNetwork([*FLOW, *many]).neighbourhood("kg:CashFlow_2008")
    assert (len(around.nodes), len(around.edges), around.hidden) == (MOST + 1, MOST, 7)


def test_without_a_table_a_walk_begins_at_the_text() -> None:
    text = [
        Triple("doc:s_0", "rdf:type", "kg:Sentence"),
        Triple("doc:s_0", "kg:text", '"a sentence\\nof more words than any label would ever have room to show"'),
    ]
    (node,) = GraphNetwork(text).start().nodes
    assert node.label == "a sentence of more words than any label would e…"


def test_missing_entity_is_reported() -> None:
    with pytest.raises(GraphError):
        NETWORK.neighbourhood("doc:nosuch")
    assert GraphNetwork([]).start().nodes == ()
