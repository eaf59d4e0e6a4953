"""Statements that a question needs: named ones, and those with the operands of the answer."""

import pytest
from long_filing import a_long_filing

from quaestor.documents.table import TableRole
from quaestor.questions.question import read_question
from quaestor.retrieval.index import PlaceIndex
from quaestor.retrieval.question_texts import needed_statements

INDEX = PlaceIndex.of(a_long_filing())
BALANCE, INCOME, CASH = TableRole.BALANCE_SHEET, TableRole.INCOME_STATEMENT, TableRole.CASH_FLOWS


def needed(question: str, *earlier: str) -> set[TableRole]:
    return {INDEX.roles[at] for at in needed_statements(INDEX, read_question(question), [*map(read_question, earlier)])}


@pytest.mark.parametrize(
    ("question", "statements"),
    [
        ("what was the quick ratio in 2023?", {BALANCE}),
        ("is the working capital positive?", {BALANCE}),
        ("how did liquidity develop?", {BALANCE}),
        ("what is the gross margin?", {INCOME}),
        ("is it a high-growth company?", {INCOME}),
        ("is the business capital-intensive?", {BALANCE, INCOME}),
        ("how high is leverage in 2023?", {BALANCE, INCOME, CASH}),
        ("what was free cash flow?", {CASH}),
        ("use the cash flow statement and the balance sheet", {CASH, BALANCE}),
        ("who audits the company?", set()),
    ],
)
def test_derived_terms_and_names_lead_to_statements(question: str, statements: set[TableRole]) -> None:
    assert needed(question) == statements


def test_question_without_subject_is_about_the_previous_one() -> None:
    assert needed("yoy growth?", "what was operating income in 2022?") == {INCOME}
    assert needed("and the year before?", "how many people work there?", "what were total assets?") == {BALANCE}
    assert needed("how many employees does it have?", "what were total assets?") == set()
