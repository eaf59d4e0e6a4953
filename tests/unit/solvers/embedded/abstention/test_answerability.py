"""Questions that a page does not answer, through `quaestor.open`."""

import pytest
from long_filing import a_long_filing
from pages import page

import quaestor
from quaestor.documents.document import Document

GRID = [
    ["( in millions )", "2016", "2015", "2014"],
    ["net sales of power cables", "120", "110", "100"],
    ["research expenses", "12", "11", "10"],
    ["operating profit", "30", "25", "20"],
]


@pytest.fixture(scope="module")
def document() -> Document:
    return page(GRID, ["sales rose in 2016 ."])


def ask(document: Document, question: str, **options: object) -> quaestor.Answer:
    (answer,) = quaestor.open(document).ask([question], options=options)
    return answer.answer


@pytest.mark.parametrize(
    ("question", "lacking"),
    [
        ("how much was spent on share repurchases?", '"share repurchases"'),
        ("what was the goodwill impairment in 2016?", '"goodwill impairment"'),
        ("how many employees were there?", '"employees"'),
    ],
)
def test_a_missing_line_is_reported_with_the_nearest_reading(document: Document, question: str, lacking: str) -> None:
    answer = ask(document, question)
    assert (answer.kind, answer.value, answer.plan) == ("none", None, None)
    assert answer.answerable is not None
    assert answer.answerable < 0.3  # twice the threshold, as none of their words describes a number of the page
    assert lacking in (answer.reason or "")
    assert "2014 to 2016" in (answer.reason or "")


@pytest.mark.parametrize(
    "question", ["what was operating profit in 2015?", "what were net sales of power cables in 2014?"]
)
def test_question_about_the_page_is_answered(document: Document, question: str) -> None:
    answer = ask(document, question)
    assert answer.kind == "number"
    assert (answer.answerable or 0) > 0.5


def test_threshold_can_be_set(document: Document) -> None:
    question = "what was the goodwill impairment in 2016?"
    assert ask(document, question, decline_below=0.0).value is not None
    assert ask(document, "what was operating profit in 2015?", decline_below=1.0).value is None


def test_answers_have_the_probability_if_nothing_is_declined(document: Document) -> None:
    answer = ask(document, "what was the goodwill impairment in 2016?", decline=False)
    assert answer.value is not None
    assert (answer.answerable or 1) < 0.2


def test_follow_up_on_a_missing_answer_has_no_answer(document: Document) -> None:
    answers = quaestor.open(document).ask(
        [
            "what was the goodwill impairment in 2016?",
            "what was operating profit in 2016?",
            "what is the first divided by the second?",
        ],
    )
    assert [one.answer.kind for one in answers[:2]] == ["none", "number"]
    assert answers[2].answer.value is None


def test_unknown_word_lowers_the_answerability_of_a_filing() -> None:
    unknown = ask(a_long_filing(), "what was the zeppelin impairment in 2023?")
    known = ask(a_long_filing(), "what was net income in 2023?")
    assert (unknown.answerable or 0) < (known.answerable or 0)
