"""Choices as answers: kinds, sources, confidence and grounds, for any question and page."""

import pytest
from choices import REGIONS, run_questions
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import page

from quaestor.core.answer_value import Number, Text, ValueList, YesNo
from quaestor.plan.steps import Compute


@pytest.mark.parametrize(
    ("question", "kind", "operation"),
    [
        ("in which year were total net sales highest?", Text, "argmax"),
        ("which years did wages exceed 310 thousand?", ValueList, "labels"),
        ("list the two largest regions", ValueList, "largest"),
        ("how many years was the tax rate above 30 %?", Number, "count"),
        ("did wages fall in 2012?", YesNo, "greater"),
    ],
)
def test_each_kind_has_its_plan_its_sources_and_its_grounds(question: str, kind: type, operation: str) -> None:
    (turn,) = run_questions(REGIONS, [question])
    assert isinstance(turn.answer.value, kind)
    assert turn.verified
    assert turn.answer.plan is not None
    last = turn.answer.plan.steps[-1]
    assert isinstance(last, Compute)
    assert last.operation == operation
    assert turn.answer.sources
    assert 0 < (turn.answer.confidence or 0) < 1
    assert turn.answer.grounds


def test_answer_is_a_number_if_only_numbers_are_requested() -> None:
    (turn,) = run_questions(REGIONS, ["in which year were total net sales highest?"], answers="numbers")
    assert turn.answer.number is not None


_WORDS = st.sampled_from(
    "which year years segments how many did was the highest lowest second three largest exceed less than 5 % million "
    "-3 in 2012 2011 net sales total tax rate of under are there components fall declined more list what negative "
    "between and quarter shown table".split()
)
_CELL = st.sampled_from(
    ["", "-", "$ 5", "-3 ( 3 )", "2012", "2011", "31.0% ( 31.0 % )", "total", "net sales", "4.5 million"]
)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(
    # A question of percent signs only is an error.
    st.lists(_WORDS, min_size=2, max_size=12).filter(lambda words: set(words) != {"%"}),
    st.lists(st.lists(_CELL, min_size=3, max_size=3), min_size=1, max_size=6),
)
def test_no_question_or_page_makes_a_choice_fail(words: list[str], grid: list[list[str]]) -> None:
    turns = run_questions(page(grid, ["net sales were 5 in 2012 ."]), [" ".join(words), "and what was it in 2011?"])
    assert len(turns) == 2
    assert all(turn.verified for turn in turns if turn.answer.value is not None)
