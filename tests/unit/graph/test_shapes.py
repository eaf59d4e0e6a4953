"""Ontologies and graphs conform to the SHACL shapes of the package."""

from importlib.resources import files

import pytest
import rdflib
from pages import page, sample_pages
from pyshacl import validate

from quaestor.graph.builder import build_graph
from quaestor.ontology.builder import build_ontology

SHAPES = rdflib.Graph().parse(data=files("quaestor.ontology").joinpath("shapes.ttl").read_text(encoding="utf-8"))
SAMPLE = build_ontology(sample_pages())


def faults(turtle: str) -> str:
    fits, _, text = validate(rdflib.Graph().parse(data=turtle, format="turtle"), shacl_graph=SHAPES)
    return "" if fits else str(text)


def test_ontology_conforms_to_the_shapes() -> None:
    assert faults(SAMPLE.to_turtle()) == ""


@pytest.mark.parametrize("document", sample_pages()[:6], ids=lambda document: document.id)
def test_graphs_conform_to_the_shapes(document: object) -> None:
    graphs = [build_graph(d, SAMPLE) for d in sample_pages() if d is document]
    assert [faults(graph.to_turtle()) for graph in graphs] == [""]


def test_minted_properties_conform_to_the_shapes() -> None:
    graph = build_graph(
        page([["", "2008"], ["cash", "1 2"], ["gain", "nm"]], ["5 shares in 2009 ."]), build_ontology([])
    )
    assert faults(graph.to_turtle()) == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "broken"),
    [('kg:scale "one" ;', 'kg:scale "two" ;'), ("a kg:Cell ;", "a kg:Box ;"), ("rdfs:range xsd:decimal ;", "")],
)
def test_shapes_reject_broken_graphs(line: str, broken: str) -> None:
    turtle = SAMPLE.to_turtle() if "rdfs:range" in line else build_graph(sample_pages()[0], SAMPLE).to_turtle()
    assert line in turtle
    assert "Constraint Violation" in faults(turtle.replace(line, broken, 1))
