import pytest

from quaestor.application.graph_network import MOST, GraphNetwork
from quaestor.core.serial import Triple
from quaestor.errors import GraphError

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
        ("kg:CashFlow_2008", "stands in", "doc:table_0")
    ]
    assert (start.hidden, start.count) == (0, 3)


def test_a_thing_has_its_facts_and_all_that_it_leads_to() -> None:
    around = NETWORK.around("kg:CashFlow_2008")
    assert around.focus is not None
    assert around.focus.facts == (("net income", "12.5"),)
    assert [node.id for node in around.nodes] == ["kg:CashFlow_2008", "doc:table_0", "doc:obs_0"]
    assert {(edge.source, edge.target) for edge in around.edges} == {
        ("kg:CashFlow_2008", "doc:table_0"),
        ("doc:obs_0", "kg:CashFlow_2008"),
    }
    assert NETWORK.around("doc:obs_0").nodes[0].label == '$ 12.5 net "income"'


def test_of_many_neighbours_some_are_shown_and_the_others_counted() -> None:
    many = [Triple(f"doc:obs_{n}", "kg:instance", "kg:CashFlow_2008") for n in range(MOST + 7)]
    around = GraphNetwork([*FLOW, *many]).around("kg:CashFlow_2008")
    assert (len(around.nodes), len(around.edges), around.hidden) == (MOST + 1, MOST, 7)


def test_without_a_table_a_walk_begins_at_the_text() -> None:
    text = [
        Triple("doc:s_0", "rdf:type", "kg:Sentence"),
        Triple("doc:s_0", "kg:text", '"a sentence\\nof more words than any label would ever have room to show"'),
    ]
    (node,) = GraphNetwork(text).start().nodes
    assert node.label == "a sentence of more words than any label would e…"


def test_what_is_not_there_is_said() -> None:
    with pytest.raises(GraphError):
        NETWORK.around("doc:nosuch")
    assert GraphNetwork([]).start().nodes == ()
