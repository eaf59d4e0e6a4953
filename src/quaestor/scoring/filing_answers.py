"""Reference answers to questions about whole documents, and the rules that judge answers by them.

Prose is right if a judge accepted this answer; without a verdict it is compared roughly, by the share of the
reference's words that it contains.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import AnswerValue, ListItem, Number, Text, ValueList, YesNo, print_value
from quaestor.core.quantity import Scale

PERCENT, RATIO = "percent", "ratio"
_RELATIVE, _HALF, _POINT = Decimal("0.006"), Decimal("0.51"), Decimal("0.051")
_SHARED_LABEL, _SHARED_TEXT = 0.5, 0.45
_WORD = re.compile(r"[a-z0-9]+(?:[.,][0-9]+)*")
_NUMBER = re.compile(r"\d[\d,]*\.?\d*")
_NAMED = (Scale.THOUSAND, Scale.MILLION, Scale.BILLION)
_STOP = frozenset(
    "the and for with from that this were was are its their than which into over about more less other also have has "
    "been due".split()
)


@dataclass(frozen=True, slots=True)
class WantedNumber:
    """Number of a reference answer.

    Attributes:
        unit: `percent`, `ratio`, a currency, or a counted unit such as `shares`.
        scale: The multiplier of one unit; None if the reference does not give one, so that only digits are compared.
    """

    value: Decimal
    unit: str
    scale: Scale | None = Scale.ONE

    def __str__(self) -> str:
        """Return the number in words: `1577 million USD`."""
        scale = "" if self.scale in (None, Scale.ONE) else str(self.scale)
        return " ".join(part for part in (f"{self.value:f}", scale, self.unit) if part)


@dataclass(frozen=True, slots=True)
class ReferenceAnswer:
    """Right answer, or an entry or a part of one.

    The first field below that is set decides; the others are for display.
    """

    any_of: tuple["ReferenceAnswer", ...] = ()
    parts: tuple["ReferenceAnswer", ...] = ()
    none: str | None = None
    entries: tuple["ReferenceAnswer", ...] = ()
    label: str | None = None
    yes: bool | None = None
    number: WantedNumber | None = None
    text: str | None = None

    @property
    def form(self) -> str:
        """The form of the answer, in words."""
        forms = (
            ("one of several", self.any_of), ("several parts", self.parts), ("no answer", self.none is not None),
            ("list", self.entries), ("label", self.label), ("yes or no", self.yes is not None),
            ("number", self.number),
        )  # fmt: skip
        return next((name for name, given in forms if given), "prose")

    @property
    def is_prose(self) -> bool:
        """Whether prose decides, which a rule can compare only roughly."""
        if self.any_of or self.parts:
            return any(one.is_prose for one in (*self.any_of, *self.parts))
        return self.form == "prose" or (self.yes is not None and self.text is not None)

    @property
    def value(self) -> AnswerValue:
        """The reference as an answer value; text if its form has no other."""
        if self.form == "number" and self.number is not None:
            return Number(self.number.value)
        if self.entries:
            return ValueList(tuple(map(_item, self.entries)))
        return Text(str(self)) if self.yes is None or self.text else YesNo(self.yes)

    def __str__(self) -> str:
        if self.none is not None:
            return f"no answer: {self.none}" if self.none else "no answer"
        several = self.any_of or self.parts or self.entries
        if several:
            return (" or " if self.any_of else "; ").join(map(str, several))
        yes = None if self.yes is None else "yes" if self.yes else "no"
        number = None if self.number is None else str(self.number)
        return ": ".join(part for part in (self.label, yes, number, self.text) if part)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Location of a right answer in its document."""

    pages: frozenset[int] = frozenset()
    numbers: frozenset[Decimal] = frozenset()
    text: str = ""


@dataclass(frozen=True, slots=True)
class FilingReference:
    """Reference answer to one question, with its evidence and the judges' verdicts by answer."""

    wanted: ReferenceAnswer
    kind: str
    evidence: Evidence = Evidence()
    judged: Mapping[str, bool] = field(default_factory=dict)


def answer_is_right(answer: Answer | None, reference: FilingReference) -> bool:
    """Return whether an answer is right; for prose a judge's verdict takes precedence."""
    if (judged := find_judgement(answer, reference)) is not None:
        return judged
    return answer is not None and _is_right(reference.wanted, answer)


def find_judgement(answer: Answer | None, reference: FilingReference) -> bool | None:
    """Return a judge's verdict on an answer in prose, or None if there is none."""
    if answer is None or answer.value is None or not reference.wanted.is_prose:
        return None
    return reference.judged.get(str(answer))


