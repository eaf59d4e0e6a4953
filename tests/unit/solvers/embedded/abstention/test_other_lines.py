"""Questions about a line that the page lacks although it has a line with a similar name."""

import pytest
from pages import page

import quaestor
from quaestor.documents.document import Document
from quaestor.plan.steps import Compute, Plan, Ref
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.abstention import find_missing_line

ROWS = [["( in millions )", "2012", "2011"], ["net sales", "980", "910"], ["operating income", "88", "91"]]
PAGE = page(ROWS, ["the mill was quiet ."])
IN_TEXT = page(ROWS, ["net income was $ 40 million in 2012 ."])
OTHER_NAME = page([*ROWS, ["net earnings", "40", "38"]], ["the mill was quiet ."])


def why(document: Document, question: str) -> str | None:
    answer = quaestor.open(document).ask(question)
    return answer.answer.reason if answer.answer.value is None else None


def test_a_missing_line_is_reported() -> None:
    reason = why(PAGE, "what was net income in 2012?")
    assert reason is not None
    assert "net income" in reason


def test_missing_line_is_reported_for_calculations_from_earlier_answers() -> None:
    plan, again = Plan((Compute(1, "divide", (Ref(-1), Ref(-2))),)), Plan((Compute(1, "identity", (Ref(-1),)),))
    assert find_missing_line(read_question("what was net income in 2012?"), plan, PAGE) == "net income"
    assert find_missing_line(read_question("what was net income in 2012?"), again, PAGE) is None
    assert find_missing_line(read_question("what was that ratio in 2012?"), plan, PAGE) is None
    assert find_missing_line(read_question("what was net income in 2012?"), plan, OTHER_NAME) is None


@pytest.mark.parametrize("document", [IN_TEXT, OTHER_NAME])
def test_line_in_the_text_or_under_another_name_is_answered(document: Document) -> None:
    assert why(document, "what was net income in 2012?") is None


@pytest.mark.parametrize("question", ["what was operating income in 2012?", "what was income in 2012?"])
def test_existing_line_is_answered(question: str) -> None:
    assert why(PAGE, question) is None


def test_increase_of_a_line_is_not_a_missing_line() -> None:
    stocks = page([["( in millions )", "2012", "2011"], ["inventories", "56", "54"], ["net sales", "980", "910"]], [])
    assert why(stocks, "what was the increase in inventories in 2012?") is None
