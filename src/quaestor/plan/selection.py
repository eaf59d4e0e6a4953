"""Which entries of a list an operation selects: the highest, the three largest, those above a number."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from quaestor.errors import OperandError


@dataclass(frozen=True, slots=True)
class Chosen:
    """The entries that an operation selects.

    Attributes:
        places: Their places in the list, from 0, in the order of the result.
    """

    places: tuple[int, ...]


def extreme(choose: Callable[[Sequence[Decimal]], Decimal]) -> Callable[[Sequence[Decimal]], Chosen]:
    """Return the choice of the highest or the lowest; of all that are.

    Args:
        choose: `max` or `min`.
    """

    def chosen(values: Sequence[Decimal]) -> Chosen:
        _require_entries(values)
        return _equal(values, choose(values))

    return chosen


def ranked(values: Sequence[Decimal]) -> Chosen:
    """Return the choice of the n-th largest, of a negative n the n-th smallest; n is the last value."""
    *entries, place = values
    _require_entries(entries)
    n = _count_of(abs(place), len(entries))
    return _equal(entries, sorted(entries, reverse=place > 0)[n - 1])


def first(*, largest: bool) -> Callable[[Sequence[Decimal]], Chosen]:
    """Return the choice of the n largest or smallest, from the most extreme on; n is the last value."""

    def chosen(values: Sequence[Decimal]) -> Chosen:
        *entries, most = values
        n = _count_of(most, len(entries))
        order = sorted(range(len(entries)), key=lambda place: -entries[place] if largest else entries[place])
        return Chosen(tuple(order[:n]))

    return chosen


def holding(compare: Callable[[Decimal, Decimal], bool]) -> Callable[[Sequence[Decimal]], Chosen]:
    """Return the choice of the entries that compare with the last value; there may be none.

    Args:
        compare: True of an entry and that value where it holds.
    """

    def chosen(values: Sequence[Decimal]) -> Chosen:
        *entries, limit = values
        return Chosen(tuple(place for place, entry in enumerate(entries) if compare(entry, limit)))

    return chosen


def every(values: Sequence[Decimal]) -> Chosen:
    """Return the choice of all entries."""
    return Chosen(tuple(range(len(values))))


def _equal(values: Sequence[Decimal], wanted: Decimal) -> Chosen:
    return Chosen(tuple(place for place, value in enumerate(values) if value == wanted))


def _require_entries(values: Sequence[Decimal]) -> None:
    if not values:
        raise OperandError("an empty list")


def _count_of(wanted: Decimal, entries: int) -> int:
    if wanted != wanted.to_integral_value() or not 1 <= wanted <= entries:
        raise OperandError(f"a rank of {wanted:f} in a list of {entries}; give a whole number from 1 to {entries}")
    return int(wanted)
