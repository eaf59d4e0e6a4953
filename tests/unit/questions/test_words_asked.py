"""Questions that ask for words instead of numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.questions.words_asked import term_asked, words_asked, words_behind


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("why did sales fall in 2018?", "cause"),
        ("in 2018, why did sales fall?", "cause"),
        ("what was the main reason for the decrease in sales?", "cause"),
        ("what led to the increase in rent?", "cause"),
        ("what does working capital mean?", "meaning"),
        ("what does other income represent?", "meaning"),
        ("what does the table show?", "table"),
        ("what is included in cost of sales?", "parts"),
        ("what does cost of sales consist of?", "parts"),
        ("what is excluded from adjusted income?", "left_out"),
        ("how are leases measured?", "way"),
        ("how often is goodwill tested?", "often"),
        ("when is revenue recognised?", "time"),
        ("where is the office?", "place"),
        ("who audits the accounts?", "person"),
        ("what is the estimate based on?", "ground"),
        ("what did the board approve in 2003?", "rest"),
    ],
)
def test_form_of_a_question_determines_the_requested_words(question: str, asked: str) -> None:
    assert words_asked(question) == asked


@pytest.mark.parametrize(
    "question",
    [
        "what were sales in 2018?",
        "how much did sales fall?",
        "how many stores were there?",
        "in which year was rent highest?",
        "what is the change from 2017 to 2018?",
        "did sales rise?",
        "and in 2010?",
        "what was the ratio of the shares that were excluded to all shares?",
        "",
    ],
)
def test_numbers_names_and_yes_or_no_are_not_words(question: str) -> None:
    assert words_asked(question) is None


def test_a_term_may_be_asked_for_its_meaning_or_its_number() -> None:
    assert term_asked("what is goodwill?") == "goodwill"
    assert term_asked("what are the distribution customers?") == "distribution customers"
    assert term_asked("what is the total of rent?") is None
    assert term_asked("what was rent in 2018?") is None


def test_words_that_introduce_the_answer_end_the_question() -> None:
    assert words_behind("what is the increase due to?") == "due to"
    assert words_behind("what is the rate based on?") == "based on"
    assert words_behind("what is the rate?") is None


@given(st.text(max_size=80))
def test_parsing_never_fails(text: str) -> None:
    words_asked(text.lower())
    term_asked(text.lower())
    words_behind(text.lower())
