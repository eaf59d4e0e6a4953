"""Whether two runs give the same answer: the one rule, for all that counts or lists turns of two runs."""

from collections.abc import Sequence

from quaestor.core.answer_value import AnswerValue, Number, value_from_text
from quaestor.errors import InputError
from quaestor.plan.operations import rounds_to
from quaestor.scoring.metrics import executed_equal


def are_same_answer(first: str | None, second: str | None) -> bool:
    """Return whether two answers are the same: equal to five decimals, or one of two numbers is the other rounded.

    Two that give no answer are the same; one that gives none and one that does are not.

    >>> are_same_answer("0.37743", "0.3774"), are_same_answer("0.37743", "37.743"), are_same_answer("yes", "yes")
    (True, False, True)

    Args:
        first: As `quaestor.core.answer_value.value_to_text` writes it, or None.
    """
    if first == second:
        return True
    if first is None or second is None or _are_far(first, second):
        return False
    one, other = _value(first), _value(second)
    if one is None or other is None:
        return False
    if executed_equal(one, other):
        return True
    if not isinstance(one, Number) or not isinstance(other, Number):
        return False
    return rounds_to(one.value, other.value) or rounds_to(other.value, one.value)


def same_answers(first: Sequence[str | None], second: Sequence[str | None]) -> list[bool]:
    """Return of each pair of answers whether they are the same; equal pairs of a large run are compared once.

    >>> same_answers(["0.37743", "12", None], ["0.3774", "13", None])
    [True, False, True]
    """
    pairs = list(zip(first, second, strict=True))
    known = {pair: are_same_answer(*pair) for pair in dict.fromkeys(pairs)}
    return [known[pair] for pair in pairs]


def _are_far(first: str, second: str) -> bool:
    """Return whether two numbers are further apart than half a unit, so that neither is the other rounded."""
    try:
        one, other = float(first), float(second)
    except ValueError:
        return False
    return abs(one - other) > 0.51 + (abs(one) + abs(other)) * 1e-11


def _value(text: str) -> AnswerValue | None:
    try:
        return value_from_text(text)
    except InputError:
        return None
