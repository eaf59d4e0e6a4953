"""Reference answers of TAT-QA: spans and numbers with their scale, and their derivations.

Derivations of numbers are converted to programs, so that diagnosis and training treat them like other programs.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation

from quaestor.core.answer_value import AnswerValue, ListItem, Number, Text, ValueList
from quaestor.core.parsing import parse_cell
from quaestor.errors import DatasetError, FormulaError, ProgramError
from quaestor.plan.expressions import parse_expression
from quaestor.plan.program import write_operand, write_step
from quaestor.plan.scales import read_literal
from quaestor.plan.steps import Compute, Constant
from quaestor.scoring.gold import ByRecord, GoldFile, GoldTurn, StatedAnswer, StatedReference, all_or_none, first_record

SCALES = ("", "thousand", "million", "billion", "percent")
KINDS = ("span", "multi-span", "arithmetic", "count")
_NUMBERS = ("arithmetic", "count")
_BRACKETED = re.compile(r"(?<![\w)])\(\s*(\d[\d,]*(?:\.\d+)?(?:\s?%)?)\s*\)", re.ASCII)
"""A single number in brackets, which statements print for negative numbers."""
_DERIVED_NUMBER = re.compile(r"(?:\d{1,3}(?:,\s?\d{3})+|\d+)?(?:\.\d+)?(?<=\d)(?:\s?%)?", re.ASCII)
_SIGNS = str.maketrans({"[": "(", "]": ")", "{": "(", "}": ")", "–": "-", "−": "-", "—": "-", "×": "*", "÷": "/"})  # noqa: RUF001
_CURRENCIES = re.compile(r"(?:US|RMB|HK|NT|S)?[$€£¥]|RMB")


class TatqaReferences(ByRecord):
    """Format with a list of pages, each with answers beside its questions."""

    name = "tatqa"

    def recognises(self, content: object) -> bool:
        """Return whether a file is a list whose first record has a table with a uid."""
        table = first_record(content).get("table")
        return isinstance(table, Mapping) and {"uid", "table"} <= table.keys()

    def read_each(self, file: GoldFile) -> Iterator[tuple[str, tuple[GoldTurn, ...] | None]]:
        """Yield the uid and the answers of each page, or None for a page without answers."""
        for name, place, record in file.named("uid", "the table", within="table"):
            questions = record.get("questions")
            if (
                not isinstance(questions, list)
                or not questions
                or not all(isinstance(item, Mapping) for item in questions)
            ):
                raise DatasetError(f"{place}: no questions")
            numbered = enumerate(questions, 1)
            turns = [_turn(item, f"{place}, question {n}") if "answer" in item else None for n, item in numbered]
            yield name, all_or_none(turns, place)


def _turn(item: Mapping[str, object], where: str) -> GoldTurn:
    kind, scale, source = item.get("answer_type"), item.get("scale"), item.get("answer_from")
    if kind not in KINDS:
        raise DatasetError(f"{where}: 'answer_type' must be one of {', '.join(KINDS)}")
    if scale not in SCALES:
        raise DatasetError(f"{where}: 'scale' must be empty or one of {', '.join(filter(None, SCALES))}")
    derivation = item.get("derivation")
    derived = derivation.strip() if kind == "arithmetic" and isinstance(derivation, str) else ""
    spans = _spans(item.get("answer"), where)
    if kind in _NUMBERS:
        executed: AnswerValue = Number(_decimal(spans, where))
        if kind == "count":
            # As in the published evaluation: a whole number, whatever decimals are printed.
            spans = (str(int(_decimal(spans, where))),)
    else:
        read = [_value(span) for span in spans]
        executed = read[0] if len(read) == 1 else ValueList(tuple(map(_item, read)))
    stated = StatedReference(
        StatedAnswer(spans, str(scale)), str(kind), str(source or ""), derived, _form(str(kind), executed)
    )
    return GoldTurn(derivation_program(derived) or "" if derived else "", executed, None, 0, stated)


def _form(kind: str, value: AnswerValue) -> str:
    match value:
        case Number():
            return "count" if kind == "count" else "number"
        case ValueList(items=items):
            return "numbers" if all(item.number is not None for item in items) else "several words"
        case _:
            return "words"


def _spans(answer: object, where: str) -> tuple[str, ...]:
    spans = answer if isinstance(answer, list) else [answer]
    if not spans or not all(isinstance(span, str | int | float) and not isinstance(span, bool) for span in spans):
        raise DatasetError(f"{where}: 'answer' must be a text, a number or a list of these")
    return tuple(map(str, spans))


def _decimal(spans: tuple[str, ...], where: str) -> Decimal:
    try:
        number = Decimal(spans[0].replace(",", "").strip())
    except InvalidOperation:
        number = Decimal("NaN")
    if len(spans) > 1 or not number.is_finite():
        raise DatasetError(f"{where}: 'answer' must be a number for this answer type")
    return number


def _value(span: str) -> Number | Text:
    """Return the number that a span consists of, or else its words."""
    quantities = parse_cell(span)
    if len(quantities) == 1 and not any(character.isalpha() for character in span):
        return Number(quantities[0].value)
    return Text(span)


def _item(value: Number | Text) -> ListItem:
    return ListItem(number=value.value) if isinstance(value, Number) else ListItem(value.value)


def derivation_program(text: str) -> str | None:
    """Return a derivation as a program, or None if it is not arithmetic.

    >>> derivation_program("[($1,200 + 800)/2] - 5%")
    'add(1200, 800), divide(#0, 2), subtract(#1, 5%)'
    """
    numbers: dict[str, Constant] = {}

    def named(found: re.Match[str]) -> str:
        literal = found[0].replace(",", "").replace(" ", "")
        name = f"n{len(numbers)}"
        numbers[name] = Constant(read_literal(literal), literal)
        return f" {name} "

    plain = _BRACKETED.sub(r"(-\1)", _CURRENCIES.sub("", text.translate(_SIGNS)))
    try:
        plan = parse_expression(_DERIVED_NUMBER.sub(lambda found: named(found) if found[0] else "", plain), numbers)
    except (FormulaError, ProgramError):
        return None
    steps = [step for step in plan.steps if isinstance(step, Compute)]
    if len(steps) == 1 and steps[0].operation == "identity":
        return write_operand(steps[0].operands[0])
    return ", ".join(map(write_step, steps))
