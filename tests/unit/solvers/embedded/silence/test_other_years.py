"""A year that the page names elsewhere, and the line that is asked for does not have."""

import pytest
from pages import page

import quaestor
from quaestor.documents.document import Document
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.plan.steps import Extract, Plan
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.page.matrix import number_matrix
from quaestor.solvers.embedded.silence.other_years import other_year_answered

PAGE = page(
    [["( in millions )", "2021", "2020"], ["net sales", "980", "910"], ["operating income", "88", "91"]],
    ["notes of $ 500 million are due in 2024 ."],
)


def why(document: Document, question: str) -> str | None:
    asked = quaestor.open(document).ask(question)
    return asked.answer.reason if asked.answer.value is None else None


def test_a_year_that_its_line_lacks_is_said() -> None:
    said = why(PAGE, "what were net sales in 2024?")
    assert said is not None
    assert "2024" in said


@pytest.mark.parametrize("question", ["what were net sales in 2021?", "what were net sales in 2020?", "and net sales?"])
def test_a_year_that_it_has_and_none_are_answered(question: str) -> None:
    assert why(PAGE, question) is None


def test_a_line_with_a_number_of_unknown_year_may_have_it() -> None:
    document = page(
        [["", "2008 assets", "loans"], ["carrying amount", "26020", "3038"]], ["it was $ 5 million in 2007 ."]
    )
    assert why(document, "what was the carrying amount in 2007?") is None


@pytest.mark.parametrize(
    ("question", "year"), [("value in 2011?", None), ("value in 2012?", None), ("value in 2010?", 2010)]
)
def test_a_balance_of_the_first_of_january_is_of_the_year_before_too(question: str, year: int | None) -> None:
    document = page([["", "amount"], ["balance at january 1 2012", "5"], ["balance at december 31 2012", "7"]], ())
    leaves = number_matrix(GraphProvider.of([document]).graph(document))
    opening = leaves.leaves[0]
    plan = Plan((Extract(1, opening.source, opening.label, opening.quantity),))
    assert other_year_answered(read_question(f"what was the {question}"), plan, leaves) == year
