"""Printed numbers of every convention and whole numbers in words are parsed completely or not at all."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from many_cases import for_each_row
from printed_forms import COMMA, INDIAN, NUMBERS, SPACED_COMMA, SPACED_POINT, SWISS

from quaestor.core.number_conventions import ENGLISH, NumberConvention, find_convention
from quaestor.core.number_forms import read_number_words
from quaestor.core.parsing import find_quantities, parse_cell
from quaestor.core.quantity import Scale


@for_each_row(NUMBERS)
def test_a_printed_number_has_its_value(convention: NumberConvention, text: str, value: str, scale: Scale) -> None:
    (found,) = parse_cell(text, convention)
    assert (found.value, found.scale) == (Decimal(value), scale)
    assert found.text in text


NO_NUMBERS = [
    (ENGLISH, "12,5"),
    (ENGLISH, "12,5 %"),
    (ENGLISH, "0,125"),
    (ENGLISH, "1.401,40"),
    (ENGLISH, "1.234.567"),
    (ENGLISH, "1.2.3"),
    (ENGLISH, "12 345"),
    (ENGLISH, "1\u00a0204"),
    (ENGLISH, "1,2,3"),
    (ENGLISH, "1,2345"),
    (ENGLISH, "1''234"),
    (ENGLISH, "-1,234-"),
    (ENGLISH, "7 1/4 %"),
    (ENGLISH, "5 \u00bd"),
    (ENGLISH, "5\u00bd %"),
    (ENGLISH, "3/5"),
    (COMMA, "12.5"),
    (COMMA, "1,234.5"),
    (COMMA, "1,234,567"),
    (COMMA, "12 345"),
    (COMMA, "1,28,205.40"),
    (SPACED_COMMA, "12 34"),
    (SPACED_POINT, "1 2345"),
    (ENGLISH, "401k"),
]


@for_each_row(NO_NUMBERS)
def test_partly_understood_text_is_not_a_number(convention: NumberConvention, text: str) -> None:
    assert parse_cell(text, convention) == ()


@pytest.mark.parametrize(
    ("convention", "text", "values"),
    [
        (COMMA, "Der Umsatz stieg um 12,5 % auf 1.234,5 Mio. EUR.", ["12.5", "1234.5"]),
        (SPACED_COMMA, "Le chiffre d'affaires atteint 1\u202f234,5 millions en 2023.", ["1234.5"]),
        (SPACED_POINT, "Sales rose - as expected - to 12 345 units.", ["12345"]),
        (SWISS, "Assets of CHF 1'234.5 million.", ["1234.5"]),
        (INDIAN, "Revenue was 1,28,205.40 and costs 4,512.30.", ["128205.40", "4512.30"]),
        (ENGLISH, "Sales rose to $1,234.5, see section 1.2.3.", ["1234.5"]),
        (ENGLISH, "Sales fell - 5 stores closed.", ["5"]),
        (ENGLISH, "We file a 10K, have 5G and a 401k plan.", []),
    ],
)
def test_sentences_follow_the_document(convention: NumberConvention, text: str, values: list[str]) -> None:
    found = find_quantities(text, convention)
    assert [span.quantity.value for span in found] == [Decimal(value) for value in values]
    assert all(text[span.start : span.end] == span.quantity.text for span in found)


@pytest.mark.parametrize(
    ("table", "texts", "decimal", "group"),
    [
        ([["1,234", "567"]], [], ".", ","),
        ([["1.234", "2.345"]], [], ".", ","),
        ([["1,234", "12.5"]], [], ".", ","),
        ([["1.234", "12,5"]], [], ",", "."),
        ([["1.234", "1.234.567"]], [], ",", "."),
        ([["1 234,5", "12 345"]], [], ",", " "),
        ([["1\u202f204", "310"]], [], ".", " "),
        ([["1'234.50", "310"]], [], ".", "'"),
        ([["1\u2019234", "310"]], [], ".", "'"),
        ([["1,28,205.40", "310"]], [], ".", ","),
        ([["91.402", "870"], ["870", "1.020"]], [], ",", "."),
        ([["1.085", "365"], ["1.102", "366"]], [], ".", ","),  # a column of rates, and a column of days
        ([["91.402", "88.310"]], ["Gewinn- und Verlustrechnung der Gruppe für das Jahr"], ",", "."),
        ([["91.402", "88.310"]], ["Statement of profit and loss for the year"], ".", ","),
        ([["91.402", "88.310"]], ["Der Umsatz stieg um 12,5 %."], ",", "."),
        ([["1,234", "5,678"]], ["Gewinn- und Verlustrechnung der Gruppe für das Jahr"], ".", ","),
        ([["12.2023", "12,5", "7,25"]], [], ",", "."),
        ([["1,234.5", "2,345.6", "2,3"]], [], ".", ","),  # the last cell is a reference to two notes
    ],
)
def test_convention_is_detected_from_all_cells(
    table: list[list[str]], texts: list[str], decimal: str, group: str
) -> None:
    found = find_convention([table], texts)
    assert (found.decimal, found.group) == (decimal, group)


def test_cells_override_the_usual_convention() -> None:
    assert find_convention([[["1.234", "5"]]], decimal=",").decimal == ","
    assert find_convention([[["1.234", "5.678"]]], usual=",").decimal == ","
    assert find_convention([[["1.234", "5.678", "1.5"]]], usual=",").decimal == "."


def test_signs_depend_on_the_document() -> None:
    assert not find_convention([[["\u25b3 5", "\u25b2 7"]]]).up_is_more
    assert find_convention([[["\u25b2 5 %", "\u25bc 7 %"]]]).up_is_more
    assert find_convention([[["5 Cr"]]]).marks_credits
    assert not find_convention([[["5 Cr"]]], ["(\u20b9 in crore)"]).marks_credits


def test_examples_show_the_convention() -> None:
    assert [one.example for one in (ENGLISH, COMMA, SPACED_COMMA, SWISS, INDIAN)] == [
        "1,234,567.8", "1.234.567,8", "1 234 567,8", "1'234'567.8", "12,34,567.8"
    ]  # fmt: skip


def test_a_mark_before_decimals_is_a_point_or_a_comma() -> None:
    with pytest.raises(ValueError, match="decimal"):
        NumberConvention(";")


AMOUNTS = st.decimals(min_value=-(10**15), max_value=10**15, places=2, allow_nan=False, allow_infinity=False)
CONVENTIONS = st.sampled_from([ENGLISH, COMMA, SPACED_COMMA, SPACED_POINT, SWISS, INDIAN])


def _printed(value: Decimal, convention: NumberConvention) -> str:
    """Return an amount as printed in a convention."""
    whole, _, decimals = f"{abs(value):f}".partition(".")
    groups = [whole[-3:]]
    rest, size = whole[:-3], 2 if convention.by_hundreds else 3
    while rest:
        groups.insert(0, rest[-size:])
        rest = rest[:-size]
    return convention.group.join(groups) + convention.decimal + decimals


@given(AMOUNTS, CONVENTIONS, st.sampled_from(["-{}", "({})", "{}-", "{} -", "- {}", "\u25b3{}", "<{}>", "{} CR"]))
def test_a_printed_amount_is_read_back(value: Decimal, convention: NumberConvention, loss: str) -> None:
    printed = _printed(value, convention)
    sign = loss if convention.marks_credits or "CR" not in loss else "({})"
    (found,) = parse_cell(sign.format(printed) if value < 0 else printed, convention)
    assert found.value == value


@given(AMOUNTS, CONVENTIONS, st.sampled_from([",5,", ".5.", "'5", " 5", ".1.1", ",1,1", "''1", "/7"]), st.booleans())
def test_an_amount_with_more_digits_is_not_read(
    value: Decimal, convention: NumberConvention, more: str, first: bool
) -> None:
    printed = _printed(value, convention)
    cell = f"{more.strip('/ ')[::-1]}  {printed}" if first else printed + more
    assert parse_cell(cell, convention) == ()


@given(st.text("0123456789.,' -()\u00a0", max_size=24), CONVENTIONS)
def test_digits_are_read_whole_or_not_at_all(text: str, convention: NumberConvention) -> None:
    assert all(found.text in text for found in parse_cell(text, convention))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("one", 1),
        ("None", 0),
        ("no", 0),
        ("twenty-five", 25),
        ("one hundred and five", 105),
        ("a hundred", 100),
        ("three million two hundred thousand and one", 3_200_001),
    ],
)
def test_whole_numbers(text: str, number: int) -> None:
    assert read_number_words(text) == number


@pytest.mark.parametrize("text", ["", "and", "one plant", "5", "many"])
def test_other_text_is_not_parsed(text: str) -> None:
    assert read_number_words(text) is None
