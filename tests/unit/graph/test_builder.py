from decimal import Decimal

import pytest
from made_up import a_record
from pages import page, sample_pages

from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Scale
from quaestor.core.serial import Triple
from quaestor.datasets.convfinqa import read_conversation
from quaestor.errors import GapError, GraphError
from quaestor.graph.builder import build_graph
from quaestor.graph.facts import Observation
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.graph.writing import graph_from_triples
from quaestor.ontology.builder import build_ontology

SAMPLE = build_ontology(sample_pages())
CASH = [
    ["( in thousands )", "2008", "2009"],
    ["net cash from operating activities", "$ 181001", "206588"],
    ["margin", "11.4%", "-"],
]


def only(graph: KnowledgeGraph, instance: str, predicate: str) -> Observation:
    (found,) = (o for o in graph.observations if (o.instance, o.predicate) == (instance, predicate))
    return found


def test_an_observation_has_all_facts_of_the_table() -> None:
    document = page(CASH, ["statement of cash flows :"])
    found = only(
        build_graph(document, build_ontology([document])), "kg:CashFlow_2008", "kg:net_cash_from_operating_activities"
    )
    assert (found.quantity.value, found.quantity.text) == (Decimal(181001), "$ 181001")
    assert (found.scale, found.unit, found.period) == (Scale.THOUSAND, "USD", Period("year", 2008))
    assert found.source == CellRef(document.id, 0, 1, 1)
    assert found.label == "net cash from operating activities, 2008"


def objects(graph: KnowledgeGraph, subject: str, predicate: str) -> list[str]:
    return [triple.o for triple in graph.triples() if (triple.s, triple.p) == (subject, predicate)]


def test_triples_follow_the_documented_schema() -> None:
    document = page(CASH, ["statement of cash flows :"])
    graph = build_graph(document, build_ontology([document]))
    assert objects(graph, "kg:CashFlow_2008", "rdf:type") == ["kg:CashFlow"]
    assert objects(graph, "kg:CashFlow_2008", "kg:year") == ['"2008"']
    assert objects(graph, "kg:CashFlow_2008", "kg:net_cash_from_operating_activities") == ['"181001"^^xsd:decimal']
    (origin,) = objects(graph, "doc:obs_0_1_1_0", "prov:wasDerivedFrom")
    assert objects(graph, origin, "kg:row") == objects(graph, origin, "kg:column") == ["1"]


def test_a_long_label_keeps_its_years_in_the_name_of_its_instance() -> None:
    label = "awards outstanding under the long term incentive plan of 2003 and the plan of 2011"
    document = page([["", label, "the total"], ["awards", "5", "6"], ["shares", "5", "6"]])
    graph = build_graph(document, build_ontology([document]))
    assert {found.instance for found in graph.observations} == {
        "kg:FinancialTable_awards_outstanding_under_the_long_term_i_2003_2011", "kg:FinancialTable_the_total",
    }  # fmt: skip


def test_words_and_dashes_become_text() -> None:
    document = page([["", "2008", "2007"], ["gain", "nm", "$ 2014"], ["loss", "3", "4"]])
    graph = build_graph(document, build_ontology([document]))
    assert [(c.text, c.repair) for c in graph.text_cells] == [
        ("nm", None),
        ("$ 2014", "a dash printed as the year 2014"),
    ]


def test_a_dash_has_no_value_even_if_printed_as_a_year() -> None:
    grid = [["", "2012", "2011", "2010"], ["write-off", "$ 2014", "2014", "3"], ["gain", "-", "nm", "4"]]
    document = page(grid)
    graph = build_graph(document, build_ontology([document]))
    cells = {cell.text: cell for cell in graph.text_cells}
    assert {text: cell.empty for text, cell in cells.items()} == {"$ 2014": True, "2014": True, "-": True, "nm": False}
    rows = graph.select("SELECT ?i ?v { ?i kg:write_off ?v }")
    assert [str(row["v"]) for row in rows] == ["3"]
    assert sorted(str(row["v"]) for row in graph.select("SELECT ?v { ?i kg:gain ?v }")) == ["4", "nm"]
    marked = graph.select("SELECT ?i { ?c kg:empty true ; kg:property kg:write_off ; kg:instance ?i } ORDER BY ?i")
    assert [row["i"] for row in marked] == [cells["2014"].instance, cells["$ 2014"].instance]
    assert graph_from_triples(graph.triples()) == graph
    assert not [number for number in graph.labels if number.label in ("$ 2014", "2014")]


