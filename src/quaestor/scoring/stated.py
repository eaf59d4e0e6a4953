"""Stated answers (printed spans and their scale), and the metrics of the benchmark that uses them.

An answer is normalised to one text: its spans in alphabetical order, each number with four decimals and multiplied by
the answer's scale, other words followed by the name of the scale. Two texts match if their tokens are equal, and F1
compares their sets of tokens. The spans of a list therefore match in any order, `23.42` percent equals `0.2342`, and
a number with another scale is wrong.

Surprising details are part of the published rule: brackets mean a minus only around digits and points, so `(1,250)`
is positive and `(900)` negative; a percent sign in a span overrides the scale; a single number without a scale may
also match as a fraction with four decimals; numbers and counts have no partial F1.

Source: Zhu et al., "TAT-QA: A Question Answering Benchmark on a Hybrid of Tabular and Textual Content in Finance"
(2021), and the evaluation published with it.
"""

import math
import re
import string
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal

from quaestor.conversation.answer import Answer
from quaestor.conversation.display import is_shown_as_percentage
from quaestor.core.answer_value import AnswerValue, ListItem, Number, ValueList, numbers_of_value, print_value
from quaestor.core.quantity import Quantity, Scale
from quaestor.plan.scales import shift_decimal
from quaestor.plan.steps import CellGroup, Compute, Extract, Operand, Ref, Step
from quaestor.scoring.gold import StatedAnswer, StatedReference

_PERCENT = Scale.PERCENT.value
_RATIO = re.compile(r"\b(?:ratio|proportion)\b", re.IGNORECASE)
_IN_PERCENT = re.compile(r"percent|%", re.IGNORECASE)
_LETTERS = re.compile(r"(?<![a-z])(?!(?:hundred|thousand|million|billion|percent)s?\b)[a-z]", re.IGNORECASE)
"""Letters other than the words that the metrics take for scales."""
_DIGITS = 400
_IN_ONES = 4
_SCALED = 2
_FACTORS = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "percent": 0.01}
_DROPPED = str.maketrans("", "", "'\"\\$€£¥%(),[]")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_FIRST_NUMBER = re.compile(r"(?P<whole>[+-]?\d+(?:\.\d+)?)|[+-]?\.\d+")
_NUMBER_WITH_WORD = re.compile(r"(?<![\d.])[\d.]++\s?[a-zA-Z]+")
_BELOW_ZERO = re.compile(r"\([\d.\s]+\)")
_PERCENTAGE = re.compile(r"(?<![\d.\s])[\d.\s]++%")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_WITHOUT_PARTS = frozenset({"arithmetic", "count"})


def stated_answer(answer: Answer, question: str = "") -> StatedAnswer | None:
    """Return an answer as displayed to people, or None if there is none.

    A number, or a list of numbers, that is only read from the page is stated as printed, including letters that the
    metrics take for words ("INR19", "29 per cent"). A computed number has two decimals, or four if its scale is ones.
    A fraction that is displayed as a percentage is stated as a percentage, unless the question asks for a ratio or a
    proportion and not for a percentage.
    """
    if answer.value is None:
        return None
    if (printed := _printed_texts(answer)) is not None:
        if any(_LETTERS.search(text) for text in printed):
            return StatedAnswer(printed)
        return StatedAnswer(printed, _scale_word(answer.scale))
    if is_shown_as_percentage(answer) and not _asks_for_ratio(question):
        shifted = (shift_decimal(number, 2) for number in numbers_of_value(answer.value))
        return StatedAnswer(tuple(_digits(number, _SCALED) for number in shifted), _PERCENT)
    return stated_value(answer.value, answer.scale)


def _asks_for_ratio(question: str) -> bool:
    return _RATIO.search(question) is not None and _IN_PERCENT.search(question) is None


def stated_value(value: AnswerValue, scale: Scale = Scale.ONE) -> StatedAnswer:
    """Return a value as stated; a list item by its number, or by its label if it has none."""
    places = _IN_ONES if scale is Scale.ONE else _SCALED
    if isinstance(value, ValueList):
        numbers = any(item.number is not None for item in value.items)
        spans = tuple(_item(item, places) for item in value.items)
        return StatedAnswer(spans, _scale_word(scale) if numbers else "")
    if isinstance(value, Number):
        return StatedAnswer((_digits(value.value, places),), _scale_word(scale))
    return StatedAnswer((print_value(value),))


def _printed_texts(answer: Answer) -> tuple[str, ...] | None:
    """Return the printed text of the number or the listed numbers that an answer reads unchanged from the page."""
    steps = answer.plan.steps if answer.plan is not None else ()
    last = steps[-1] if steps else None
    pairs: list[tuple[Quantity, Decimal | None]] = []
    if isinstance(last, Extract) and last.quantity is not None and len(steps) == 1:
        # Without its sign, a number is still what is printed: "(168)".
        pairs = [(last.quantity, last.quantity.value if answer.number == last.number else None)]
    elif isinstance(last, Compute) and last.operation == "items" and isinstance(answer.value, ValueList):
        quantities = [quantity for operand in last.operands for quantity in _quantities(operand, steps)]
        own = any(item.scale is not None for item in answer.value.items)
        if len(quantities) == len(answer.value.items) and not own:
            pairs = [(q, item.number) for q, item in zip(quantities, answer.value.items, strict=True) if q is not None]
            pairs = pairs if len(pairs) == len(quantities) else []
    printed = tuple(quantity.text.strip() for quantity, number in pairs if quantity.value == number)
    # A word in the printed text ("5.2 million") is its scale, which is stated separately.
    stated = all(text and (_LETTERS.search(text) or not any(map(str.isalpha, text))) for text in printed)
    return printed if pairs and stated and len(printed) == len(pairs) else None


