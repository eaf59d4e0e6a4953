"""Convert between answer values and the plain numbers that tests use."""

from decimal import Decimal

from quaestor.core.answer_value import AnswerValue, Number, YesNo, value_from_json, value_from_text
from quaestor.core.quantity import Quantity
from quaestor.plan.steps import Extract


def a_value(plain: Decimal | float | str | bool) -> AnswerValue:
    """Return a number or yes/no as an answer value; a text is in the format of stores: `13.7`, `yes`."""
    return value_from_text(plain) if isinstance(plain, str) else value_from_json(plain)


def plain(value: AnswerValue | None) -> Decimal | bool:
    """Return the number or bool of a value, which has to be one."""
    assert isinstance(value, Number | YesNo), value
    return value.value


def number_in(value: AnswerValue | None) -> Decimal:
    """Return the number of a value, which has to be one."""
    assert isinstance(value, Number), value
    return value.value


def quantity_of(step: Extract) -> Quantity:
    """Return the number that a step extracts, which has to be one."""
    assert step.quantity is not None, step
    return step.quantity
