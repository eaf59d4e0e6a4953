"""Questions to a long report as analysts put them: two lines held against each other, listed, or called otherwise."""

import pytest
from long_filing import a_long_filing

import quaestor
from quaestor import AnsweredQuestion

FILING = a_long_filing()


def asked(question: str) -> AnsweredQuestion:
    (answered,) = quaestor.open(FILING).ask([question], solver="embedded")
    return answered


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("was r&d above net income in 2023?", "no"),
        ("did R&D exceed SG&A in 2022?", "yes"),
        ("was services below products in 2022?", "yes"),
        ("which was larger in 2023, R&D or SG&A?", "research and development"),
        ("which was larger, selling, general and administrative or net income?", "net income"),
    ],
)
def test_two_lines_are_held_against_each_other_with_both_numbers(question: str, answer: str) -> None:
    found = asked(question)
    assert found.display == answer
    assert len(found.sources) == 2


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "what were r&d and sg&a in 2023?",
            "research and development: 96 million; selling, general and administrative: 88 million",
        ),
        (
            "what were net income and total assets in 2022?",
            "net income: $ 76 million; total assets, december 31: $ 645 million",
        ),
        ("what were products and services sales in 2023?", "products: $ 640 million; services: $ 160 million"),
        ("how much was capex in 2023?", "-77 million"),
    ],
)
def test_lines_are_found_by_any_of_their_names(question: str, answer: str) -> None:
    assert asked(question).display == answer
