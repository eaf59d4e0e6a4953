from collections.abc import Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.errors import OperandError
from quaestor.plan.operations import extreme, first, ranked

NUMBERS = st.lists(st.integers(-5, 5).map(Decimal), min_size=1, max_size=8)


def numbers(*values: int | str) -> Sequence[Decimal]:
    return [Decimal(value) for value in values]


@pytest.mark.parametrize("n", ["0", "1.5", "3", "1e40"])
def test_index_outside_a_list_is_reported(n: str) -> None:
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
