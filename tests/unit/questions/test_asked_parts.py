"""Questions that compute with earlier answers or their parts."""

from decimal import Decimal

import pytest

from quaestor.questions.asked_parts import AskedParts, read_asked_parts


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("and the first one?", AskedParts((0,))),
        ("the latter", AskedParts((-1,), 2)),
        ("what is the sum of the first two?", AskedParts((0, 1), 0, "sum")),
        ("add up all three", AskedParts((), 3, "sum")),
        ("both together?", AskedParts((), 2, "sum")),
        ("ratio of the two", AskedParts((), 2, "divide")),
        ("the second minus the first", AskedParts((1, 0), 0, "subtract")),
        ("subtract the first from the second", AskedParts((1, 0), 0, "subtract")),
        ("the change from the first to the second?", AskedParts((1, 0), 0, "subtract")),
        ("the second as a percentage of the first", AskedParts((1, 0), 0, "percentage")),
        ("which of the three is the lowest?", AskedParts((), 3, "argmin")),
        ("so which was larger?", AskedParts((), 2, "argmax")),
        ("half of the second one", AskedParts((1,), 0, "divide", factor=Decimal(2))),
    ],
)
def test_parts_are_named_by_their_places(text: str, asked: AskedParts) -> None:
    assert read_asked_parts(text) == asked


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
        ("and double that?", (-1,), "multiply", 2),
        ("what is a third of it", (-1,), "divide", 3),
        ("12.5% of answer 2", (1,), "multiply", Decimal("0.125")),
        ("divide the result by 4", (-1,), "divide", 4),
        ("that times 1.5", (-1,), "multiply", Decimal("1.5")),
    ],
)
def test_answers_are_named_by_their_numbers(
    text: str, places: tuple[int, ...], operation: str, factor: Decimal | None
) -> None:
    assert read_asked_parts(text) == AskedParts(places, 0, operation, answers=True, factor=factor)


@pytest.mark.parametrize("text", ["what is it?", "it to it", "half of the segments", "interest 2", "answer 0"])
def test_words_that_are_no_answers_are_not_computed_with(text: str) -> None:
    assert read_asked_parts(text) is None


@pytest.mark.parametrize("text", ["the first quarter", "the two segments", "both years", "total debt", "them", ""])
def test_other_questions_name_no_parts(text: str) -> None:
    assert read_asked_parts(text) is None
