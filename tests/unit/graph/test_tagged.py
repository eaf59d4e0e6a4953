"""Tags of numbers in tables are part of the graph of a filing."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

from quaestor.core.periods import Period
from quaestor.documents.assembly import TablePart, assemble
from quaestor.documents.document import Document
from quaestor.documents.facts import Fact
from quaestor.graph.builder import build_graph
from quaestor.graph.facts import Observation
from quaestor.graph.writing import graph_from_triples
from quaestor.ontology.builder import build_ontology
from quaestor.ontology.turtle import ontology_from_turtle

PAID = Fact(
    "us-gaap:PaymentsForPlants",
    Decimal(9_447_000_000),
    "USD",
    date(2023, 10, 1),
    date(2024, 9, 28),
    scale=6,
    year=2024,
    quarter=4,
)
GRID = [["( in millions )", "2024", "later"], ["payments for plants", "(9,447)", "(10)"]]


def filing(*facts: tuple[int, int, Fact]) -> Document:
    return assemble("NORD/2024", [TablePart(GRID, facts=facts)])


def observed(document: Document) -> tuple[Observation, ...]:
    return build_graph(document, build_ontology([document])).observations


def test_a_tagged_number_has_concept_and_exact_value_and_its_printed_sign() -> None:
    (paid, _) = observed(filing((1, 1, PAID)))
    assert (paid.concept, paid.exact) == ("us-gaap:PaymentsForPlants", Decimal(9_447_000_000))
    assert paid.quantity.value == Decimal(-9447)
    assert (paid.period, paid.period_by_tag) == (Period("year", 2024), False)


def test_a_tag_of_another_number_is_ignored() -> None:
    (paid, _) = observed(filing((1, 1, replace(PAID, value=Decimal(5)))))
    assert (paid.concept, paid.exact, paid.period_by_tag) == ("", None, False)


def test_a_graph_with_tags_comes_back_equal() -> None:
    document = filing((1, 1, PAID), (1, 2, replace(PAID, value=Decimal(10_000_000))))
    graph = build_graph(document, build_ontology([document]))
    predicates = {predicate for _, predicate, _ in graph.triples()}
    assert {"kg:concept", "kg:exactValue", "kg:periodBy"} <= predicates
    assert graph_from_triples(graph.triples()) == graph


def test_lines_of_one_concept_are_one_property_whatever_they_are_called() -> None:
    grids = [["", "2024"], ["payments for plants", "(9,447)"]], [["", "2024"], ["capital outlays", "9,447"]]
    tagged = [
        assemble(f"{name}/2024", [TablePart(g, facts=[(1, 1, PAID)])]) for name, g in zip("AB", grids, strict=True)
    ]
    bare = [assemble(document.id, [TablePart(g)]) for document, g in zip(tagged, grids, strict=True)]
    (found,) = [p for p in build_ontology(tagged).properties if "us-gaap:PaymentsForPlants" in p.concepts]
    assert {found.label, *found.variants} == {"payments for plants", "capital outlays"}
    assert ontology_from_turtle(build_ontology(tagged).to_turtle()) == build_ontology(tagged)
    names = {p.name for p in build_ontology(bare).properties}
    assert {"kg:payments_for_plants", "kg:capital_outlays"} <= names
    assert not any(p.concepts for p in build_ontology(bare).properties)
