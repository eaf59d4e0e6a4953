"""Conditions in questions: extremes, limits and comparisons."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.quantity import Scale
from quaestor.questions.conditions import read_condition


@pytest.mark.parametrize(
    ("text", "extreme", "place", "many"),
    [
        ("which year was highest?", "largest", 1, 0), ("the second lowest rate", "smallest", 2, 0),
        ("list the three largest expenses", "largest", 1, 3), ("the top five customers", "largest", 1, 5),
        ("the 3rd highest", "largest", 3, 0), ("which segment grew the most?", "largest", 1, 0),
        ("the largest two segments", "largest", 1, 2), ("in which year was it lower?", "smallest", 1, 0),
        ("which is the maximum exposure?", None, 1, 0), ("at least", None, 1, 0), ("what were sales?", None, 1, 0),
    ],
)  # fmt: skip
def test_extremes(text: str, extreme: str | None, place: int, many: int) -> None:
    condition = read_condition(text)
    assert (condition.extreme, condition.place, condition.many) == (extreme, place, many)


@pytest.mark.parametrize(
    ("text", "test", "value", "scale"),
    [
        ("did sales exceed $10,000 thousand?", "above", "10000", Scale.THOUSAND),
        ("was it less than15,000 thousands?", "below", "15000", Scale.THOUSAND),
        ("less than -3,000 thousands", "below", "-3000", Scale.THOUSAND),
        ("years above 3 %", "above", "3", Scale.PERCENT), ("lower than $2.00", "below", "2.00", Scale.ONE),
        ("more than five million", "above", "5", Scale.MILLION), ("at least 20", "at_least", "20", Scale.ONE),
        ("100 million or more", "at_least", "100", Scale.MILLION), ("was income negative?", "below", "0", Scale.ONE),
        ("more than 3 trillion", "above", "3", Scale.TRILLION), ("exceed 5 crore", "above", "5", Scale.CRORE),
        ("at least 20 lakh", "at_least", "20", Scale.LAKH), ("above 5m", "above", "5", Scale.MILLION),
        ("which segments made a loss?", "below", "0", Scale.ONE), ("exactly 50", "equal_to", "50", Scale.ONE),
        ("expected term exceed 0.5 years", "above", "0.5", Scale.ONE),
    ],
)  # fmt: skip
def test_limits(text: str, test: str, value: str, scale: Scale) -> None:
    limit = read_condition(text).limit
    assert limit is not None
    assert (limit.test, limit.value, limit.scale) == (test, Decimal(value), scale)


def test_years_and_lengths_of_time_are_not_limits() -> None:
    assert read_condition("was that more than in 2011?").limit is None
    assert read_condition("receivables over three months").limit is None
    assert read_condition("was it higher than 2011?").limit is None


def test_objects_of_comparisons() -> None:
    assert read_condition("was that more than in 2011?").than == "in 2011"


def test_movements_are_read() -> None:
    assert read_condition("did it fall?").move == "fell"
    assert read_condition("which segments have grown?").move == "rose"
    assert read_condition("which segment changed the most?").move == "changed"
    assert read_condition("what is the change?").move is None


@given(st.text(alphabet="abcdefgh $%0123456789.,-()?", max_size=60))
def test_any_text_is_parsed(text: str) -> None:
    condition = read_condition(f"more than {text}")
    assert all(0 <= start <= end for start, end in condition.spans)


@pytest.mark.parametrize(
    ("question", "extreme", "than"),
    [
        ("was rent above wages in 2012?", "largest", "wages in 2012"),
        ("did freight exceed wages?", "largest", "wages"),
        ("were sales below costs?", "smallest", "costs"),
        ("what were the sales above target?", None, ""),
        ("did sales exceed 5 million?", None, ""),
    ],
)
def test_yes_no_questions_compare_two_items(question: str, extreme: str | None, than: str) -> None:
    condition = read_condition(question)
    assert (condition.extreme, condition.than) == (extreme, than)
