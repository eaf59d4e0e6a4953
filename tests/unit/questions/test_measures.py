"""Measures asked for by name: the form, the times, and what beside the name makes another figure of it."""

import pytest

from quaestor.questions.measures import AskedMeasure, asked_measure
from quaestor.questions.question import read_question


def asked(*questions: str) -> AskedMeasure | None:
    *earlier, last = map(read_question, questions)
    return asked_measure(last, earlier)


@pytest.mark.parametrize(
    ("question", "called", "form", "years"),
    [
        ("what was free cash flow in 2024?", "free cash flow", "value", [2024]),
        ("how much was FCF?", "free cash flow", "value", []),
        ("what were the current ratios in 2023 and 2024?", "current ratio", "value", [2023, 2024]),
        ("how much did working capital change from 2023 to 2024?", "working capital", "change", [2023, 2024]),
        ("what was the growth in EBITDA?", "ebitda", "percentage_change", []),
        ("CAGR of free cash flow 2022 to 2024", "free cash flow", "growth_rate", [2022, 2024]),
        ("what was the compound annual growth rate of sales from 2022 to 2024?", "sales", "growth_rate", [2022, 2024]),
        ("what was the average annual growth of sales from 2022 to 2024?", "sales", "growth_rate", [2022, 2024]),
        ("what was the average net income over 2022 to 2024?", "net income", "average", [2022, 2024]),
        ("what was the average change in net sales from 2022 to 2024?", "net sales", "average_change", [2022, 2024]),
        ("what was the average yearly increase in revenue?", "revenue", "average_change", []),
        ("was the current ratio higher in 2024 than in 2023?", "current ratio", "higher", [2024, 2023]),
        ("did the operating margin decline in 2023?", "operating margin", "lower", [2023]),
    ],
)  # fmt: skip
def test_what_is_asked_for(question: str, called: str, form: str, years: list[int]) -> None:
    found = asked(question)
    assert found is not None
    assert (found.called, found.form, [period.year for period in found.periods]) == (called, form, years)


@pytest.mark.parametrize(
    ("question", "beside"),
    [
        ("what was the operating margin of Europe in 2024?", ("europe",)),
        ("what was the adjusted ebitda?", ("adjusted",)),
        ("what was Nord's free cash flow?", ("nord's",)),
        ("what was the company's total free cash flow for the fiscal year 2024, please?", ()),
    ],
)
def test_what_may_make_another_figure_of_it_is_named(question: str, beside: tuple[str, ...]) -> None:
    found = asked(question)
    assert found is not None
    assert (*found.owners, *found.others) == beside


@pytest.mark.parametrize(
    "question",
    [
        "what was net income in 2024?",
        "why did free cash flow fall?",
        "in which year was the current ratio highest?",
        "what was the average price per share in 2024?",
        "what was the average percentage change in net sales from 2022 to 2024?",
        "what was the change in inventories from 2023 to 2024?",
    ],
)
def test_questions_without_a_measure(question: str) -> None:
    assert asked(question) is None


@pytest.mark.parametrize(
    ("questions", "form", "years"),
    [
        (("what was the current ratio in 2023?", "and in 2024?"), "value", [2024]),
        (("what was the current ratio in 2023?", "in the prior year?"), "value", [2022]),
        (("what was the current ratio in 2023?", "and in 2024?", "what was the change?"), "change", [2024, 2023]),
        (("what was the current ratio in 2023?", "how did it change?"), "change", [2023]),
        (("what was revenue in 2023?", "and the net margin?"), "value", [2023]),
    ],
)
def test_what_goes_on_is_completed(questions: tuple[str, ...], form: str, years: list[int]) -> None:
    found = asked(*questions)
    assert found is not None
    assert (found.form, [period.year for period in found.periods]) == (form, years)


def test_a_question_between_ends_it() -> None:
    assert asked("what was the current ratio in 2023?", "what was rent in 2023?", "and in 2024?") is None


@pytest.mark.parametrize(
    ("question", "months"),
    [
        ("what was the operating margin in the second quarter?", 3),
        ("what was free cash flow in the first half?", 6),
        ("what was free cash flow in 2024?", 0),
    ],
)
def test_the_length_of_time_that_is_named_without_a_year(question: str, months: int) -> None:
    found = asked(question)
    assert found is not None
    assert found.months == months
