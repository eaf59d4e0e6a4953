from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.serial import Triple
from quaestor.errors import OntologyError
from quaestor.ontology.terms import (
    Iri,
    decimal_term,
    digest_of,
    read_plainly,
    read_term,
    read_turtle,
    text_term,
    write_turtle,
)

TEXTS = st.text(st.characters(codec="utf-8"), max_size=40)


@given(TEXTS)
def test_a_text_survives_as_a_term_and_as_turtle(text: str) -> None:
    term = text_term(text)
    assert read_term(term) == text
    triples, _ = read_turtle(write_turtle([Triple("kg:a", "kg:b", term)], {}), "a test")
    assert triples == (Triple("kg:a", "kg:b", term),)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**12), max_value=10**12))
def test_a_number_survives_with_its_zeros(value: Decimal) -> None:
    term = decimal_term(value)
    assert str(read_term(term)) == f"{value:f}"
    triples, _ = read_turtle(write_turtle([Triple("kg:a", "kg:b", term)], {}), "a test")
    assert triples[0].o == term


def test_nodes_numbers_and_truth() -> None:
    assert read_term("kg:CashFlow_2008") == Iri("kg:CashFlow_2008")
    assert isinstance(read_term("kg:CashFlow_2008"), Iri)
    assert read_term("<urn:x y>") == "urn:x y"
    assert read_term("-3") == -3
    assert read_term('"true"^^xsd:boolean') is True


def test_turtle_does_not_depend_on_order_or_repeats() -> None:
    triples = [Triple("kg:a", "rdf:type", "kg:C"), Triple("kg:a", "kg:b", "1"), Triple("kg:b", "kg:b", "2")]
    assert write_turtle(triples, {}) == write_turtle([*reversed(triples), triples[0]], {})
    assert digest_of(triples, {}) != digest_of(triples[1:], {})


def test_ntriples_are_read_into_the_same_words() -> None:
    text = '<urn:quaestor:kg#a> <urn:quaestor:kg#b> "3"^^<http://www.w3.org/2001/XMLSchema#integer> .'
    assert read_turtle(text, "a test")[0] == (Triple("kg:a", "kg:b", "3"),)


@given(TEXTS)
def test_what_is_read_plainly_are_the_words_of_the_triples(text: str) -> None:
    written = write_turtle([Triple("kg:a", "kg:b", text_term(text)), Triple("kg:a", "kg:c", "kg:d")], {})
    assert sorted(read_plainly(written, "a test")) == [("kg:a", "kg:b", text), ("kg:a", "kg:c", "kg:d")]


@pytest.mark.parametrize("text", ["kg:a kg:b", "<a> <b> .", "_:x <urn:p> <urn:o> .", "\x00", "\ud800"])
def test_what_is_no_turtle_of_ours_is_a_named_error(text: str) -> None:
    with pytest.raises(OntologyError):
        read_turtle(text, "a test")
    with pytest.raises(OntologyError):
        list(read_plainly(text, "a test"))


def test_a_broken_literal_is_a_named_error() -> None:
    with pytest.raises(OntologyError):
        read_term('"open')
