"""Times that questions explicitly ask for."""

import pytest

from quaestor.questions.question import Question
from quaestor.questions.question_times import times_asked, without_time_words


@pytest.mark.parametrize(
    ("question", "year", "months", "which", "month", "day"),
    [
        ("what was revenue in 2024?", 2024, None, None, None, None),
        ("what was revenue in fiscal 2024?", 2024, 12, None, None, None),
        ("what was full-year revenue in 2024?", 2024, 12, None, None, None),
        ("what was revenue in Q3 2024?", 2024, 3, 3, None, None),
        ("what was third-quarter revenue in 2024?", 2024, 3, 3, None, None),
        ("and in the first half?", None, 6, 1, None, None),
        ("what was revenue in the second half of 2023?", 2023, 6, 2, None, None),
        ("what was the net loss for the nine months of 2024?", 2024, 9, None, None, None),
        ("what was revenue for the six months to June 2024?", 2024, 6, None, 6, 30),
        ("what was revenue for the three months ended July 31, 2023?", 2023, 3, None, 7, 31),
        ("what was cash at September 30, 2024?", 2024, None, None, 9, 30),
        ("what were sales in June 2024?", 2024, 1, None, 6, None),
        ("and at September 30?", None, None, None, 9, 30),
    ],
)
def test_the_time_that_is_asked_for(
    question: str, year: int | None, months: int | None, which: int | None, month: int | None, day: int | None
) -> None:
    (time,) = times_asked(Question(question))
    assert (time.year, time.months, time.quarter or time.half, time.month, time.day) == (
        year,
        months,
        which,
        month,
        day,
    )


@pytest.mark.parametrize(
    "question",
    [
        "what was the balance of notes due December 15, 2021 in 2017?",
        "what would revenue be in Q3 2024?",
        "what was marketing?",
        "what was a quarter of revenue?",
    ],
)
def test_no_time_is_certainly_asked_for(question: str) -> None:
    assert times_asked(Question(question)) == ()


def test_two_times() -> None:
    times = times_asked(Question("how did assets change from December 2023 to March 2024?"))
    assert [(time.year, time.month) for time in times] == [(2023, 12), (2024, 3)]


def test_words_of_time_name_nothing() -> None:
    assert without_time_words("fourth-quarter net income").split() == ["net", "income"]
