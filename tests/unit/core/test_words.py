"""How texts become words, and which words say little."""

import pytest

from quaestor.core.terms import terms
from quaestor.core.words import (
    ARTICLES,
    DATE_WORDS,
    FUNCTION_WORDS,
    JOINING_WORDS,
    LABEL_FILLERS,
    NAMELESS_WORDS,
    PERIOD_FILLERS,
    SMALL_WORDS,
    STOP_WORDS,
    compound_spans,
    compounds,
    search_words,
    words,
)

TEXT = "the s&p500's year-end value/share (u.s), 1,000.5% or $ 5"


def test_compounds_are_at_their_spans() -> None:
    assert tuple(TEXT[start:end] for start, end in compound_spans(TEXT)) == compounds(TEXT)


@pytest.mark.parametrize("read", [words, search_words])
def test_case_is_ignored(read: type) -> None:
    assert read("Net REVENUE") == read("net revenue") == ("net", "revenue")


def test_the_larger_sets_hold_the_smaller() -> None:
    assert SMALL_WORDS < STOP_WORDS < FUNCTION_WORDS
    assert ARTICLES < NAMELESS_WORDS
    assert JOINING_WORDS < NAMELESS_WORDS
    assert PERIOD_FILLERS < DATE_WORDS


def test_a_word_that_may_name_a_thing_stays_in_names() -> None:
    for word in ("net", "rate", "share", "number"):
        assert word in FUNCTION_WORDS
        assert word not in NAMELESS_WORDS


def test_directions_distinguish_two_labels() -> None:
    assert LABEL_FILLERS.isdisjoint({"from", "to", "by", "under", "per"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("R&D and A/P", ("r&d", "a/p")),
        ("the company's long-term debt", ("compani", "long", "term", "debt")),
        ("gains/losses", ("gain", "loss")),
        ("net sales in the U.S. and the United States", ("net", "sale", "us", "us")),
        ("", ()),
    ],
)
def test_terms(text: str, expected: tuple[str, ...]) -> None:
    assert terms(text) == expected
