"""Lines that a question lists; the labels of the page decide whether "and" separates two lines."""

import pytest
from pages import page

from quaestor.documents.assembly import TablePart, assemble
from quaestor.questions.question import Question
from quaestor.solvers.embedded.several import find_listed_lines

PAGE = page(
    [
        ["( in millions )", "2016", "2015"],
        ["research and development", "12", "11"],
        ["selling", "7", "6"],
        ["rent", "3", "2"],
        ["rent and selling", "10", "8"],
    ],
    ["sales rose in 2016 ."],
)

WITH_YEARS = [
    ["Years ended December 31,", "2023", "2022"],
    ["Passenger sales", "640", "600"],
    ["Freight sales", "160", "120"],
    ["Cost of sales", "480", "450"],
]


@pytest.mark.parametrize(
    ("question", "items"),
    [
        ("what were selling and rent in 2016?", ("selling", "rent")),
        (
            "what were the Rent, selling, and research and development in 2016?",
            ("Rent", "selling", "research and development"),
        ),
    ],
)
def test_enumerated_lines_are_listed(question: str, items: tuple[str, ...]) -> None:
    listing = find_listed_lines(Question(question), PAGE)
    assert listing is not None
    assert listing.items == items
    assert all(item in part for item, part in zip(listing.items, listing.questions, strict=True))


@pytest.mark.parametrize(
    "question",
    [
        "what was research and development in 2016?",
        "what were rent and selling in 2016?",
        "what is the sum of selling and rent in 2016?",
        "what was the difference between selling and rent?",
        "what was rent in 2016 and in 2015?",
        "what was selling?",
    ],
)
def test_one_line_or_one_result_is_not_a_list(question: str) -> None:
    assert find_listed_lines(Question(question), PAGE) is None


def test_a_label_without_an_and_does_not_match_across_one() -> None:
    lines = page([["", "2016"], ["net income", "3"], ["net income , total", "4"], ["total assets", "9"]], [])
    listing = find_listed_lines(Question("what were net income and total assets in 2016?"), lines)
    assert listing is not None
    assert listing.items == ("net income", "total assets")


def test_label_of_years_only_is_not_a_line() -> None:
    statements = assemble("TERN/2023", [TablePart(WITH_YEARS)])
    assert find_listed_lines(Question("passenger and freight sales, year 2022"), statements) is None
    assert find_listed_lines(Question("total of passenger sales and costs, year by year"), statements) is None
    listing = find_listed_lines(Question("list passenger sales and cost of sales of year 2023"), statements)
    assert listing is not None
    assert listing.items == ("passenger sales", "cost of sales")
