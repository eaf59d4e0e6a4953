from decimal import Decimal

from pages import page

from quaestor.core.periods import Period
from quaestor.core.quantity import Scale
from quaestor.graph.builder import build_graph
from quaestor.graph.facts import MentionFact
from quaestor.ontology.builder import build_ontology
from quaestor.ontology.ontology import Ontology


def mentions(*sentences: str, ontology: Ontology | None = None) -> list[MentionFact]:
    return list(build_graph(page([], sentences), ontology or build_ontology([])).mentions)


def test_a_mention_has_value_scale_span_and_words() -> None:
    (found,) = mentions("it rains .", "in 2012 , our rent expense was $ 24.7 million a year , net .")
    assert (found.quantity.value, found.quantity.scale, found.quantity.unit) == (Decimal("24.7"), Scale.MILLION, "USD")
    assert (found.source.section, found.source.sentence, found.place, found.order) == ("pre_text", 1, 1, 0)
    assert found.before == "in 2012 , our rent expense was"
    assert found.after == "a year , net ."
    assert found.sentence[found.source.start : found.source.end] == "$ 24.7 million"
    assert found.period == Period("year", 2012)


def test_a_noun_phrase_names_a_known_property() -> None:
    ontology = build_ontology([page([["", "2008"], ["rental expense", "3"]])])
    (known, unknown) = mentions("rental expenses were $ 3 million .", "weather was $ 4 million .", ontology=ontology)
    assert known.predicate == "kg:rental_expense"
    assert unknown.predicate is None
