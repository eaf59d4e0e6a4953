"""Questions about the parts of an answer before."""

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
    ],
)
def test_parts_are_named_by_their_places(text: str, asked: AskedParts) -> None:
    assert read_asked_parts(text) == asked


@pytest.mark.parametrize("text", ["the first quarter", "the two segments", "both years", "total debt", "them", ""])
def test_other_questions_name_no_parts(text: str) -> None:
    assert read_asked_parts(text) is None
