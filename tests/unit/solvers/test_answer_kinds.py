"""Which kinds of answers a model is told of, and what becomes of what it says besides."""

import pytest

from quaestor.questions.question import read_question
from quaestor.solvers.answering import asks_beyond_numbers, remarks_with, why_none


@pytest.mark.parametrize(
    "question",
    [
        "in which year were net sales highest?",
        "how many years did net sales exceed 900 million?",
        "what were net sales in 2012 and 2011, respectively?",
        "why did net sales of power cables grow?",
    ],
)
def test_a_question_for_another_kind_is_told_of_all(question: str) -> None:
    assert asks_beyond_numbers(read_question(question))


@pytest.mark.parametrize("question", ["what were net sales in 2012?", "did it rise?", "what was the change?"])
def test_a_question_for_a_number_is_told_of_numbers(question: str) -> None:
    assert not asks_beyond_numbers(read_question(question))


def test_an_assumption_comes_first_among_the_remarks() -> None:
    assert remarks_with(None) is None
    assert remarks_with(" ", ["ungrounded: 3"]) == "ungrounded: 3"
    assert remarks_with("assuming the  plant opened", ["a", "b"]) == "assuming the plant opened; a; b"
    assert len(remarks_with("x" * 10**5) or "") < 600


def test_an_answer_of_no_other_kind_is_not_on_the_page() -> None:
    assert [why_none(said) for said in (None, "other", "ambiguous")] == ["not_on_page", "not_on_page", "ambiguous"]
