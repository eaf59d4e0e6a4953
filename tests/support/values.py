"""Values of answers, written and read as tests write numbers."""

from decimal import Decimal

from quaestor.core.answer_value import AnswerValue, Number, YesNo, value_from_json, value_from_text
from quaestor.core.quantity import Quantity
from quaestor.plan.steps import Extract


def a_value(plain: Decimal | float | str | bool) -> AnswerValue:
    """A number, yes or no; as text as a store has it: `13.7`, `yes`."""
    return value_from_text(plain) if isinstance(plain, str) else value_from_json(plain)


def plain(value: AnswerValue | None) -> Decimal | bool:
    """The number, or True and False, that a value has to be."""
    assert isinstance(value, Number | YesNo), value
    return value.value


def number_in(value: AnswerValue | None) -> Decimal:
    """The number that a value has to be."""
    assert isinstance(value, Number), value
    return value.value


def quantity_of(step: Extract) -> Quantity:
    """The number that a step has to take."""
    assert step.quantity is not None, step
    return step.quantity
