"""Where a number of a draft is on the page, and whether that is what the draft calls it."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from quaestor.core.quantity import Quantity
from quaestor.graph.facts import MentionFact, Observation
from quaestor.questions.stems import stems
from quaestor.solvers.reflection.findings import Kind
from quaestor.solvers.reflection.numbers import (
    Number,
    NumberIndex,
    place_code,
    place_words,
    quantity_words,
    same_axis,
    says,
    years_named_in,
)


@dataclass(frozen=True, slots=True)
class LocatedNumber:
    """Where a number was found.

    Attributes:
        number: The number of the page; None if it prints none like it.
        reading: Whether the printed minus is left out.
        remarks: What differs from what the draft says.
    """

    value: Decimal
    number: Number | None
    reading: Literal["signed", "magnitude"] = "signed"
    remarks: tuple[tuple[Kind, str], ...] = ()

    def given(self, question: str) -> bool:
        """Return whether the question itself gives the number."""
        return says(question, self.value)


def locate(quantity: Quantity, what: str, where: str, numbers: NumberIndex) -> LocatedNumber:
    """Return where a number is.

    Args:
        quantity: As the draft writes it.
        where: The place that it names, or "".
    """
    found, reading = numbers.printing(quantity), "signed"
    if not found:
        found, reading = numbers.printing(quantity, magnitude=True), "magnitude"
    if not found:
        return LocatedNumber(quantity.value, None)
    code = numbers.code_in(where)
    named = [number for number in found if place_code(number.source) == code]
    best = max(named or found, key=lambda number: _likeness(number, what))
    remarks: list[tuple[Kind, str]] = []
    if code and not named:
        printed = [n.quantity.text for n in numbers.all if place_code(n.source) == code]
        there = f"prints {', '.join(printed[:6])}" if printed else "prints no number"
        remarks.append(("misplaced", f"{code} {there}; {quantity_words(quantity)} is printed at {place_words(best)}"))
    elif remark := _misnamed(best, what, numbers):
        remarks.append(("misplaced", remark))
    return LocatedNumber(quantity.value, best, "magnitude" if reading == "magnitude" else "signed", tuple(remarks))


def _likeness(number: Number, what: str) -> tuple[int, bool, bool]:
    said, own = set(stems(what)), set(stems(number.label))
    dated = isinstance(number, Observation | MentionFact) and number.year in years_named_in(what)
    return len(said & own), dated, isinstance(number, Observation)


def _misnamed(number: Number, what: str, numbers: NumberIndex) -> str | None:
    """Return how a cell differs from what it is called, where another cell is that; None if it does not."""
    if not isinstance(number, Observation):
        return None
    years, said = years_named_in(what), set(stems(what))
    elsewhere = any(same_axis(other, number) and other.year in years for other in numbers.graph.observations)
    if number.year is not None and number.year not in years and elsewhere:
        return f"it is called {what[:80]!r}, but {place_words(number)} is of {number.year}"
    better = better_named(number, said, numbers)
    if better is None:
        return None
    return f"it is called {what[:80]!r}, but {place_words(number)} is not the line of {place_words(better)}"


def better_named(number: Observation, said: set[str], numbers: NumberIndex, least: int = 1) -> Observation | None:
    """Return a number of the same table whose whole line some words name, if they do not name this one's.

    Args:
        least: Of how many words a line must be, to count as named.
    """
    own = _line_words(number)
    if own and own <= said:
        return None
    for other in numbers.graph.observations:
        named = _line_words(other)
        in_full = len(named) >= least and named <= said
        if in_full and len(named) > len(own & said) and other.source.table == number.source.table:
            return other
    return None


def _line_words(number: Observation) -> frozenset[str]:
    return frozenset(stems(" ".join((*number.row.levels, number.row.label))))
