"""Quoted names of lines in questions are treated as names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.questions.quoted_names import mark_quoted_names, restore_names

NAMES = (
    "total property, plant and equipment, net",
    "income before provision for income taxes",
    "change in fair value of debt securities",
    "percentage of total net sales",
    "change in inventories",
    "revenue by segment",
    "2023 net revenue",
    "3% notes due june 2049",
    "decrease of prior period taxes",
    "cash at end of year",
    "net income",
)


@pytest.mark.parametrize(
    ("question", "outline"),
    [
        ("what was the change in Total property, plant and equipment, net?", "what was the change in linenamea?"),
        ("what was Income before provision for income taxes in 2023?", "what was linenamea in 2023?"),
        ("the growth of change in inventories from 2022 to 2023", "the growth of linenamea from 2022 to 2023"),
        ("what was Change in inventories in 2023?", "what was linenamea in 2023?"),
        ("what was 3% notes due June 2049 in 2023?", "what was linenamea in 2023?"),
        ("what was Decrease of prior period taxes in 2023?", "what was linenamea in 2023?"),
    ],
)
def test_name_that_could_be_parsed_is_marked(question: str, outline: str) -> None:
    marked, names = mark_quoted_names(question, NAMES)
    assert marked == outline
    assert restore_names(marked, names) == question


@pytest.mark.parametrize(
    "question",
    [
        "what percentage of total net sales was iPad in 2024?",
        "what was the change in inventories from 2022 to 2023?",
        "what was revenue by segment?",
        "what was 2023 net revenue?",
        "what was cash at end of year in 2023?",
        "what was 3% notes due June 2049?",
        "what was net income?",
    ],
)
def test_words_of_the_question_itself_are_not_marked(question: str) -> None:
    assert mark_quoted_names(question, NAMES) == (question, ())


@given(st.text(max_size=60), st.lists(st.text(min_size=3, max_size=12), max_size=4))
def test_quotation_marks_can_be_removed(text: str, names: list[str]) -> None:
    question = f"{text} {' '.join(names)}"
    marked, quoted = mark_quoted_names(question, [name.lower() for name in names])
    assert quoted == () or restore_names(marked, quoted) == question or "linename" in question
