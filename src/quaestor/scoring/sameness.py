"""When two runs say the same: the one rule, for whoever counts or lists turns of two runs."""

from decimal import Decimal

from quaestor.core.answer_value import AnswerValue, Number, value_from_text
from quaestor.errors import InputError
from quaestor.plan.rounding import rounds_to
from quaestor.scoring.metrics import executed_equal


def says_the_same(first: str | None, second: str | None) -> bool:
    """Returns whether two answers say the same: equal to five decimals, or one of two numbers is the other rounded.

    Two that give no answer say the same; one that gives none and one that does, do not.

    >>> says_the_same("0.37743", "0.3774"), says_the_same("0.37743", "37.743"), says_the_same("yes", "yes")
    (True, False, True)

    Args:
        first: As `quaestor.core.answer_value.value_to_text` writes it, or None.
        second: Likewise.
    """
    if first == second:
        return True
    if first is None or second is None:
        return False
    one, other = _value(first), _value(second)
    if one is None or other is None:
        return False
    if isinstance(one, Number) and isinstance(other, Number):
        return executed_equal(one, other) or _rounded(one.value, other.value)
    return executed_equal(one, other)


def _rounded(one: Decimal, other: Decimal) -> bool:
    return rounds_to(one, other) or rounds_to(other, one)


def _value(text: str) -> AnswerValue | None:
    try:
        return value_from_text(text)
    except InputError:
        return None
