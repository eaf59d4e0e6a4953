import pytest
from pages import page, sample_pages

from quaestor.errors import OntologyError
from quaestor.ontology.builder import build_ontology
from quaestor.ontology.ontology import MovedLabel, Ontology, diff_ontologies
from quaestor.ontology.turtle import ontology_from_triples, ontology_from_turtle


def revenues() -> Ontology:
    labels = ("total revenues", "revenue , net", "revenues ( 1 )")
    return build_ontology([page([["", "2008"], [label, "3"]], name=label[-3:]) for label in labels])


def test_variants_of_a_property_have_reasons() -> None:
    ontology = revenues()
    assert ontology.match("total revenues") is not None
    found = ontology.explain("total revenues", "revenue, net")
    assert found.same
    assert {step.rule for step in found.steps} <= {"plural", "qualifier", "same words"}
    assert found.steps
    assert "total" in found.reason
    assert ontology.explain("revenues ( 1 )", "total revenue").same


def test_reasons_for_not_matching() -> None:
    ontology = build_ontology(
        [page([["", "2008"], ["bank debt", "3"], ["total bank debt", "4"], ["cash", "1"]], name="A/1")]
    )
    assert "A/1" in ontology.explain("bank debt", "total bank debt").reason
    assert not ontology.explain("bank debt", "total bank debt").same
    assert not ontology.explain("bank debt", "cash").same
    assert "'moss'" in ontology.explain("bank debt", "moss").reason
    assert ontology.explain("bank debt", "Bank Debt").same


def test_unknown_names_are_errors_that_name_the_nearest() -> None:
    ontology = build_ontology(sample_pages())
    with pytest.raises(OntologyError, match="kg:StockOption"):
        ontology.class_named("StockOptions")
    with pytest.raises(OntologyError, match="kg:exercise_price"):
        ontology.property_named("exercise_prices")


def test_turtle_round_trip() -> None:
    ontology = build_ontology(sample_pages())
    assert ontology_from_turtle(ontology.to_turtle()) == ontology
    assert ontology_from_triples(ontology.triples).digest == ontology.digest


def test_incomplete_or_extra_triples_are_an_error() -> None:
    ontology = revenues()
    with pytest.raises(OntologyError, match="kg:x kg:y 3"):
        ontology_from_turtle(ontology.to_turtle() + "kg:x kg:y 3 .")
    with pytest.raises(OntologyError):
        ontology_from_triples(())
    with pytest.raises(OntologyError):
        ontology_from_triples(t for t in ontology.triples if t.p != "rdfs:range")


def test_statistics_count_classes_and_properties() -> None:
    found = revenues().statistics()
    assert (found["properties"], found["labels"], found["merged labels"], found["documents"]) == (2, 4, 2, 3)


def test_difference_of_two_ontologies() -> None:
    before = build_ontology([page([["", "2008"], ["bank debt", "3"], ["cash", "2"]], name="A")])
    after = build_ontology(
        [
            page([["", "2008"], ["bank debts", "3"]], name="A"),
            page([["", "2008"], ["bank debts", "3"], ["bank debt", "2"]], name="B"),
        ]
    )
    found = diff_ontologies(before, after)
    assert (found.properties_added, found.properties_removed) == (("kg:bank_debts",), ("kg:cash",))
    assert (found.labels_added, found.labels_removed) == (("bank debts",), ("cash",))
    assert diff_ontologies(before, before).empty
    assert not found.empty


def test_diff_reports_a_moved_label() -> None:
    first = build_ontology(
        [page([["", "2008"], ["bank debt", "3"]], name="A"), page([["", "2009"], ["bank debts", "3"]], name="B")]
    )
    second = build_ontology([page([["", "2008"], ["bank debt", "3"], ["bank debts", "3"]], name="A")])
    assert diff_ontologies(first, second).labels_moved == (MovedLabel("bank debts", "kg:bank_debt", "kg:bank_debts"),)


def test_a_line_of_the_core_is_a_property_of_every_ontology() -> None:
    ontology = revenues()
    found = ontology.match_line("cost of products sold")
    assert found is not None
    assert ontology.property_named(found.property).label == "cost of sales"
    assert ontology.property_named("expense_of_a_kind").documents == ()
    assert found.property not in {p.name for p in ontology.properties}
    assert ontology.explain("cost of goods sold", "cost of products sold").same


def test_learned_label_has_priority_over_the_core() -> None:
    ontology = build_ontology([page([["", "2008"], ["cost of sales", "3"], ["cost of goods sold", "4"]])])
    found = [ontology.match_line(label) for label in ("cost of goods sold", "cost of sales", "cost of products sold")]
    names = [match.property for match in found if match is not None]
    assert names == ["kg:cost_of_goods_sold", "kg:cost_of_sales", "kg:cost_of_sales"]
