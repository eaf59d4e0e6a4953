"""Values of answers are restored from text with their kinds."""

import json
from dataclasses import dataclass
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core import serial
from quaestor.core.answer_value import (
    AnswerValue,
    ListItem,
    Number,
    Text,
    ValueList,
    YesNo,
    as_float,
    kind_words,
    number_of,
    print_value,
    value_from_json,
    value_from_text,
    value_to_json,
    value_to_plain,
    value_to_text,
)
from quaestor.errors import InputError

DECIMALS = st.decimals(allow_nan=False, allow_infinity=False)
WORDS = st.text(st.characters(codec="utf-8"), max_size=20)
ITEMS = st.builds(ListItem, st.none() | WORDS, DECIMALS) | st.builds(ListItem, WORDS)
VALUES = (
    st.builds(Number, DECIMALS)
    | st.builds(YesNo, st.booleans())
    | st.builds(Text, WORDS | st.sampled_from(["yes", "no", "13.7", "", "{}", '{"text": "x"}']))
    | st.builds(ValueList, st.lists(ITEMS, max_size=4).map(tuple))
)


@dataclass(frozen=True, slots=True)
class Holder:
    """A dataclass with a value, like an answer."""

    value: AnswerValue | None
    other: str = "x"


def exactly(value: AnswerValue) -> str:
    """Return a representation with type and all digits, which distinguishes 1 from 1.0 although they are equal."""
    return repr(value)


@given(VALUES)
def test_value_is_restored_from_json_with_kind_and_digits(value: AnswerValue) -> None:
    stored = json.dumps(value_to_json(value))
    assert exactly(value_from_json(json.loads(stored))) == exactly(value)


@given(VALUES | st.none())
def test_value_is_serialized_in_a_dataclass(value: AnswerValue | None) -> None:
    stored = json.loads(json.dumps(serial.dump(Holder(value))))
    assert serial.load(Holder, stored) == Holder(value)
    assert stored["value"] == (None if value is None else value_to_json(value))


@given(VALUES)
def test_value_is_restored_from_a_text_column(value: AnswerValue) -> None:
    back = value_from_text(value_to_text(value))
    assert (type(back), back, hash(back)) == (type(value), value, hash(value))


@given(VALUES, VALUES)
def test_values_are_equal_by_content_and_kinds_are_never_mixed(one: AnswerValue, other: AnswerValue) -> None:
    assert (one == other) == (value_to_text(one) == value_to_text(other) or _same_numbers(one, other))
    if one == other:
        assert type(one) is type(other)
        assert hash(one) == hash(other)


def _same_numbers(one: AnswerValue, other: AnswerValue) -> bool:
    """Return whether two values have the same numbers, possibly written in different ways."""
    match one, other:
        case Number(value=left), Number(value=right):
            return left == right
        case ValueList(items=lefts), ValueList(items=rights):
            return [(i.label, i.number) for i in lefts] == [(i.label, i.number) for i in rights]
        case _:
            return False


@given(VALUES)
def test_every_value_can_be_printed_and_exported(value: AnswerValue) -> None:
    assert str(value) == print_value(value)
    json.dumps(value_to_plain(value))
    assert (number_of(value) is None) == (not isinstance(value, Number))
    assert (as_float(value) is None) == isinstance(value, Text | ValueList)
    assert kind_words(value)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**40), max_value=10**40, places=6))
def test_a_printed_number_has_all_its_digits(number: Decimal) -> None:
    assert Decimal(print_value(Number(number))) == number


@pytest.mark.parametrize(
    ("stored", "value"),
    [
        ("13.70", Number(Decimal("13.70"))),
        ("1E+3", Number(Decimal("1E+3"))),
        (True, YesNo(True)),
        (False, YesNo(False)),
    ],
)
def test_answers_of_old_stores_are_converted(stored: object, value: AnswerValue) -> None:
    assert exactly(serial.load(Holder, {"value": stored}).value or value) == exactly(value)
    assert value_to_json(value) == stored


@pytest.mark.parametrize(
    ("value", "plain", "printed"),
    [
        (Number(Decimal("12.50")), 12.5, "12.50"),
        (Number(Decimal("12.0")), 12, "12.0"),
        (YesNo(False), False, "no"),
        (Text("Europe"), "Europe", "Europe"),
        (ValueList(()), [], "none"),
        (ValueList((ListItem(number=Decimal(1)), ListItem(number=Decimal("2.5")))), [1, 2.5], "1; 2.5"),
        (ValueList((ListItem("a, b", Decimal(-3)),)), [{"label": "a, b", "number": -3}], "a, b: -3"),
    ],
)
def test_wording(value: AnswerValue, plain: object, printed: str) -> None:
    assert value_to_plain(value) == plain
    assert type(value_to_plain(value)) is type(plain)
    assert print_value(value) == printed


@pytest.mark.parametrize(
    "stored",
    [None, "", "five", "NaN", "Infinity", {}, {"text": 1}, {"text": "a", "list": []}, {"list": [{}]}, {"list": "a"},
     {"list": [{"label": 1}]}, {"list": [{"number": "x"}]}, {"list": [{"label": "a", "more": 1}]}, [], 1j],
)  # fmt: skip
def test_malformed_values_are_refused(stored: object) -> None:
    with pytest.raises(InputError):
        value_from_json(stored)


@pytest.mark.parametrize("text", ["", "five", "NaN", "{", "{}", "Yes", '{"text": 1}', "{" * 5000])
def test_malformed_text_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        value_from_text(text)
