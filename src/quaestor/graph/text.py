"""Facts of running text: the numbers of each sentence with their periods, and the years that it names.

Owns which of a sentence's periods belongs to which of its numbers.
"""

from decimal import Decimal

from quaestor.core.periods import Period
from quaestor.core.provenance import SentenceRef, Source
from quaestor.core.quantity import Quantity
from quaestor.documents.document import Document, Sentence
from quaestor.graph.facts import HeaderNumber, Mention, SentenceFact, year_of
from quaestor.ontology.ontology import Ontology
from quaestor.ontology.phrases import said_in


def text_facts(
    document: Document, ontology: Ontology
) -> tuple[tuple[SentenceFact, ...], tuple[Mention, ...], tuple[HeaderNumber, ...]]:
    """Returns the sentences, the numbers in them, and the years that they name."""
    sentences = tuple(SentenceFact(s.section, s.index, i, s.text) for i, s in enumerate(document.sentences))
    mentions = tuple(m for place, s in enumerate(document.sentences) for m in _mentions(s, place, ontology))
    years = tuple(y for s in document.sentences for y in _years(document.id, s))
    return sentences, mentions, years


def _mentions(sentence: Sentence, place: int, ontology: Ontology) -> list[Mention]:
    if not sentence.mentions:
        return []
    named = {order: match.property for order, said in said_in(sentence) if (match := ontology.match(said))}
    periods = aligned_periods(sentence)
    return [
        Mention(mention.quantity, mention.ref, order, place, sentence.text, periods[order], named.get(order))
        for order, mention in enumerate(sentence.mentions)
    ]


def aligned_periods(sentence: Sentence) -> tuple[Period | None, ...]:
    """Returns the period of each number: lists of equal length are aligned in order, else the nearest one counts."""
    periods, wanted = sentence.periods, len(sentence.mentions)
    if not periods:
        return (None,) * wanted
    if len(periods) == wanted:
        return tuple(period for period, _, _ in periods)
    by_year = {year_of(period): period for period, _, _ in reversed(periods)}
    if len(by_year) == wanted:
        order = dict.fromkeys(year_of(period) for period, _, _ in periods)
        return tuple(by_year[year] for year in order)

    def distance(start: int, end: int, period: tuple[Period, int, int]) -> tuple[int, int]:
        # What follows a number names its year more often than what precedes it.
        return (period[1] - end, 0) if period[1] >= end else (2 * (start - period[2]), 1)

    return tuple(min(periods, key=lambda p: distance(m.ref.start, m.ref.end, p))[0] for m in sentence.mentions)


def _years(document: str, sentence: Sentence) -> list[HeaderNumber]:
    return [
        year_number(
            year, SentenceRef(document, sentence.section, sentence.index, start, end), sentence.text[start:end], p
        )
        for p, start, end in sentence.periods
        for year in years_in(p)
    ]


def years_in(period: Period) -> tuple[int, ...]:
    """Returns the years that a period names."""
    return (period.year,) if period.last is None else (period.year, period.last)


def year_number(year: int, source: Source, label: str, period: Period) -> HeaderNumber:
    """Returns a year as a number that stands in a label."""
    return HeaderNumber(Quantity(Decimal(year), text=str(year)), source, label, period, year=True)
