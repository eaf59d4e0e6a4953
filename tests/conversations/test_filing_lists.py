"""Lists of measures and complete rankings of a filing, and follow-up questions."""

import pytest
from discussed_filing import a_discussed_filing

import quaestor


def ask(*questions: str) -> list[str]:
    return [str(answer) for answer in quaestor.open(a_discussed_filing()).ask(questions)]


@pytest.mark.parametrize(
    ("question", "listed"),
    [
        (
            "list net sales, research and development and net income in 2024",
            "Net sales: $ 600 million; Research and development: $ 64 million; Net income: $ 90 million",
        ),
        (
            "what are net sales, cost of sales and operating income",
            "Net sales: $ 600 million; Cost of sales: $ 350 million; Operating income: $ 116 million",
        ),
        (
            "net income and SG&A for 2023",
            "Net income: $ 85 million; Selling, general and administrative: $ 75 million",
        ),
        (
            "net sales of harbors and rivers in 2023",
            "Harbors net sales: $ 380 million; Rivers net sales: $ 200 million",
        ),
    ],
)
def test_each_named_item_is_listed(question: str, listed: str) -> None:
    assert ask(question) == [listed]


@pytest.mark.parametrize(
    ("question", "listed"),
    [
        ("rank the segments by net sales", "Harbors net sales: $ 420 million; Rivers net sales: $ 180 million"),
        (
            "sort the segments by net sales in 2023, smallest first",
            "Rivers net sales: $ 200 million; Harbors net sales: $ 380 million",
        ),
        ("rank the years by net income", "2024: $ 90 million; 2023: $ 85 million"),
    ],
)
def test_ranking_lists_all_items_in_order(question: str, listed: str) -> None:
    assert ask(question) == [listed]


def test_follow_ups_refer_to_places_of_a_ranking() -> None:
    _, second, double = ask("rank the segments by net sales", "the second one", "double that")
    assert (second, double) == ("$ 180 million", "$ 360 million")


def test_difference_of_two_lines_is_labelled_with_both() -> None:
    (listed,) = ask("what was net sales less cost of sales in 2024, and what was net income in 2024?")
    assert listed.startswith("Net sales less Cost of sales: $ 250 million; Net income")


def test_total_line_is_not_summed_over_earlier_years() -> None:
    *_, last = ask("what was the change in net income from 2023 to 2024?", "what were total net sales?")
    assert last == "$ 600 million"