def compare_prose(answer: Answer | None, reference: FilingReference) -> bool | None:
    """Return whether an answer in prose is right by its words; None if another rule or a judge decides."""
    if answer is None or answer.value is None or not reference.wanted.is_prose or str(answer) in reference.judged:
        return None
    return _is_right(reference.wanted, answer)


def _is_right(wanted: ReferenceAnswer, answer: Answer) -> bool:  # noqa: PLR0911 - a kind of reference each
    if wanted.any_of:
        return any(_is_right(one, answer) for one in wanted.any_of)
    if wanted.none is not None:
        return answer.value is None
    if answer.value is None:
        return False
    numbers = list(_numbers(answer))
    if wanted.parts:
        entries = [answer, *_entries(answer)]
        return all(_has(one, numbers) or any(_is_right(_in_prose(one), e) for e in entries) for one in wanted.parts)
    if wanted.entries:
        return all(_has(one, numbers) if one.number else _shares(one.label, answer, 0) for one in wanted.entries)
    if wanted.label is not None:
        return _shares(wanted.label, answer, _SHARED_LABEL)
    if wanted.yes is not None:
        text = str(answer.value).lower() if isinstance(answer.value, Text) else ""
        return answer.value == YesNo(wanted.yes) or text.startswith("yes" if wanted.yes else "no")
    if wanted.number is not None:
        first = numbers if isinstance(answer.value, Text) else numbers[:1]
        return any(_is_number(wanted.number, *number) for number in first)
    return _share(wanted.text or "", answer) >= _SHARED_TEXT


def _entries(answer: Answer) -> Iterator[Answer]:
    """Yield each textual entry of a list as a separate answer."""
    if isinstance(answer.value, ValueList):
        labels = (item.label for item in answer.value.items if item.number is None)
        yield from (replace(answer, value=Text(label)) for label in labels if label)


def _in_prose(part: ReferenceAnswer) -> ReferenceAnswer:
    """Return the part without its number if it has words too."""
    words = part.text is not None or part.label is not None
    return ReferenceAnswer(label=part.label, yes=part.yes, text=part.text) if words and part.number else part


def _has(wanted: ReferenceAnswer, numbers: list[tuple[Decimal, Scale]]) -> bool:
    return wanted.number is not None and any(_is_number(wanted.number, *number) for number in numbers)


def _numbers(answer: Answer) -> Iterator[tuple[Decimal, Scale]]:
    """Yield the numbers of an answer with their scales; numbers in text with each scale that the text names."""
    match answer.value:
        case Number(value=number):
            yield number, answer.scale
        case ValueList(items=items):
            yield from ((item.number, item.scale or answer.scale) for item in items if item.number is not None)
        case Text(value=text):
            for printed in _NUMBER.findall(text):
                scales = (Scale.ONE, *(scale for scale in _NAMED if scale.value in text))
                yield from ((Decimal(printed.replace(",", "")), scale) for scale in scales)


def _is_number(wanted: WantedNumber, number: Decimal, scale: Scale) -> bool:
    value = wanted.value
    digits = max(0, -int(value.normalize().as_tuple().exponent))
    tolerance = max(abs(value) * _RELATIVE, _HALF.scaleb(-digits))
    if wanted.unit == PERCENT:
        read = (number,) if scale is Scale.PERCENT else (number * 100, number)
        return any(abs(one - value) <= max(tolerance, _POINT) for one in read)
    if wanted.scale is None:
        return any(abs(one - value) <= tolerance for one in (number, number * _factor(scale)))
    if wanted.unit == RATIO and scale is Scale.PERCENT:
        number = number / 100
    factor = _factor(wanted.scale)
    return abs(number * _factor(scale) - value * factor) <= tolerance * factor


def _factor(scale: Scale) -> Decimal:
    return Decimal(1) if scale is Scale.PERCENT else Decimal(scale.factor)


def _item(entry: ReferenceAnswer) -> ListItem:
    if entry.number is None:
        return ListItem(entry.label or str(entry))
    return ListItem(entry.label, entry.number.value)


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if len(word) > 2 and word not in _STOP}


def _shares(label: str | None, answer: Answer, least: float) -> bool:
    wanted = _words(label or "")
    return len(wanted & _words(_text(answer))) >= max(1, least * len(wanted))


def _share(text: str, answer: Answer) -> float:
    wanted = _words(text)
    return len(wanted & _words(f"{_text(answer)} {answer.description}")) / max(1, len(wanted))


def _text(answer: Answer) -> str:
    return "" if answer.value is None else print_value(answer.value)
