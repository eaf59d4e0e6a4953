"""Questions that compute with earlier answers or their parts."""

from decimal import Decimal

import pytest

from quaestor.core.quantity import Quantity, Scale
from quaestor.questions.answer_arithmetic import NO_PLACE, AnswerArithmetic, read_answer_arithmetic


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("and the first one?", AnswerArithmetic((0,))),
        ("the latter", AnswerArithmetic((-1,), 2)),
        ("what is the sum of the first two?", AnswerArithmetic((0, 1), 0, "sum")),
        ("add up all three", AnswerArithmetic((), 3, "sum")),
        ("both together?", AnswerArithmetic((), 2, "sum")),
        ("ratio of the two", AnswerArithmetic((), 2, "divide")),
        ("the second minus the first", AnswerArithmetic((1, 0), 0, "subtract")),
        ("subtract the first from the second", AnswerArithmetic((1, 0), 0, "subtract")),
        ("the change from the first to the second?", AnswerArithmetic((1, 0), 0, "subtract")),
        ("the second as a percentage of the first", AnswerArithmetic((1, 0), 0, "percentage")),
        ("which of the three is the lowest?", AnswerArithmetic((), 3, "argmin")),
        ("so which was larger?", AnswerArithmetic((), 2, "argmax")),
        ("half of the second one", AnswerArithmetic((1,), 0, "divide", factor=Quantity(Decimal(2)))),
    ],
)
def test_parts_are_named_by_their_places(text: str, parts: AnswerArithmetic) -> None:
    assert read_answer_arithmetic(text) == parts


@pytest.mark.parametrize(
    ("text", "places", "operation", "factor"),
    [
        ("the sum of answer 1 and answer 12", (0, 11), "sum", None),
        ("what's the average of answers 2 to 4?", (1, 2, 3), "average", None),
        ("add the answers to questions 1, 2 and 4", (0, 1, 3), "sum", None),
        ("the total of all answers so far", (), "sum", None),
        ("the mean of the last three answers", (-3, -2, -1), "average", None),
        ("#3 as a percentage of #1", (2, 0), "percentage", None),
        ("the percentage change from answer 1 to answer 2", (1, 0), "percentage_change", None),
        ("subtract question 2 from that", (-1, 1), "subtract", None),
        ("that minus the previous one", (-1, -2), "subtract", None),
        ("and double that?", (-1,), "multiply", "2"),
        ("what is a third of it", (-1,), "divide", "3"),
        ("12.5% of answer 2", (1,), "multiply", "0.125"),
        ("divide the result by 4", (-1,), "divide", "4"),
        ("that times 1.5", (-1,), "multiply", "1.5"),
        ("that plus 5", (-1,), "sum", "5"),
        ("subtract 7.5 from answer 3", (2,), "subtract", "7.5"),
        ("answer 1 minus answer 1", (0, 0), "subtract", None),
        ("the sum of answers 4-2", (1, 2, 3), "sum", None),
    ],
)
def test_answers_are_named_by_their_numbers(
    text: str, places: tuple[int, ...], operation: str, factor: str | None
) -> None:
    parts = read_answer_arithmetic(text)
    assert parts is not None
    assert (parts.places, parts.operation, parts.answers, parts.count) == (places, operation, True, 0)
    assert (None if parts.factor is None else parts.factor.value) == (None if factor is None else Decimal(factor))


@pytest.mark.parametrize(
    ("text", "value", "scale", "inverse"),
    [
        ("that times 1e400", "1e400", Scale.ONE, False),
        ("multiply it by -1,000", "-1000", Scale.ONE, False),
        ("that plus $ 2.5 million", "2.5", Scale.MILLION, False),
        ("add 5% to that", "5", Scale.PERCENT, True),
        ("100 divided by answer 2", "100", Scale.ONE, True),
        ("the change from 10 to that", "10", Scale.ONE, False),
    ],
)
def test_given_number_is_read_as_printed(text: str, value: str, scale: Scale, inverse: bool) -> None:
    parts = read_answer_arithmetic(text)
    assert parts is not None
    assert parts.factor is not None
    assert (parts.factor.value, parts.factor.scale, parts.inverse) == (Decimal(value), scale, inverse)


@pytest.mark.parametrize("text", ["answer 0", "the sum of answers 1 to 999999999", "answer 12345678901234567890"])
def test_reference_to_a_missing_answer_is_kept(text: str) -> None:
    parts = read_answer_arithmetic(text)
    assert parts is not None
    assert parts.places == (NO_PLACE,)


@pytest.mark.parametrize(("text", "operation"), [("the average?", "average"), ("and the total", "sum")])
def test_an_operation_alone_is_on_the_last_list(text: str, operation: str) -> None:
    assert read_answer_arithmetic(text) == AnswerArithmetic((), 0, operation, of_list=True)


@pytest.mark.parametrize("text", ["what is it?", "it to it", "half of the segments", "interest 2", "that minus 2023"])
def test_words_without_an_answer_are_not_operands(text: str) -> None:
    assert read_answer_arithmetic(text) is None


@pytest.mark.parametrize("text", ["the first quarter", "the two segments", "both years", "total debt", "them", ""])
def test_other_questions_have_no_parts(text: str) -> None:
    assert read_answer_arithmetic(text) is None
