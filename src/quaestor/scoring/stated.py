"""What a solver answered, as a benchmark of stated answers reads it: spans as printed and their scale."""

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal

from quaestor.conversation.answer import Answer
from quaestor.conversation.display import is_shown_as_percentage
from quaestor.core.answer_value import AnswerValue, ListItem, Number, ValueList, numbers_of_value, print_value
from quaestor.core.quantity import Quantity, Scale
from quaestor.plan.scales import shift_decimal
from quaestor.plan.steps import CellGroup, Compute, Extract, Operand, Ref, Step
from quaestor.scoring.gold import StatedAnswer

_PERCENT = Scale.PERCENT.value
_RATIO = re.compile(r"\b(?:ratio|proportion)\b", re.IGNORECASE)
_IN_PERCENT = re.compile(r"percent|%", re.IGNORECASE)
_DIGITS = 400
_IN_ONES = 4
_SCALED = 2


def stated_answer(answer: Answer, question: str = "") -> StatedAnswer | None:
    """Return an answer as people are told it; None if there is none.

    A number that is read off the page and nothing else is stated as it is printed, and so are those of a list of such
    numbers. One that is computed has two decimals, or four where it counts in ones; a fraction that people are shown as
    a percentage is one, unless a ratio or a proportion is asked for, and no percentage.

    Args:
        question: What was asked; "" where that is not known.
    """
    if answer.value is None:
        return None
    if (printed := _read_prints(answer)) is not None:
        return StatedAnswer(printed, _scale_word(answer.scale))
    if is_shown_as_percentage(answer) and not _asks_for_ratio(question):
        shifted = (shift_decimal(number, 2) for number in numbers_of_value(answer.value))
        return StatedAnswer(tuple(_digits(number, _SCALED) for number in shifted), _PERCENT)
    return stated_value(answer.value, answer.scale)


def _asks_for_ratio(question: str) -> bool:
    return _RATIO.search(question) is not None and _IN_PERCENT.search(question) is None


def stated_value(value: AnswerValue, scale: Scale = Scale.ONE) -> StatedAnswer:
    """Return a value as it is stated: a list item by item, each by its number if it has one, else by its label."""
    places = _IN_ONES if scale is Scale.ONE else _SCALED
    if isinstance(value, ValueList):
        numbers = any(item.number is not None for item in value.items)
        spans = tuple(_item(item, places) for item in value.items)
        return StatedAnswer(spans, _scale_word(scale) if numbers else "")
    if isinstance(value, Number):
        return StatedAnswer((_digits(value.value, places),), _scale_word(scale))
    return StatedAnswer((print_value(value),))


def _read_prints(answer: Answer) -> tuple[str, ...] | None:
    """Return the prints of the one number, or of the listed ones, that an answer takes from the page as they are."""
    steps = answer.plan.steps if answer.plan is not None else ()
    last = steps[-1] if steps else None
    pairs: list[tuple[Quantity, Decimal | None]] = []
    if isinstance(last, Extract) and last.quantity is not None and len(steps) == 1:
        # Taken without its sign a number is still what is printed: "(168)".
        pairs = [(last.quantity, last.quantity.value if answer.number == last.number else None)]
    elif isinstance(last, Compute) and last.operation == "items" and isinstance(answer.value, ValueList):
        quantities = [quantity for operand in last.operands for quantity in _quantities(operand, steps)]
        own = any(item.scale is not None for item in answer.value.items)
        if len(quantities) == len(answer.value.items) and not own:
            pairs = [(q, item.number) for q, item in zip(quantities, answer.value.items, strict=True) if q is not None]
            pairs = pairs if len(pairs) == len(quantities) else []
    printed = tuple(quantity.text.strip() for quantity, number in pairs if quantity.value == number)
    # A word in a print ("5.2 million") is its scale, which is told beside it.
    plain = all(text and not any(map(str.isalpha, text)) for text in printed)
    return printed if pairs and plain and len(printed) == len(pairs) else None


def _quantities(operand: Operand, steps: Sequence[Step]) -> Sequence[Quantity | None]:
    """Return the numbers of the page that an operand of a list stands for; None for what is none."""
    if isinstance(operand, CellGroup):
        return operand.values
    step = steps[operand.step - 1] if isinstance(operand, Ref) and operand.step > 0 else None
    return [step.quantity if isinstance(step, Extract) else None]


def _item(item: ListItem, places: int) -> str:
    return item.label or "" if item.number is None else _digits(item.number, places)


def _digits(number: Decimal, places: int) -> str:
    """Return a number with so many decimals at most, none of them a zero at the end."""
    if -int(number.as_tuple().exponent) > places:
        number = number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, Context(prec=_DIGITS))
        number = number.normalize(Context(prec=_DIGITS))
    return f"{number if number else abs(number):f}"


def _scale_word(scale: Scale) -> str:
    return "" if scale is Scale.ONE else scale.value
