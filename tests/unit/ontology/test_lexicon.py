import pytest

from quaestor.core.terms import terms
from quaestor.ontology.lexicon import parse_formula, read_lexicon


def test_the_longest_phrase_of_a_text_is_found() -> None:
    lexicon = read_lexicon()
    (found,) = lexicon.find(terms("what was research and development expense"))
    assert found.concepts[0].startswith("us-gaap:ResearchAndDevelopment")
    assert lexicon.find(terms("purple elephants")) == ()


def test_a_measure_has_the_concepts_of_its_formula() -> None:
    measure = read_lexicon().measures["free_cash_flow"]
    assert measure.formula is not None
    assert "us-gaap:NetCashProvidedByUsedInOperatingActivities" in set(measure.formula.concepts())


@pytest.mark.parametrize("text", ["", "printed only", "Assets / (Liabilities", "share price * Shares"])
def test_what_is_no_arithmetic_is_no_formula(text: str) -> None:
    assert parse_formula(text) is None


def test_alternatives_and_averages_are_parsed() -> None:
    formula = parse_formula("(Revenues else Sales) / AVG(Assets)")
    assert formula is not None
    assert formula.kind == "/"
    assert [part.kind for part in formula.parts] == ["else", "average"]
