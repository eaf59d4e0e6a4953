from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.serial import Triple
from quaestor.errors import OntologyError
from quaestor.ontology.terms import (
    decimal_term,
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


@given(TEXTS)
def test_simple_parser_reads_the_same_triples(text: str) -> None:
    written = write_turtle([Triple("kg:a", "kg:b", text_term(text)), Triple("kg:a", "kg:c", "kg:d")], {})
    assert sorted(read_plainly(written, "a test")) == [("kg:a", "kg:b", text), ("kg:a", "kg:c", "kg:d")]


@pytest.mark.parametrize("text", ["kg:a kg:b", "<a> <b> .", "_:x <urn:p> <urn:o> .", "\x00", "\ud800"])
def test_invalid_turtle_raises_a_named_error(text: str) -> None:
    with pytest.raises(OntologyError):
        read_turtle(text, "a test")
    with pytest.raises(OntologyError):
        list(read_plainly(text, "a test"))


def test_a_broken_literal_is_a_named_error() -> None:
    with pytest.raises(OntologyError):
        read_term('"open')
