"""A line that the page lacks, though it has one that sounds like it."""

import pytest
from pages import page

import quaestor
from quaestor.documents.document import Document

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


@pytest.mark.parametrize("document", [IN_TEXT, OTHER_NAME])
def test_a_line_that_the_text_or_another_name_has_is_answered(document: Document) -> None:
    assert why(document, "what was net income in 2012?") is None


@pytest.mark.parametrize("question", ["what was operating income in 2012?", "what was income in 2012?"])
def test_the_line_itself_is_answered(question: str) -> None:
    assert why(PAGE, question) is None


def test_the_increase_of_a_line_is_no_line_of_cash_flows() -> None:
    stocks = page([["( in millions )", "2012", "2011"], ["inventories", "56", "54"], ["net sales", "980", "910"]], [])
    assert why(stocks, "what was the increase in inventories in 2012?") is None
