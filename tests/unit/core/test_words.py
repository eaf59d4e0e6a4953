"""How texts become words."""

import pytest

from quaestor.core.words import NUMBER_WORDS, compound_spans, compounds, names, search_words, terms, words

TEXT = "the s&p500's year-end value/share (u.s), 1,000.5% or $ 5"


def test_each_reading_holds_together_what_its_reader_needs() -> None:
    assert words(TEXT) == (
        "the", "s", "p", "500", "s", "year", "end", "value", "share", "u", "s", "1,000.5", "%", "or", "$", "5",
    )  # fmt: skip
    assert compounds(TEXT) == ("the", "s&p500's", "year-end", "value", "share", "u.s", "1,000.5%", "or", "$", "5")
    assert names(TEXT) == ("the", "s&p", "s", "year-end", "value", "share", "u", "s", "or")
    assert terms(TEXT) == [
        "the", "s&p500's", "year-end", "value/share", "(", "u.s", ")", ",", "1,000.5%", "or", "5",
    ]  # fmt: skip
    assert search_words("Long-term debts, S&P debt") == ("long", "term", "debt", "s&p")


def test_compounds_are_at_their_spans() -> None:
    assert tuple(TEXT[start:end] for start, end in compound_spans(TEXT)) == compounds(TEXT)


@pytest.mark.parametrize("read", [words, search_words])
def test_case_is_ignored(read: type) -> None:
    assert read("Net REVENUE") == read("net revenue") == ("net", "revenue")


def test_number_words_count_from_one() -> None:
    assert list(NUMBER_WORDS.values()) == list(range(1, 11))
