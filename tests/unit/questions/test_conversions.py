"""Questions that only ask for the last answer in another form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.quantity import Scale
from quaestor.questions.answer_arithmetic import QuestionConversion, read_conversion


@pytest.mark.parametrize(
    ("text", "conversion"),
    [
        ("in thousands?", QuestionConversion(Scale.THOUSAND)),
        ("and in millions of dollars?", QuestionConversion(Scale.MILLION, "USD")),
        ("and in crores?", QuestionConversion(Scale.CRORE)),
        ("what is that in lakhs of rupees?", QuestionConversion(Scale.LAKH, "INR")),
        ("what is that in billions", QuestionConversion(Scale.BILLION)),
        ("what about in full dollars?", QuestionConversion(Scale.ONE, "USD")),
        ("can you convert it to u.s. dollars please?", QuestionConversion(Scale.ONE, "USD")),
        ("how much is that in percentage?", QuestionConversion(Scale.PERCENT)),
        ("and how much would that be in millions?", QuestionConversion(Scale.MILLION)),
        ("in % ?", QuestionConversion(Scale.PERCENT)),
        ("and as a percentage", QuestionConversion(Scale.PERCENT)),
        ("what was rent in thousands?", None),
        ("and in 2010?", None),
        ("in millions, what was rent?", None),
        ("as a percentage of revenue?", None),
        ("what is that in the prior year?", None),
        ("", None),
    ],
)
def test_conversions_are_whole_questions(text: str, conversion: QuestionConversion | None) -> None:
    assert read_conversion(text) == conversion


@given(st.text(max_size=80))
def test_no_text_fails(text: str) -> None:
    assert read_conversion(text) is None or len(text) >= len("in ones")
