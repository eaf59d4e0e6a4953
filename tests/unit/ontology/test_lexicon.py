"""Lexicon of concepts and measures."""

from quaestor.core.terms import terms
from quaestor.ontology.lexicon import read_lexicon


def test_the_longest_phrases_are_found() -> None:
    found = read_lexicon().find(terms("operating cash flow against capex"))
    assert [(match.start, match.end) for match in found] == [(0, 3), (4, 5)]
    assert "us-gaap:NetCashProvidedByUsedInOperatingActivities" in found[0].concepts


def test_formulas_are_read_when_they_are_asked_for() -> None:
    formula = read_lexicon().measures["current_ratio"].formula
    assert formula is not None
    assert list(formula.concepts()) == ["us-gaap:AssetsCurrent", "us-gaap:LiabilitiesCurrent"]
    assert read_lexicon().measures["backlog"].formula is None


def test_an_amount_for_each_share_is_a_measure_too() -> None:
    lexicon = read_lexicon()
    (found,) = lexicon.find(terms("ebitda per share"))
    formula, amount = lexicon.measures[found.measures[0]].formula, lexicon.measures["ebitda"].formula
    assert formula is not None
    assert (formula.kind, formula.parts[0]) == ("/", amount)
    assert formula.parts[1].name == "us-gaap:WeightedAverageNumberOfDilutedSharesOutstanding"
    assert lexicon.measures["gross_margin"].per_share() is None


def test_every_concept_has_an_amount_for_each_share() -> None:
    for concept in read_lexicon().concepts.values():
        formula = concept.per_share().formula
        assert formula is not None
        assert formula.parts[0].name == concept.name
