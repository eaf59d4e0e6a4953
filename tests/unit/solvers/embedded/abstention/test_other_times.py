"""Questions about a period that a line does not have."""

import pytest
from pages import page

import quaestor
from quaestor.documents.document import Document
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.plan.steps import Extract, Plan
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.missing_numbers import find_other_time
from quaestor.solvers.embedded.page import build_number_matrix

PAGE = page(
    [["( in millions )", "2021", "2020"], ["net sales", "980", "910"], ["operating income", "88", "91"]],
    ["notes of $ 500 million are due in 2024 ."],
)


def why(document: Document, question: str) -> str | None:
    answer = quaestor.open(document).ask(question)
    return answer.answer.reason if answer.answer.value is None else None


def test_a_year_that_the_line_lacks_is_reported() -> None:
    reason = why(PAGE, "what were net sales in 2024?")
    assert reason is not None
    assert "2024" in reason


@pytest.mark.parametrize("question", ["what were net sales in 2021?", "what were net sales in 2020?", "and net sales?"])
def test_existing_year_and_no_year_are_answered(question: str) -> None:
    assert why(PAGE, question) is None


def test_line_with_a_number_of_unknown_year_is_answered() -> None:
    document = page(
        [["", "2008 assets", "loans"], ["carrying amount", "26020", "3038"]], ["it was $ 5 million in 2007 ."]
    )
    assert why(document, "what was the carrying amount in 2007?") is None


@pytest.mark.parametrize(
    ("question", "year"), [("value in 2011?", None), ("value in 2012?", None), ("value in 2010?", 2010)]
)
def test_balance_at_january_1_also_belongs_to_the_previous_year(question: str, year: int | None) -> None:
    document = page([["", "amount"], ["balance at january 1 2012", "5"], ["balance at december 31 2012", "7"]], ())
    leaves = build_number_matrix(GraphProvider.of([document]).graph(document))
    opening = leaves.leaves[0]
    plan = Plan((Extract(1, opening.source, opening.label, opening.quantity),))
    message = find_other_time(read_question(f"what was the {question}"), plan, leaves, document)
    assert message == (None if year is None else str(year))


def grid(*columns: str) -> Document:
    """Return a page with revenue and cash for the given periods."""
    values = [str(510 - 30 * n) for n in range(len(columns))]
    return page([["( in thousands )", *columns], ["revenue", *values], ["cash", *values]], ())


@pytest.mark.parametrize(
    ("columns", "question", "place"),
    [
        (("q1 2024", "q1 2023"), "what was revenue in the first quarter of 2024?", 0),
        (("q1 2024", "q1 2023"), "what was revenue in q3 2024?", None),
        (("q1 2024", "q1 2023"), "what was third-quarter revenue in 2024?", None),
        (("q1 2024", "q1 2023"), "what was full-year revenue in 2024?", None),
        (("q1 2024", "q1 2023"), "what was revenue in the first half of 2024?", None),
        (("q1 2024", "q1 2023"), "what was revenue for the nine months of 2024?", None),
        (("2024", "2023"), "what was revenue in june 2024?", None),
        (("2024", "2023"), "what was revenue in the fourth quarter of 2024?", None),
        (("2024", "2023"), "what was revenue in fiscal 2023?", 1),
        (("june 30, 2024", "december 31, 2023"), "what was cash at september 30, 2024?", None),
        (("june 30, 2024", "december 31, 2023"), "what was cash at december 31, 2024?", None),
        (("june 30, 2024", "december 31, 2023"), "what was cash at june 30, 2024?", 0),
        (("june 29, 2024", "december 31, 2023"), "what was cash at june 30, 2024?", 0),
        (("june 30, 2024", "december 31, 2023"), "what was cash at the end of june 2024?", 0),
        (("march 2024", "december 2023"), "what was cash in june 2024?", None),
        (
            ("three months ended june 30, 2024", "six months ended june 30, 2024"),
            "what was revenue in the third quarter of 2024?",
            None,
        ),
        (
            ("three months ended june 30, 2024", "nine months ended june 30, 2024"),
            "what was revenue in the third quarter of 2024?",
            0,
        ),
    ],
)
def test_a_missing_period_is_not_answered_with_another(
    columns: tuple[str, ...], question: str, place: int | None
) -> None:
    answer = quaestor.open(grid(*columns)).ask(question).answer
    assert answer.number == (None if place is None else 510 - 30 * place)


@pytest.mark.parametrize(
    ("question", "lacking"),
    [
        ("how much did revenue grow from q1 2023 to q3 2024?", True),
        ("how much did revenue grow from q1 2023 to q1 2024?", False),
    ],
)
def test_a_change_needs_both_periods(question: str, lacking: bool) -> None:
    assert (why(grid("q1 2024", "q1 2023"), question) is not None) is lacking
