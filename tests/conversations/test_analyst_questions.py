"""Analysts' questions about a long report: compare two lines, list values, use other names for lines."""

import pytest
from discussed_filing import a_discussed_filing
from long_filing import a_long_filing
from quarterly_filing import a_quarterly_filing

import quaestor
from quaestor import AnsweredQuestion
from quaestor.conversation.events import NoAnswerGiven
from quaestor.core.answer_value import YesNo

FILING, DISCUSSED, QUARTERLY = a_long_filing(), a_discussed_filing(), a_quarterly_filing()
WHOLE = quaestor.Settings(excerpt_tokens=100_000)
"""Settings with which a filing is not longer than an excerpt."""


def ask_filing(question: str) -> AnsweredQuestion:
    (answered,) = quaestor.open(FILING, settings=WHOLE).ask([question], solver="embedded")
    return answered


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("was r&d above net income in 2023?", "no"),
        ("did R&D exceed SG&A in 2022?", "yes"),
        ("which was larger in 2023, R&D or SG&A?", "research and development"),
        ("which was larger, selling, general and administrative or net income?", "net income"),
    ],
)
def test_comparison_of_two_lines_shows_both_numbers(question: str, answer: str) -> None:
    found = ask_filing(question)
    assert found.display == answer
    assert len(found.sources) == 2


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "what were r&d and sg&a in 2023?",
            "research and development: 96 million; selling, general and administrative: 88 million",
        ),
        (
            "what were net income and total assets in 2022?",
            "net income: $ 76 million; total assets, december 31: $ 645 million",
        ),
        ("what were products and services sales in 2023?", "products: $ 640 million; services: $ 160 million"),
        ("how much was capex in 2023?", "77 million"),
    ],
)
def test_lines_are_found_by_any_of_their_names(question: str, answer: str) -> None:
    assert ask_filing(question).display == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "why did harbors net sales rise in 2024?",
            "Harbors net sales increased during 2024 compared to 2023 due primarily to orders of new terminals.",
        ),
        (
            "what drove the increase in R&D in 2024?",
            "The growth in R&D expense in 2024 compared to 2023 was driven primarily by new hires.",
        ),
        (
            "why did gross margin improve?",
            "Gross margin increased 6% in 2024 compared to 2023. "
            "The increase was mainly driven by lower prices of copper.",
        ),
        (
            "why did SG&A fall in 2024?",
            "The decrease in SG&A expense in 2024 was due to the following: Fewer trade fairs; Lower rents of offices.",
        ),
    ],
)
def test_cause_is_quoted_from_the_discussion(question: str, answer: str) -> None:
    (found,) = quaestor.open(DISCUSSED, settings=WHOLE).ask([question], solver="embedded")
    assert found.display == answer


@pytest.mark.parametrize("question", ["why did R&D fall in 2024?", "what drove the increase in net income?"])
def test_no_cause_if_none_is_stated(question: str) -> None:
    (found,) = quaestor.open(DISCUSSED, settings=WHOLE).ask([question], solver="embedded")
    assert found.answer.value is None
    assert [e.reason for e in found.turn.events if isinstance(e, NoAnswerGiven)] == ["not_on_page"]


def test_comparison_with_something_unknown_is_unsure() -> None:
    found = ask_filing("was net income above the budget in 2023?")
    assert isinstance(found.answer.value, YesNo | None)
    assert (found.answer.confidence or 0.0) < 0.5


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what were revenues in the second quarter of 2025?", "$ 300 million"),
        ("what was operating income for the six months ended june 30, 2024?", "$ 95 million"),
        ("what was net income in the first half of 2025?", "$ 82 million"),
        ("rivers in q2 2025?", "110 million"),
        ("were revenues of rivers above those of harbors in q2 2025?", "no"),
        ("what were inventories at june 30, 2025?", "$ 55 million"),
        ("what was diluted eps in q2 2024?", "$ 0.38"),
    ],
)
def test_number_has_the_requested_period_length_and_kind(question: str, answer: str) -> None:
    (found,) = quaestor.open(QUARTERLY, settings=WHOLE).ask([question], solver="embedded")
    assert found.display == answer


@pytest.mark.parametrize(
    "question",
    [
        "what was net income for the nine months of 2025?",
        "how many ferries does the company own?",
        "what were dividends declared per share in 2025?",
    ],
)
def test_number_of_another_period_length_or_kind_is_not_an_answer(question: str) -> None:
    (found,) = quaestor.open(QUARTERLY, settings=WHOLE).ask([question], solver="embedded")
    assert found.answer.value is None


def test_confidence_of_a_follow_up_is_at_most_that_of_its_source() -> None:
    answers = quaestor.open(FILING, settings=WHOLE).ask(
        ["how much was spent on wages in 2023?", "and in 2022?", "what was the change?"], solver="embedded"
    )
    sure = [found.answer.confidence or 0.0 for found in answers]
    assert sure[1] <= max(sure[0], 0.0) or answers[0].answer.value is None
    assert sure[2] <= sure[1] or answers[1].answer.value is None


@pytest.mark.parametrize(
    "question", ["who is the auditor?", "who is the chief executive officer?", "when was it founded?"]
)
def test_unknown_name_or_time_is_not_answered_in_words(question: str) -> None:
    (found,) = quaestor.open(DISCUSSED, settings=WHOLE).ask([question], solver="embedded")
    assert found.answer.value is None