def _quantities(operand: Operand, steps: Sequence[Step]) -> Sequence[Quantity | None]:
    """Return the numbers of the page that an operand of a list refers to; None for any other operand."""
    if isinstance(operand, CellGroup):
        return operand.values
    step = steps[operand.step - 1] if isinstance(operand, Ref) and operand.step > 0 else None
    return [step.quantity if isinstance(step, Extract) else None]


def _item(item: ListItem, places: int) -> str:
    return item.label or "" if item.number is None else _digits(item.number, places)


def _digits(number: Decimal, places: int) -> str:
    """Format a number with at most `places` decimals and no trailing zeros."""
    if -int(number.as_tuple().exponent) > places:
        number = number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, Context(prec=_DIGITS))
        number = number.normalize(Context(prec=_DIGITS))
    return f"{number if number else abs(number):f}"


def _scale_word(scale: Scale) -> str:
    return "" if scale is Scale.ONE else scale.value


def exact_match(answer: StatedAnswer | None, reference: StatedReference) -> bool:
    """Return whether an answer equals the reference, scale included; a missing answer is wrong."""
    wanted = _tokens(_text(reference.answer))
    return any(_tokens(text) == wanted for text in _texts(answer))


def f1_score(answer: StatedAnswer | None, reference: StatedReference) -> float:
    """Return the F1 of an answer from 0 to 1 in hundredths; for numbers and counts, the exact match."""
    if reference.kind in _WITHOUT_PARTS or exact_match(answer, reference):
        return float(exact_match(answer, reference))
    wanted = set(_tokens(_text(reference.answer)))
    return max((_f1(set(_tokens(text)), wanted) for text in _texts(answer)), default=0.0)


def same_scale(answer: StatedAnswer | None, reference: StatedReference) -> bool:
    """Return whether an answer has the reference's scale; a missing answer is wrong."""
    return answer is not None and bool(answer.spans) and answer.scale == reference.answer.scale


def _texts(answer: StatedAnswer | None) -> Sequence[str]:
    """Return the texts that an answer may match with."""
    if answer is None or not any(answer.spans):
        return ()
    texts = [_text(answer)]
    if len(answer.spans) == 1 and not answer.scale and "%" not in answer.spans[0] and _is_number(answer.spans[0]):
        number = _number(answer.spans[0])
        texts += [] if number is None else [f"{number:.4f}"]
    return texts


def _text(answer: StatedAnswer) -> str:
    return " ".join(_span(span, answer.scale) for span in sorted(answer.spans))


def _span(span: str, scale: str) -> str:
    number = _number(span) if _is_number(span) else None
    if number is None:
        return f"{span} {scale}" if scale else span
    return f"{number:.4f}" if "%" in span else f"{round(number, 2) * _factor(scale):.4f}"


def _tokens(text: str) -> list[str]:
    """Return the normalised words of a text: lower case, without articles and punctuation, numbers by value."""
    return " ".join(_token(part) for part in text.lower().split(" ")).split()


def _token(text: str) -> str:
    word = text if _is_number(text) else text.translate(_PUNCTUATION)
    return _ARTICLE.sub(" ", str(_number(word)) if _is_number(word) else word)


def _is_number(text: str) -> bool:
    """Return whether a text is a number, optionally followed by the name of a scale."""
    words = " ".join(word.translate(_DROPPED) for word in text.split()).split()
    try:
        return bool(words) and not math.isnan(float(words[0])) and (len(words) == 1 or _factor(words[1]) != 1)
    except ValueError:
        return False


def _number(text: str) -> float | None:
    """Return the first number of a text with its sign, percent sign and scale applied, rounded to four decimals."""
    found = _FIRST_NUMBER.search(text.translate(_DROPPED))
    if found is None or found["whole"] is None:
        return None
    word = _NUMBER_WITH_WORD.search(text)
    value = float(found["whole"]) if "." in found["whole"] else int(found["whole"])
    value *= _factor(word[0]) if word else 1
    value *= -1 if _BELOW_ZERO.search(text.strip()) else 1
    return round(value * (0.01 if _PERCENTAGE.search(text.strip()) else 1), 4)


def _factor(word: str) -> float:
    return next((factor for name, factor in _FACTORS.items() if name in word.lower()), 1)


def _f1(answer: set[str], wanted: set[str]) -> float:
    shared = len(answer & wanted)
    precision = shared / len(answer) if answer else 1.0
    recall = shared / len(wanted) if wanted else 1.0
    return round(2 * precision * recall / (precision + recall), 2) if precision + recall else 0.0
