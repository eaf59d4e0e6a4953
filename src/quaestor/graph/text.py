"""Facts of running text: the numbers of each sentence with their periods, and the years that it names."""

from decimal import Decimal

from quaestor.core.periods import Period
from quaestor.core.provenance import SentenceRef, Source
from quaestor.core.quantity import Quantity
from quaestor.documents.document import Document, Sentence
from quaestor.documents.text_periods import periods_in_text
from quaestor.graph.facts import HeaderNumber, MentionFact, SentenceFact
from quaestor.ontology.ontology import Ontology
from quaestor.ontology.phrases import noun_phrase_in


def text_facts(
    document: Document, ontology: Ontology
) -> tuple[tuple[SentenceFact, ...], tuple[MentionFact, ...], tuple[HeaderNumber, ...]]:
    """Return the sentences, the numbers in them, and the years that they name."""
    sentences = tuple(SentenceFact(s.section, s.index, i, s.text) for i, s in enumerate(document.sentences))
    mentions = tuple(m for place in range(len(document.sentences)) for m in _mentions(document, place, ontology))
    years = tuple(y for s in document.sentences for y in _years(document.id, s))
    return sentences, mentions, years


def _mentions(document: Document, place: int, ontology: Ontology) -> list[MentionFact]:
    sentence = document.sentences[place]
    if not sentence.mentions:
        return []
    named = {order: match.property for order, said in noun_phrase_in(sentence) if (match := ontology.match(said))}
    periods = periods_in_text(document, place)
    return [
        MentionFact(
            mention.quantity, mention.ref, order, place, sentence.text, next(iter(of), None), named.get(order), of[1:]
        )
        for order, (mention, of) in enumerate(zip(sentence.mentions, periods, strict=True))
    ]


def _years(document: str, sentence: Sentence) -> list[HeaderNumber]:
    return [
        year_number(
            year, SentenceRef(document, sentence.section, sentence.index, start, end), sentence.text[start:end], p
        )
        for p, start, end in sentence.periods
        for year in years_in(p)
    ]


def years_in(period: Period) -> tuple[int, ...]:
    """Return the years that a period names."""
    return (period.year,) if period.last is None else (period.year, period.last)


def year_number(year: int, source: Source, label: str, period: Period) -> HeaderNumber:
    """Return a year as a number that is in a label.

    Args:
        year: Such as 2007.
        label: The text of the cell, or the words of the sentence that name the period.
    """
    return HeaderNumber(Quantity(Decimal(year), text=str(year)), source, label, period, year=True)
