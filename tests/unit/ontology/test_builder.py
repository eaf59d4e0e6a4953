import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import page, sample_pages

from quaestor.documents.document import Document
from quaestor.errors import OntologyError
from quaestor.ontology import builder as builder_module
from quaestor.ontology.builder import OntologyBuilder, build_ontology

SAMPLE = build_ontology(sample_pages())


@pytest.mark.slow
@settings(max_examples=10)
@given(st.permutations(sample_pages()))
def test_order_of_documents_does_not_change_the_ontology(documents: list[Document]) -> None:
    assert build_ontology(documents).to_turtle() == SAMPLE.to_turtle()


def test_spooling_to_a_file_does_not_change_the_ontology(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder_module, "_IN_MEMORY", 1)
    assert build_ontology(sample_pages()).to_turtle() == SAMPLE.to_turtle()


def test_frozen_ontology_cannot_be_extended() -> None:
    builder = OntologyBuilder()
    builder.add(sample_pages()[0])
    frozen = builder.freeze()
    with pytest.raises(OntologyError):
        builder.add(sample_pages()[1])
    assert builder.freeze() is frozen


def test_properties_have_domain_range_counts_and_places() -> None:
    ontology = build_ontology(
        [
            page([["", "2008"], ["total revenues", "3"]], ["net sales and revenue ."], name="A"),
            page([["", "2009"], ["revenue", "4"], ["opinion", "clean"]], ["net sales and revenue ."], name="B"),
        ]
    )
    revenue = ontology.property_named("revenue")
    assert (revenue.label, revenue.variants) == ("revenue", ("total revenues",))
    assert (revenue.domain, revenue.range, revenue.lines, revenue.documents) == (
        "kg:Revenue",
        "xsd:decimal",
        2,
        ("A", "B"),
    )
    assert ontology.property_named("kg:opinion").range == "xsd:string"


def test_years_have_their_own_range() -> None:
    grid = [["name", "year opened", "size"], ["one", "2001", "5%"], ["two", "2002", "7%"]]
    assert build_ontology([page(grid)]).property_named("year_opened").range == "xsd:gYear"


def test_a_property_of_several_classes_has_the_root_as_domain() -> None:
    grid = [["", "2008"], ["other", "3"]]
    ontology = build_ontology([page(grid, ["pension ."], name="A"), page(grid, ["operating leases ."], name="B")])
    other = ontology.property_named("other")
    assert other.classes == ("kg:Lease", "kg:PensionPlan")
    assert other.domain == "kg:FinancialTable"


def test_a_topic_of_several_documents_becomes_a_class() -> None:
    sentences = ["the following table summarizes our target widget allocation as of june 30 :"]
    documents = [page([["", "2008"], [f"row {name}", "3"]], sentences, name=name) for name in "AB"]
    found = build_ontology(documents).class_named("TargetWidgetAllocation")
    assert (found.core, found.documents) == (False, ("A", "B"))
    with pytest.raises(OntologyError):
        build_ontology(documents[:1]).class_named("TargetWidgetAllocation")


def test_colliding_names_are_numbered() -> None:
    names = {
        p.name for p in build_ontology([page([["", "2008"], ["cash / debt", "3"], ["cash $ debt", "1"]])]).properties
    }
    assert names == {"kg:amount", "kg:cash_debt", "kg:cash_debt_2"}


def test_phrases_of_several_documents_are_properties() -> None:
    text = ["our moss harvest was $ 5 million in 2008 ."]
    both = [page([["", "2008"], ["cash", "3"]], text, name=name) for name in "AB"]
    found = build_ontology(both).property_named("moss_harvest")
    assert (found.lines, found.mentions, found.documents) == (0, 2, ("A", "B"))
    with pytest.raises(OntologyError):
        build_ontology(both[:1]).property_named("moss_harvest")


def test_ontology_without_documents_is_the_core() -> None:
    ontology = build_ontology([])
    assert all(c.core for c in ontology.classes)
    assert [p.name for p in ontology.properties] == ["kg:amount"]
