"""Quotations from the page: accepted, repaired and rejected ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import page

from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.solvers.quoting import LONGEST_QUOTE, QuoteFailure, number_in_place, quote

PAGE = page(
    [
        ["( in thousands )", "2019", "2018"],
        ["Flour", "1,200", "1,000"],
        ["Incentive schemes1", "3", "4"],
        ["Ratings", "AA", "A"],
    ],
    before=["Flour is sold to  bakers.", "The mill\u2019s year\u2013end is in June ."],
    after=["Bran is sold to stables and bakers.", "We paid $ 9.5 million to owners ."],
)


@pytest.mark.parametrize(
    ("quotation", "text"),
    [
        ("sold to bakers", "sold to bakers"),
        ("SOLD  to\nBakers", "sold to bakers"),
        ("the mill's year-end", "The mill\u2019s year\u2013end"),
        ('"stables and bakers".', "stables and bakers"),
        ("flour", "Flour"),
        ("2019", "2019"),
        ("AA", "AA"),
        ("Incentive schemes", "Incentive schemes"),
    ],
)
def test_quotation_has_the_printed_words(quotation: str, text: str) -> None:
    assert quote(PAGE, quotation).text == text


def test_a_quotation_has_its_place() -> None:
    cell, sentence = quote(PAGE, "AA"), quote(PAGE, "stables")
    assert isinstance(cell.source, CellRef)
    assert (cell.source.row, cell.source.column, cell.label) == (3, 1, "Ratings, 2019")
    assert isinstance(sentence.source, SentenceRef)
    assert PAGE.sentence(sentence.source).text[sentence.source.start : sentence.source.end] == "stables"
    step = sentence.step(3, "who?")
    assert (step.id, step.text, step.quantity, step.query) == (3, "stables", None, "who?")


def test_label_has_priority_over_part_of_a_sentence() -> None:
    assert isinstance(quote(PAGE, "flour").source, CellRef)


def test_sentence_that_matches_the_question_is_quoted() -> None:
    about = quote(PAGE, "bakers", "to whom is bran sold?").source
    assert isinstance(about, SentenceRef)
    assert "Bran" in PAGE.sentence(about).text


@pytest.mark.parametrize(("quotation", "named"), [("barge", ""), ("aker", ""), ("--", ""), ("", "")])
def test_quotes_not_on_the_page_are_refused(quotation: str, named: str) -> None:
    with pytest.raises(QuoteFailure) as caught:
        quote(PAGE, quotation)
    assert named in str(caught.value)


def test_long_quotes_are_refused_quickly() -> None:
    with pytest.raises(QuoteFailure):
        quote(PAGE, "flour " * LONGEST_QUOTE)


@pytest.mark.parametrize(
    ("quotation", "number"), [("1,200", True), ("9.5 million", True), ("2019", False), ("AA", False)]
)
def test_number_alone_is_not_a_quotation(quotation: str, number: bool) -> None:
    assert number_in_place(PAGE, quote(PAGE, quotation)) is number


@given(st.text(max_size=60) | st.sampled_from([s.text for s in PAGE.sentences]).flatmap(lambda t: st.just(t.upper())))
def test_any_quote_is_on_the_page_or_refused(quotation: str) -> None:
    try:
        found = quote(PAGE, quotation, quotation)
    except QuoteFailure:
        return
    printed = PAGE.cell(found.source).text if isinstance(found.source, CellRef) else PAGE.sentence(found.source).text
    assert found.text in " ".join(printed.split())