def test_graph_without_marks_of_empty_cells_can_be_read() -> None:
    document = page([["", "2012"], ["write-off", "2014"], ["sales", "3"]])
    graph = build_graph(document, build_ontology([document]))
    (cell,) = graph.text_cells
    triples = {triple for triple in graph.triples() if triple.p != "kg:empty"}
    earlier = graph_from_triples({*triples, Triple(cell.instance, cell.predicate, '"2014"')})
    assert [(c.text, c.repair, c.empty) for c in earlier.text_cells] == [("2014", cell.repair, False)]


def test_strict_lists_every_gap_with_the_nearest_properties() -> None:
    ontology = build_ontology([page([["", "2008"], ["net sales", "3"], ["goodwill", "2"]])])
    document = page([["", "2008"], ["net sale", "3"], ["good wills", "1"], ["badwill", "1"], ["moss", "2"]], name="X/1")
    with pytest.raises(GapError) as caught:
        build_graph(document, ontology, "strict")
    assert caught.value.document == "X/1"
    assert len(caught.value.gaps) == 3
    assert all(word in caught.value.gaps[1] for word in ("0", "3", "'badwill'", "kg:goodwill"))


def test_extend_policy_mints_and_marks_properties() -> None:
    ontology = build_ontology([page([["", "2008"], ["net sales", "3"]])])
    graph = build_graph(page([["", "2008"], ["net sale", "3"], ["badwill", "1"]]), ontology)
    assert [(line.predicate, line.minted) for line in graph.lines] == [("kg:net_sales", False), ("doc:badwill", True)]
    assert [line.label for line in graph.minted] == ["badwill"]
    assert objects(graph, "doc:badwill", "kg:minted") == ['"true"^^xsd:boolean']
    assert graph.statistics()["minted"] == 1


def test_two_lines_never_share_a_property_by_resemblance() -> None:
    ontology = build_ontology([page([["", "2008"], ["levy", "3"]])])
    graph = build_graph(page([["", "2008"], ["total levy", "3"], ["levies", "1"], ["levy", "2"]]), ontology)
    assert [line.predicate for line in graph.lines] == ["doc:total_levy", "doc:levies", "kg:levy"]


def test_minted_names_do_not_collide() -> None:
    graph = build_graph(page([["", "2008"], ["cash / debt", "3"], ["cash $ debt", "1"]]), build_ontology([]))
    assert [line.predicate for line in graph.lines] == ["doc:cash_debt", "doc:cash_debt_2"]


def test_an_unknown_policy_is_an_error() -> None:
    with pytest.raises(GraphError, match="lax"):
        build_graph(sample_pages()[0], SAMPLE, "lax")  # type: ignore[arg-type]


def test_numbers_in_labels_and_years_are_in_the_graph() -> None:
    document = page([["", "2008", "high $ 60.15"], ["5.5% notes due 2014", "1", "2"]], ["rates rose in fiscal 2006 ."])
    graph = build_graph(document, build_ontology([document]))
    found = {(str(n.quantity.value), n.year) for n in graph.labels}
    assert {("2008", True), ("2014", True), ("2006", True), ("5.5", False)} <= found


def test_neither_questions_nor_answers_reach_ontology_or_graph() -> None:
    record = a_record(questions=["what about qqzz?"] * 3, programs=["987654"] * 3, answers=[987654.0] * 3)
    document = read_conversation(record, "a test").document
    ontology = build_ontology([document])
    written = ontology.to_turtle() + build_graph(document, ontology).to_turtle()
    assert "206588" in written
    assert "qqzz" not in written
    assert "987654" not in written
    assert "Single_" not in written


def test_bonds_that_differ_in_their_years_share_a_property_and_other_lines_do_not() -> None:
    grid = [["", "2012"], ["4.5% debentures due 2020", "3"], ["6% debentures due 2031", "4"], ["dyed wool", "7"]]
    bonds = build_graph(page(grid), SAMPLE)
    assert [line.predicate for line in bonds.lines] == ["kg:debentures", "kg:debentures", "doc:dyed_wool"]
    twice = build_graph(page([["", "2012"], ["cost of goods sold", "3"], ["cost of products sold", "4"]]), SAMPLE)
    assert [line.predicate for line in twice.lines] == ["kg:cost_of_sales", "doc:cost_of_products_sold"]


def test_a_line_that_no_property_fits_is_still_a_gap() -> None:
    with pytest.raises(GapError, match="quill rangers"):
        build_graph(page([["", "2012"], ["quill rangers", "3"]]), SAMPLE, "strict")
