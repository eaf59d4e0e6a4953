"""Questions that ask for no number are distinguished from those that may."""

import pytest

from quaestor.questions.question import Question
from quaestor.questions.words_asked import why_no_number


@pytest.mark.parametrize(
    "text",
    [
        "hello", "Hi there!", "thanks!", "ok, thank you very much.", "2+2", "what is 2 + 2?",
        "why?", "and why?", "how come?",
        "why did the company buy back shares?", "what does EBITDA mean?", "who is the CEO?", "define goodwill",
    ],
)  # fmt: skip
def test_questions_without_numbers(text: str) -> None:
    assert why_no_number(Question(text))


@pytest.mark.parametrize(
    "text",
    [
        "and in 2010?", "in percent?", "in thousands?", "2010", "2010 - 2011?", "2011-12", "12/31/2011", "the change?",
        "what was the mean of both?", "how much?", "how many?", "thanks, and in 2009?", "hi, what were sales in 2009?",
        "what is 642.3 / 1036.8?", "net of tax", "what about whole sales?", "", "ok, and the total?", "100 + 200",
    ],
)  # fmt: skip
def test_questions_that_may_ask_for_numbers(text: str) -> None:
    assert why_no_number(Question(text)) is None
