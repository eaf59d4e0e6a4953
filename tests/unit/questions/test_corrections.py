"""Corrections are completed to whole questions."""

import pytest

from quaestor.questions.corrections import complete_correction, read_correction


@pytest.mark.parametrize(
    ("text", "questions", "completed", "replaced"),
    [
        ("sorry, basic", ["diluted EPS this year?"], "basic eps this year", 1),
        ("in 2024, I meant", ["net income in 2023?"], "net income in 2024", 1),
        ("2023, not 2024", ["revenue in Q2 2024?"], "revenue in q2 2023", 1),
        ("I meant the six months", ["loss in the quarter ended June 30, 2025?"], "loss the six months of 2025", 1),
        ("I meant the full years", ["operating margin in each?"], "operating margin the full years", 1),
        ("basic, not diluted", ["2 years back?", "per diluted share?"], "basic per share 2 years back", 2),
        ("no, the non-GAAP one", ["and what was diluted EPS?"], "the non-gaap what was diluted eps", 1),
        ("no, I meant its sales", ["operating income of Europe?"], "its sales", 0),
    ],
)
def test_a_correction_replaces_a_part_of_the_question_before(
    text: str, questions: list[str], completed: str, replaced: int
) -> None:
    correction = read_correction(text)
    assert correction is not None
    assert complete_correction(correction, questions, 2025) == (completed, replaced)


@pytest.mark.parametrize(
    "text",
    [
        "no impairment?",
        "what was the lease cost in 2024, not 2025",
        "leases not yet started - obligations?",
        "2018, and why not higher - just give the rate",
        "actually paid?",
    ],
)
def test_other_questions_are_no_corrections(text: str) -> None:
    assert read_correction(text) is None
