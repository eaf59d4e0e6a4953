"""Which answers are labelled right for training."""

from decimal import Decimal

import pytest

from quaestor.core.answer_value import AnswerValue, ListItem, Number, Text, ValueList
from quaestor.core.quantity import Scale
from quaestor.learning.filing_confidence import is_right

TWO = {"parts": [{"text": "Ernst & Young LLP"}, {"value": 4.05, "scale": "billion"}]}


def entries(*items: tuple[str | None, str | None]) -> ValueList:
    return ValueList(tuple(ListItem(label, None if number is None else Decimal(number)) for label, number in items))


@pytest.mark.parametrize(
    ("value", "right"),
    [
        (entries(("Ernst & Young LLP", None), (None, "4.05")), True),
        (entries(("Deloitte LLP", None), (None, "4.05")), False),
        (entries(("Ernst & Young LLP", None)), False),
        (entries((None, "4.05")), False),
        (Text("Ernst & Young LLP was paid 4.05 billion"), True),
        (Number(Decimal("4.05")), False),
    ],
)
def test_an_answer_of_two_parts_is_right_if_both_are(value: AnswerValue, right: bool) -> None:
    assert is_right(TWO, value, Scale.BILLION) is right


@pytest.mark.parametrize(("number", "right"), [("520", True), ("675", False)])
def test_the_numbers_of_a_list_are_compared_and_not_only_its_labels(number: str, right: bool) -> None:
    label = {"values": [{"label": "2022", "value": 520, "scale": "million", "unit": "USD"}]}
    assert is_right(label, entries(("2022", number)), Scale.MILLION) is right


def test_function_words_do_not_make_a_quotation_right() -> None:
    label = {"text": "the costs of the new plants which are under construction"}
    assert not is_right(label, Text("the results of the year which are under review"), Scale.ONE)
    assert is_right(label, Text("Costs of new plants rose."), Scale.ONE)
