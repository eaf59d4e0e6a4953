"""Facts of a document are unchanged after a round trip through the cache."""

from dataclasses import fields, replace
from datetime import date
from decimal import Decimal

import numpy as np

from quaestor.documents.assembly import HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.document import Document
from quaestor.documents.facts import Fact
from quaestor.facts.sentences import SentenceIndex, index_sentences, read_words
from quaestor.facts.table import FactTable, build_facts

_TAG = Fact(
    "us-gaap:Rent", Decimal(5), "USD", date(2008, 1, 1), date(2008, 12, 31), (("a", "b:C"),), 6, -6, "Rent", year=2008
)
_GRID = (("( in millions )", "2009", "2008"), ("rent", "$ 5.0", "4"), ("share of sales", "13.7 %", "( 4.0 )"))


class _Cache(dict[str, bytes]):
    def put(self, key: str, data: bytes) -> None:
        self[key] = data


def _document(*facts: tuple[int, int, Fact]) -> Document:
    sentences = ("Rent in New York fell by $ 5.0 million in 2009 .", "We had 400 employees in Norway .")
    table = TablePart(_GRID, "( in millions )", title="RENT", facts=facts)
    return assemble("10-K", [HeadingPart("Notes", 1), ParagraphPart(sentences), table])


def test_facts_from_a_cache_equal_those_built() -> None:
    cache, document = _Cache(), _document((1, 2, _TAG))
    built, *others = (build_facts(document, cache=cache) for _ in range(2)), build_facts(document)
    first, again = built
    assert len(cache) == 1
    for table in (first, again, *others):
        assert (table.calendar, table.lines, table.sentence_lines) == (
            first.calendar,
            first.lines,
            first.sentence_lines,
        )
        assert repr(table.lines) == repr(first.lines)
        _assert_equal(table.sentences, first.sentences)


def _assert_equal(one: SentenceIndex, other: SentenceIndex) -> None:
    for field in fields(SentenceIndex):
        mine, yours = getattr(one, field.name), getattr(other, field.name)
        np.testing.assert_equal(mine, yours)


def test_an_index_of_words_read_before_is_the_same() -> None:
    document = _document()
    _assert_equal(index_sentences(document, read_words(document)), index_sentences(document))


def test_other_tags_are_other_facts() -> None:
    cache = _Cache()
    tables = [build_facts(_document(*facts), cache=cache) for facts in ((), ((1, 2, _TAG),))]
    assert _concepts(tables[0]).isdisjoint({"us-gaap:Rent"})
    assert "us-gaap:Rent" in _concepts(tables[1])


def _concepts(table: FactTable) -> set[str]:
    return {cell.concept for line in table.lines for cell in line.cells}


def test_damaged_facts_are_built_again() -> None:
    cache, document = _Cache(), _document()
    built = build_facts(document, cache=cache)
    (key,) = cache
    cache[key] = b"damaged"
    assert replace(build_facts(document, cache=cache), words=built.words) == built
    assert cache[key] != b"damaged"
