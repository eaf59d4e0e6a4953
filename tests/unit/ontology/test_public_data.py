"""The ontology of the public data: byte-identical in any order, and how much of one half the other half knows."""

import random
from pathlib import Path

import pytest
from pages import public_pages

from quaestor.ontology.builder import build_ontology
from quaestor.ontology.turtle import ontology_from_turtle


@pytest.mark.slow
def test_the_ontology_does_not_depend_on_the_order_of_documents(shared_data: Path) -> None:
    documents = public_pages(shared_data / "convfinqa_tune.json")
    first = build_ontology(documents)
    turtle = first.to_turtle()
    for seed in range(3):
        shuffled = list(documents)
        random.Random(seed).shuffle(shuffled)
        assert build_ontology(shuffled).to_turtle() == turtle
    assert ontology_from_turtle(turtle) == first
    found = first.statistics()
    print("tune ontology:", found)
    assert found["documents"] == len(documents)
    assert found["classes seen"] > 30
    assert found["properties of several documents"] > 50


@pytest.mark.slow
def test_every_merge_leads_to_one_property(shared_data: Path) -> None:
    ontology = build_ontology(public_pages(shared_data / "convfinqa_tune.json"))
    for merge in ontology.merges:
        assert ontology.why(merge.variant, merge.into).same
    for apart in ontology.apart:
        assert not ontology.why(apart.label, apart.other).same
