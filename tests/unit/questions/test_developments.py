"""Questions about the development of a line."""

import pytest

from quaestor.questions.developments import asks_for_development, asks_how_far
from quaestor.questions.selection import read_answer_kind


@pytest.mark.parametrize(
    "question",
    [
        "how did net sales change in 2024?",
        "how did they change?",
        "how has gross margin evolved since 2022?",
        "and how did that develop over the year?",
    ],
)
def test_a_development_is_a_number(question: str) -> None:
    assert asks_for_development(question)
    assert read_answer_kind(question).kind == "number"


@pytest.mark.parametrize(
    "question",
    [
        "how did the company change its accounting for leases?",
        "how did management change?",
        "how did the company account for leases?",
        "what was the change in rent?",
    ],
)
def test_questions_about_text_ask_for_no_development(question: str) -> None:
    assert not asks_for_development(question)


@pytest.mark.parametrize(
    ("question", "far"),
    [
        ("lease cost for variable payments, how much up in 2021 (bn)?", True),
        ("goodwill in north america rose how much during 2023?", True),
        ("how big was the swing from the year before?", True),
        ("non income taxes accrued, change", True),
        ("technology assets at cost, change over the year", True),
        ("by how much did it shrink?", True),
        ("by how many percent did it fall?", False),
        ("how much would a rise in rates cost?", False),
        ("how much of the increase came from marketing?", False),
        ("comparable sales change", False),
    ],
)
def test_questions_about_the_size_of_a_movement_are_recognised(question: str, far: bool) -> None:
    assert asks_how_far(question) is far
