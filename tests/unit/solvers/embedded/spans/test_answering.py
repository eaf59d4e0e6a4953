"""Answers in words by the solver without a model, through `quaestor.open` on the bundled pages."""

import pytest

import quaestor
from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import Text, ValueList
from quaestor.core.provenance import SentenceRef
from quaestor.documents.document import Document

CABLES = "sample#NORD/2012/page_41.pdf"
INSURANCE = "sample#ELDR/2017/page_47.pdf"


def ask_page(page: str, *questions: str, **options: object) -> tuple[Document, list[Answer]]:
    found = quaestor.open(page).ask(questions, options=options)
    return found[0].page, [each.answer for each in found]


@pytest.mark.parametrize(
    ("page", "question", "words"),
    [
        (CABLES, "why did net sales of power cables grow in 2012?",
         "because two offshore grid projects were delivered ahead of plan"),
        (INSURANCE, "what is the combined ratio?", "the ratio of claims and expenses to premiums earned"),
        ("sample#QUIL/2007/page_88.pdf", "what is the expected volatility derived from?",
         "the history of the company 2019s own share price"),
        ("sample#LUMI/2018/page_35.pdf", "what do purchase commitments relate to?",
         "light-emitting diodes and to glass"),
    ],
)  # fmt: skip
def test_words_are_quoted_from_the_sentence_with_the_answer(page: str, question: str, words: str) -> None:
    document, (answer,) = ask_page(page, question)
    assert answer.value == Text(words)
    assert answer.kind == "text"
    (source,) = answer.sources
    assert isinstance(source, SentenceRef)
    assert document.sentence(source).text[source.start : source.end] == words
    assert answer.confidence is not None
    assert 0 < answer.confidence < 1


def test_the_plan_is_verified_and_remembered_for_the_next_question() -> None:
    found = quaestor.open(CABLES).ask(
        ["what were net sales of power cables in 2012?", "why did they grow?", "and in 2011?"]
    )
    assert [each.turn.verified for each in found] == [True, True, True]
    assert str(found[2].answer.number) == "598.7"


def test_why_alone_asks_for_the_cause_of_what_was_asked_before() -> None:
    _, (answer,) = ask_page(CABLES, "what was the change in net sales of power cables from 2011 to 2012, and why?")
    assert isinstance(answer.value, ValueList)
    assert answer.value.items[1].label == "because two offshore grid projects were delivered ahead of plan"


@pytest.mark.parametrize(
    "question", ["why did the auditor resign?", "who is the treasurer?", "what does return on equity mean?", "why?"]
)
def test_a_question_that_no_sentence_answers_is_declined(question: str) -> None:
    _, (answer,) = ask_page(CABLES, question)
    assert answer.value is None
    assert answer.reason


def test_nearest_words_are_given_if_nothing_is_declined() -> None:
    _, (answer,) = ask_page(CABLES, "why did the sales of the fourth quarter shrink?", decline=False)
    assert isinstance(answer.value, Text)


def test_span_with_a_number_is_a_numeric_answer() -> None:
    _, (answer,) = ask_page("sample#LUMI/2018/page_35.pdf", "what did rent expense come to in 2018?")
    assert answer.number is not None


def test_words_are_no_answers_if_only_numbers_are_asked_for() -> None:
    _, (answer,) = ask_page(CABLES, "why did net sales of power cables grow in 2012?", answers="numbers", decline=False)
    assert answer.number is not None
