"""Answer values (a number, yes or no, text, or a list), and how they are printed and stored as JSON."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Annotated, Literal

from pydantic import JsonValue, PlainSerializer, PlainValidator, WithJsonSchema

from quaestor.core.quantity import Scale
from quaestor.errors import InputError


@dataclass(frozen=True, slots=True)
class Number:
    """Exact number; its scale is stored beside it."""

    value: Decimal

    def __str__(self) -> str:
        return print_value(self)


@dataclass(frozen=True, slots=True)
class YesNo:
    """Yes or no. Unlike `True`, it never equals a number."""

    value: bool

    def __str__(self) -> str:
        return print_value(self)


@dataclass(frozen=True, slots=True)
class Text:
    """Words of the document, such as the name of a segment. `Text("yes")` differs from `YesNo(True)`."""

    value: str

    def __str__(self) -> str:
        return print_value(self)


@dataclass(frozen=True, slots=True)
class ListItem:
    """One entry of a list: a label, a number, or a number with its label.

    Attributes:
        scale: The scale of the number; None if it is the scale of the whole list.
        unit: What the number counts, such as `USD`; only together with a scale.
    """

    label: str | None = None
    number: Decimal | None = None
    scale: Scale | None = None
    unit: str | None = None

    def __post_init__(self) -> None:
        if self.label is None and self.number is None:
            raise InputError("a list item requires a label or a number")
        if (self.scale is None and self.unit is not None) or (self.scale is not None and self.number is None):
            raise InputError("a list item with a scale requires a number, and one with a unit requires a scale")


@dataclass(frozen=True, slots=True)
class ValueList:
    """Ordered list of labels, numbers, or numbers with their labels; an empty list is printed as `none`."""

    items: tuple[ListItem, ...]

    def __str__(self) -> str:
        return print_value(self)


AnswerKinds = Literal["numbers", "all"]
"""Kinds of answers: `numbers` (and yes or no), or `all`, which adds labels, lists, counts and words of the document."""


def print_value(
    value: "AnswerValue",
    number: Callable[[Decimal], str] = "{:f}".format,
    own: "Callable[[Decimal, Scale, str | None], str] | None" = None,
) -> str:
    """Return the text of a value for people.

    >>> print_value(ValueList((ListItem("Europe", Decimal(3)), ListItem("Asia"))))
    'Europe: 3; Asia'

    Args:
        number: Formats a number; by default with all its digits.
        own: Formats a number of a list that has its own scale; by default `amount_words`.
    """
    match value:
        case Number(value=exact):
            return number(exact)
        case YesNo(value=yes):
            return "yes" if yes else "no"
        case Text(value=text):
            return text
        case ValueList(items=items):
            return "; ".join(_item_words(item, number, own or amount_words) for item in items) or "none"


def _item_words(
    item: ListItem, number: Callable[[Decimal], str], own: Callable[[Decimal, Scale, str | None], str]
) -> str:
    if item.number is None:
        return item.label or ""
    shown = number(item.number) if item.scale is None else own(item.number, item.scale, item.unit)
    return shown if item.label is None else f"{item.label}: {shown}"


def amount_words(number: Decimal, scale: Scale | None = None, unit: str | None = None) -> str:
    """Return a number with all its digits, its scale and its unit: `14.1 percent`, `5.2 million USD`.

    Args:
        scale: The multiplier of one unit; None and `Scale.ONE` are not printed.
        unit: What the number counts, such as `USD`; not printed with a percentage.
    """
    unit = None if scale is Scale.PERCENT else unit
    named = scale.value if scale not in (None, Scale.ONE) else None
    return " ".join(word for word in (f"{number:f}", named, unit) if word)


def print_amount(value: "AnswerValue", scale: Scale | None = None, unit: str | None = None) -> str:
    """Return the text of a value with all its digits, its scale and its unit."""
    return print_value(value, lambda number: amount_words(number, scale, unit))


def number_of(value: "AnswerValue | None") -> Decimal | None:
    """Return the number of a `Number`, or None."""
    return value.value if isinstance(value, Number) else None


def numbers_of_value(value: "AnswerValue | None") -> tuple[Decimal, ...]:
    """Return the number of a `Number`, or all numbers of a `ValueList`."""
    if isinstance(value, ValueList):
        return tuple(item.number for item in value.items if item.number is not None)
    return (value.value,) if isinstance(value, Number) else ()


def as_float(value: "AnswerValue | None") -> float | None:
    """Return a number as a float, yes as 1 and no as 0; None for other values."""
    match value:
        case Number(value=exact):
            return float(exact)
        case YesNo(value=yes):
            return float(yes)
        case _:
            return None


def kind_words(value: "AnswerValue") -> str:
    """Return the kind of a value for messages: `a number`, `a yes or no`, `the text 'Europe'`."""
    match value:
        case Number():
            return "a number"
        case YesNo():
            return "a yes or no"
        case Text(value=text):
            return f"the text {text if len(text) <= 40 else text[:37] + '...'!r}"
        case ValueList():
            return "a list"


def value_to_json(value: "AnswerValue") -> JsonValue:
    """Return a value as JSON: a number as decimal text, yes and no as true and false, text and lists as objects.

    >>> value_to_json(Number(Decimal("13.70"))), value_to_json(YesNo(True)), value_to_json(Text("13.7"))
    ('13.70', True, {'text': '13.7'})
    """
    match value:
        case Number(value=exact):
            return str(exact)
        case YesNo(value=yes):
            return yes
        case Text(value=text):
            return {"text": text}
        case ValueList(items=items):
            return {"list": [_item_to_json(item) for item in items]}


def _item_to_json(item: ListItem) -> JsonValue:
    label: dict[str, JsonValue] = {} if item.label is None else {"label": item.label}
    return label if item.number is None else {**label, "number": str(item.number), **_own(item)}


def _own(item: ListItem) -> dict[str, JsonValue]:
    """Return the scale and unit of a list item, if it has its own."""
    own = {"scale": item.scale and item.scale.value, "unit": item.unit}
    return {name: value for name, value in own.items() if value is not None}


def value_to_plain(value: "AnswerValue") -> JsonValue:
    """Return a value as plain JSON: numbers as numbers, text as text, a list as a list.

    It cannot be read back: a number may lose digits, and text and labels look alike.

    >>> value_to_plain(ValueList((ListItem("Europe", Decimal(3)), ListItem("Asia"))))
    [{'label': 'Europe', 'number': 3}, 'Asia']
    """
    match value:
        case Number(value=exact):
            return json_number(exact)
        case YesNo(value=yes):
            return yes
        case Text(value=text):
            return text
        case ValueList(items=items):
            return [_item_to_plain(item) for item in items]


def value_to_benchmark(value: "AnswerValue") -> JsonValue:
    """Return a value as `value_to_plain` does, but with "yes" or "no" as text, as the benchmarks require."""
    return print_value(value) if isinstance(value, YesNo) else value_to_plain(value)


def _item_to_plain(item: ListItem) -> JsonValue:
    if item.number is None:
        return item.label
    number = json_number(item.number)
    if item.label is None and item.scale is None:
        return number
    return {**({} if item.label is None else {"label": item.label}), "number": number, **_own(item)}


def json_number(value: Decimal) -> int | float:
    """Return a decimal as a JSON number, an int if it is whole."""
    return int(value) if value == value.to_integral_value() else float(value)


def value_from_json(data: object) -> "AnswerValue":
    """Return the value that `value_to_json` wrote; an answer value is returned unchanged.

    Raises:
        InputError: `data` was not written by `value_to_json`.
    """
    match data:
        case Number() | YesNo() | Text() | ValueList():
            return data
        case bool():
            return YesNo(data)
        case Decimal() | int() | float() | str():
            return Number(_decimal(data))
        case {"text": str(text), **rest} if not rest:
            return Text(text)
        case {"list": list(items), **rest} if not rest:
            return ValueList(tuple(map(_item_from_json, items)))
    raise InputError(f"{data!r:.60} is not a stored answer value")


def _item_from_json(data: object) -> ListItem:
    if isinstance(data, Mapping) and data.keys() <= {"label", "number", "scale", "unit"}:
        label, number, scale, unit = (data.get(name) for name in ("label", "number", "scale", "unit"))
        known = scale is None or (isinstance(scale, str) and scale in set(Scale))
        if known and (label is None or isinstance(label, str)) and (unit is None or isinstance(unit, str)):
            own = None if scale is None else Scale(scale)
            return ListItem(label, None if number is None else _decimal(number), own, unit)
    raise InputError(f"{data!r:.60} is not a stored list item")


def _decimal(data: object) -> Decimal:
    try:
        number = Decimal(str(data))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise InputError(f"{data!r:.60} is not a stored number")
    return number


def value_to_text(value: "AnswerValue") -> str:
    """Return a value as text for one column: decimal digits, `yes`, `no`, or its JSON."""
    if isinstance(value, Number | YesNo):
        return print_value(value)
    return json.dumps(value_to_json(value), ensure_ascii=False)


def value_from_text(text: str) -> "AnswerValue":
    """Return the value that `value_to_text` wrote.

    Raises:
        InputError: `text` was not written by `value_to_text`.
    """
    if text in ("yes", "no"):
        return YesNo(text == "yes")
    if not text.startswith("{"):
        return Number(_decimal(text))
    try:
        return value_from_json(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{text!r:.60} is not a stored answer") from error


AnswerValue = Annotated[
    Number | YesNo | Text | ValueList,
    PlainValidator(value_from_json),
    PlainSerializer(value_to_json, when_used="json"),
    WithJsonSchema({"type": ["string", "boolean", "object"]}),
]
"""The value of an answer. As a field of a dataclass it is serialized by `value_to_json`."""
