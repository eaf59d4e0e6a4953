import operator
from collections.abc import Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.errors import OperandError
from quaestor.plan.operations import Selection, every, extreme, first, matching, ranked

NUMBERS = st.lists(st.integers(-5, 5).map(Decimal), min_size=1, max_size=8)


def numbers(*values: int | str) -> Sequence[Decimal]:
    return [Decimal(value) for value in values]


def test_the_highest_is_every_entry_that_is() -> None:
    assert extreme(max)(numbers(3, 5, 4)) == Selection((1,))
    assert extreme(max)(numbers(5, 3, "5.0")) == Selection((0, 2))
    assert extreme(min)(numbers(3, 5, -4)) == Selection((2,))


def test_places_count_from_the_largest_and_below_zero_from_the_smallest() -> None:
    assert ranked(numbers(3, 5, 4, 2)) == Selection((2,))
    assert ranked(numbers(3, 5, 4, -1)) == Selection((0,))
    assert ranked(numbers(5, 5, 4, 2)) == Selection((0, 1))


def test_the_first_few_come_from_the_most_extreme_on_equal_ones_as_the_page_has_them() -> None:
    assert first(largest=True)(numbers(3, 5, 4, 2)) == Selection((1, 2))
    assert first(largest=False)(numbers(3, 5, 4, 2)) == Selection((0, 2))
    assert first(largest=True)(numbers(4, 5, 4, 2)) == Selection((1, 0))


def test_none_may_hold() -> None:
    assert matching(operator.gt)(numbers(3, 5, 4, 4)) == Selection((1,))
    assert matching(operator.ge)(numbers(3, 5, 4, 4)) == Selection((1, 2))
    assert matching(operator.gt)(numbers(3, 9)) == Selection(())
    assert every(numbers(3, 4)) == Selection((0, 1))


@pytest.mark.parametrize("n", ["0", "1.5", "3", "1e40"])
def test_a_place_that_a_list_does_not_have_is_reported(n: str) -> None:
    for choose in (ranked, first(largest=True), first(largest=False)):
        with pytest.raises(OperandError, match="2"):
            choose(numbers(7, 8, n))
    with pytest.raises(OperandError):
        first(largest=True)(numbers(7, 8, -1))
    with pytest.raises(OperandError):
        extreme(max)([])
    with pytest.raises(OperandError):
        ranked(numbers(1))


@given(NUMBERS, st.data())
def test_first_entries_are_at_least_as_large_as_the_rest(values: list[Decimal], data: st.DataObject) -> None:
    n = data.draw(st.integers(1, len(values)))
    places = first(largest=True)([*values, Decimal(n)]).places
    taken, left = [values[place] for place in places], [v for p, v in enumerate(values) if p not in places]
    assert taken == sorted(taken, reverse=True)
    assert not left or min(taken) >= max(left)
    assert places[0] in extreme(max)(values).places == ranked([*values, Decimal(1)]).places
