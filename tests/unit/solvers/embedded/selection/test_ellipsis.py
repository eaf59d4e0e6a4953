"""Questions that omit words of the previous question."""

import pytest
from choices import REGIONS, answer_texts
from examples import share
from hypothesis import given, settings
from hypothesis import strategies as st

from quaestor.questions.question import read_question
from quaestor.solvers.embedded.writing import complete_question


@pytest.mark.parametrize(
    ("before", "question", "whole"),
    [
        ("how many years did wages exceed 310?", "which years?", "which years did wages exceed 310?"),
        ("which regions declined in 2012?", "and in 2011?", "which regions declined in 2011?"),
        ("which regions declined?", "and in 2011?", "which regions declined in 2011?"),
        ("in which year were wages highest?", "what about freight?", "in which year were freight highest?"),
        ("in which year were wages highest?", "and which was lowest?", "which year was lowest?"),
        ("in which year were wages highest?", "and the lowest?", "in which year were wages lowest?"),
        ("which region had the higher sales in 2012?", "lower?", "which region had the lower sales in 2012?"),
        ("which region grew the most in 2012?", "and the least in 2011?", "which region grew the least in 2011?"),
    ],
)
def test_omitted_words_come_from_the_question_before(before: str, question: str, whole: str) -> None:
    assert complete_question(read_question(question), [read_question(before)]).text == whole


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("what were wages in 2012?", "and in 2011?"),
        ("what were wages in 2012?", "which years?"),
        ("in which year were wages highest?", "in that year, what was freight?"),
        ("in which year were wages highest?", "and what was it in 2011?"),
        ("in which year were wages highest?", "and how much was that?"),
        ("which regions declined?", "and the change in 2011?"),
    ],
)
def test_other_questions_are_unchanged(before: str, question: str) -> None:
    assert complete_question(read_question(question), [read_question(before)]).text == question


@pytest.mark.parametrize(
    ("questions", "answers"),
    [
        (["how many years did wages exceed 310 thousand?", "which years?"], ["2", "2012; 2011"]),
        (
            ["which region had the highest net sales in 2012?", "what about operating expenses?"],
            ["north region", "wages"],
        ),
        (["in which year were wages highest?", "and the tax rate?", "and which was lowest?"], ["2011", "2010", "2011"]),
        (["did wages fall in 2012?", "and freight?", "and in 2011?"], ["yes", "no", "yes"]),
    ],
)
def test_elliptical_questions_are_answered(questions: list[str], answers: list[str]) -> None:
    assert answer_texts(REGIONS, *questions) == answers


_WORDS = st.sampled_from("and in 2011 what about which years ones ? freight the how many highest was".split())
_QUESTION_WORDS = st.lists(_WORDS, max_size=6)


@settings(max_examples=share(50))
@given(st.lists(_QUESTION_WORDS.map(" ".join), min_size=1, max_size=4))
def test_any_questions_can_follow_each_other(texts: list[str]) -> None:
    *earlier, last = map(read_question, texts)
    assert isinstance(complete_question(last, earlier).text, str)
