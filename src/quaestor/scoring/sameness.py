"""When two runs say the same: the one rule, for whoever counts or lists turns of two runs."""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import TypeVar

import numpy as np

from quaestor.core.answer_value import AnswerValue, Number, value_from_text
from quaestor.errors import InputError
from quaestor.plan.operations import rounds_to
from quaestor.scoring.bootstrap import Numbers
from quaestor.scoring.metrics import executed_equal

N = TypeVar("N", float, Numbers)


def are_same_answer(first: str | None, second: str | None) -> bool:
    """Return whether two answers say the same: equal to five decimals, or one of two numbers is the other rounded.

    Two that give no answer say the same; one that gives none and one that does, do not.

    >>> are_same_answer("0.37743", "0.3774"), are_same_answer("0.37743", "37.743"), are_same_answer("yes", "yes")
    (True, False, True)

    Args:
        first: As `quaestor.core.answer_value.value_to_text` writes it, or None.
    """
    if first == second:
        return True
    if first is None or second is None:
        return False
    one, other = _value(first), _value(second)
    if one is None or other is None:
        return False
    if isinstance(one, Number) and isinstance(other, Number):
        return executed_equal(one, other) or _rounds(one.value, other.value)
    return executed_equal(one, other)


def same_answers(first: Sequence[str | None], second: Sequence[str | None]) -> list[bool]:
    """Return of each pair of answers whether they say the same, as `are_same_answer` tells; most need no rule.

    >>> same_answers(["0.37743", "12", None], ["0.3774", "13", None])
    [True, False, True]
    """
    one, other = (np.array([*map(_number, answers)], dtype=float) for answers in (first, second))
    with np.errstate(invalid="ignore", over="ignore"):
        # What is not a number is never far from anything.
        far = np.abs(one - other) > 0.51 + _least(one, other)
    known: dict[tuple[str, str], bool] = {}

    def same(place: int) -> bool:
        answer, other = first[place], second[place]
        if answer is None or other is None:
            return answer is other
        if answer == other:
            return True
        if (answer, other) not in known:
            known[answer, other] = not _differ_beyond_rounding(answer, other) and are_same_answer(answer, other)
        return known[answer, other]

    found = [False] * len(first)
    for place in np.flatnonzero(~far).tolist():
        found[place] = same(place)
    return found


def _differ_beyond_rounding(first: str, second: str) -> bool:
    """Whether two numbers cannot be each other rounded: more than half a unit of the coarser one's last place apart."""
    one, other = _number(first), _number(second)
    coarser = 10.0 ** -min(_decimals(first), _decimals(second))
    return bool(abs(one - other) > 0.51 * coarser + _least(one, other))


def _number(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return math.nan


def _least(one: N, other: N) -> N:
    """Return how far numbers may be apart whose difference is one of writing, or of a float."""
    return (abs(one) + abs(other)) * 1e-11 + 1e-5


def _decimals(text: str) -> int:
    """Return how many decimals a number is printed with, none if it has an exponent."""
    return 0 if "e" in text.lower() else len(text.partition(".")[2])


def _rounds(one: Decimal, other: Decimal) -> bool:
    return rounds_to(one, other) or rounds_to(other, one)


def _value(text: str) -> AnswerValue | None:
    try:
        return value_from_text(text)
    except InputError:
        return None
