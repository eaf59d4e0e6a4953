"""What a result means: its metric type, what it is about, its periods, its base. Composed along the steps of a plan."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from quaestor.conversation.period_words import period_order
from quaestor.core.periods import Period
from quaestor.plan.operations import OPERATIONS, metric_of

_SHARES = frozenset({"ratio", "percentage", "percentage_change"})
_LONGEST = 400
"""The most characters of words; a plan that refers to itself again and again would double them with each step."""
_MOST_PARTS = 12


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one number means.

    Attributes:
        key: What it comes to; equal for equal calculations.
        metric: A name of the core's metric types.
        subject: In words, without periods: "net revenue", "sum of rent and taxes".
        text: In words, with periods: "net revenue in 2008", "change in net revenue from 2007 to 2008".
        entities: The things that it is about, each once.
        periods: Those of its numbers, in their order.
        base: What a percentage change, a percentage or a ratio is relative to, in words.
        parts: Of a sum what is added; of a change the later and the earlier value.
        axis: Of a list what its entries are, one thing over several periods or several things; else None.
    """

    key: str
    metric: str
    subject: str
    text: str
    entities: tuple[str, ...] = ()
    periods: tuple[Period, ...] = ()
    base: str | None = None
    parts: "tuple[Meaning, ...]" = ()
    constant: Decimal | None = None
    axis: Literal["periods", "items"] | None = None

    @property
    def period(self) -> Period | None:
        """The one period of all its numbers, or None."""
        return self.periods[0] if len(set(self.periods)) == 1 else None


def number_result(key: str, subject: str, period: Period | None, shown: str, entity: str | None) -> Meaning:
    """Return the meaning of a number of the page.

    Args:
        period: Its own, or None.
        shown: The words that add the period: " in 2008", or "".
    """
    entities = (entity,) if entity else ()
    return Meaning(key, "value", subject, f"{subject}{shown}", entities, (period,) if period else ())


def constant(value: Decimal, text: str) -> Meaning:
    """Return the meaning of a constant."""
    return Meaning(f"constant {value.normalize()}", "value", text, text, constant=value)


def number_key(value: Decimal) -> str:
    """Return the key of a number that the page prints, whatever its sign."""
    return f"number {value.copy_abs().normalize()}"


def computed(operation: str, operands: Sequence[Meaning]) -> Meaning:
    """Return the meaning of an operation's result.

    Args:
        operation: A name of `quaestor.plan.operations`.
        operands: In the operation's order, as many as it takes.
    """
    if operation == "identity":
        return operands[0]
    if operation == "explain":
        about = next((operand for operand in operands if operand.entities), operands[0])
        return replace(
            about, metric="value", base=None, text=f"explanation: {about.text}"[:_LONGEST], key=f"explain {about.key}"
        )
    metric = metric_of(operation)
    made = _MADE.get(operation, _other)(tuple(operands), metric, operation)
    each = OPERATIONS[operation].takes == "each"
    return replace(
        made,
        axis=next((operand.axis for operand in operands if operand.axis), None) if each else None,
        key=hashlib.sha256("\n".join((operation, *(operand.key for operand in operands))).encode()).hexdigest(),
    )


def shortened_meaning(made: Meaning) -> Meaning:
    """Return a meaning whose words are no longer than words may be."""
    return replace(made, subject=made.subject[:_LONGEST], text=made.text[:_LONGEST])


def as_percentage(meaning: Meaning) -> Meaning:
    """Return a ratio as the percentage that a question asked for; any other meaning as it is."""
    if meaning.metric != "ratio" or len(meaning.parts) != 2:
        return meaning
    return replace(_share(meaning.parts, "percentage", "percentage"), key=meaning.key)


def _change(operands: tuple[Meaning, ...], metric: str, _: str) -> Meaning:
    later, earlier = operands
    if earlier.constant == 1 and (over := _quotient_of(later)):
        return _relative(*over)
    if _one_thing(later, earlier):
        falls = _before(later, earlier)
        words = f"{'decline' if falls else 'change'} in {later.subject}"
        period = _from_to(later, earlier) if falls else _from_to(earlier, later)
        return _made(metric, words, f"{words} {period}", operands)
    if later.subject == earlier.subject:
        words = f"change in {later.subject}"
        return _made(metric, words, _with_period(words, operands, words), operands)
    subject = f"{_bare(later)} less {_bare(earlier)}"
    return _made(metric, subject, _with_period(subject, operands, f"{_full(later)} less {_full(earlier)}"), operands)


def _relative_change(operands: tuple[Meaning, ...], _: str, __: str) -> Meaning:
    return _relative(*((operands[1].constant == 1 and _quotient_of(operands[0])) or operands))


def _quotient_of(made: Meaning) -> tuple[Meaning, Meaning, str] | None:
    """Return what a quotient, or a power of one, is made of, and what it is less one; None for anything else."""
    word = "change"
    if made.metric == "product" and " to the power of " in made.subject and made.parts:
        made, word = made.parts[0], "change a year"
    return (made.parts[0], made.parts[1], word) if made.metric in _SHARES and len(made.parts) == 2 else None


def _relative(later: Meaning, earlier: Meaning, word: str = "change") -> Meaning:
    subject = f"percentage {word} in {later.subject}"
    if _one_thing(later, earlier):
        text = f"{subject} {_from_to(earlier, later)}"
    elif later.subject == earlier.subject:
        text = _with_period(subject, (later, earlier), subject)
    else:
        subject = f"percentage change from {earlier.subject} to {later.subject}"
        text = _with_period(subject, (later, earlier), f"percentage change from {_full(earlier)} to {_full(later)}")
    return _made("percentage_change", subject, text, (later, earlier), base=earlier.text)


def _quotient(operands: tuple[Meaning, ...], metric: str, operation: str) -> Meaning:
    part, whole = operands
    if part.metric == "change" and len(part.parts) == 2:
        later, earlier = part.parts
        if _same(whole, earlier):
            return _relative(later, earlier)
        if _same(whole, later) and _before(later, earlier):
            # A decline is told as the earlier value less the later one, and is relative to the earlier.
            return _relative(earlier, later, "decline")
    if part.metric == "sum" and whole.constant == len(part.parts):
        return _listed(part.parts, "average", "average")
    if whole.constant is not None:
        return _made(
            "ratio", f"{_bare(part)} divided by {whole.text}", f"{_full(part)} divided by {whole.text}", (part,)
        )
    return _share(operands, metric, operation)


def _share(operands: tuple[Meaning, ...], metric: str, operation: str) -> Meaning:
    part, whole = operands
    if operation == "percentage":
        subject = f"{_bare(part)} as a percentage of {_bare(whole)}"
        full = f"{_full(part)} as a percentage of {_full(whole)}"
        entities = part.entities
    else:
        subject = f"ratio of {_bare(part)} to {_bare(whole)}"
        full = f"ratio of {_full(part)} to {_full(whole)}"
        entities = ()
    return _made(metric, subject, _with_period(subject, operands, full), operands, base=whole.text, entities=entities)


def _sum(operands: tuple[Meaning, ...], metric: str, _: str) -> Meaning:
    parts = tuple(
        part for operand in operands for part in (operand.parts if operand.metric == "sum" else ()) or (operand,)
    )
    return _listed(parts if len(parts) <= _MOST_PARTS else operands, metric, "sum")


def _mean(operands: tuple[Meaning, ...], metric: str, _: str) -> Meaning:
    return _listed(operands, metric, "average")


def _largest(operands: tuple[Meaning, ...], metric: str, _: str) -> Meaning:
    return _listed(operands, metric, "largest" if metric == "maximum" else "smallest")


def _listed(parts: tuple[Meaning, ...], metric: str, word: str) -> Meaning:
    periods = [part.period for part in parts]
    if len({part.subject for part in parts}) == 1 and all(periods) and len(set(periods)) == len(periods):
        subject = f"{word} of {parts[0].subject}" if len(parts) > 1 else parts[0].subject
        text = f"{subject} {_joined([_when(part) for part in parts])}"
    else:
        subject = f"{word} of {_joined(_counted(map(_bare, parts)))}"
        text = _with_period(subject, parts, f"{word} of {_joined(_counted(map(_full, parts)))}")
    return _made(metric, subject, text, parts)


def _counted(names: Iterable[str]) -> list[str]:
    """Each name once; one of several numbers with how many there are of it."""
    return [name if count == 1 else f"{count} numbers of {name}" for name, count in Counter(names).items()]


def _size(operands: tuple[Meaning, ...], _: str, __: str) -> Meaning:
    operand = operands[0]
    return replace(operand, text=f"size of {_full(operand)}", subject=f"size of {_bare(operand)}")


def _as_printed(operands: tuple[Meaning, ...], _: str, __: str) -> Meaning:
    operand = operands[0]
    subject = f"{_bare(operand)} as printed"
    named = operand.text.startswith(operand.subject)
    text = f"{subject} {_when(operand)}".strip() if named else f"{_full(operand)} as printed"
    return replace(operand, text=text, subject=subject)


def _row(operands: tuple[Meaning, ...], metric: str, operation: str) -> Meaning:
    word = {"table_sum": "sum", "table_average": "average", "table_max": "largest"}.get(operation, "smallest")
    words = f"{word} of the row {operands[0].subject}"
    return _made(metric, words, words, operands)


def _infix(word: str) -> "Composer":
    def compose(operands: tuple[Meaning, ...], metric: str, _: str) -> Meaning:
        subject = word.format(*(_bare(operand) for operand in operands))
        return _made(metric, subject, _with_period(subject, operands, word.format(*map(_full, operands))), operands)

    return compose


def _other(operands: tuple[Meaning, ...], metric: str, operation: str) -> Meaning:
    words = f"{operation.replace('_', ' ')} of {_joined([_full(operand) for operand in operands])}"
    return _made(metric, words, words, operands)


Composer = Callable[[tuple[Meaning, ...], str, str], Meaning]

_MADE: dict[str, Composer] = {
    "subtract": _change,
    "percentage_change": _relative_change,
    "percentage": _share,
    "divide": _quotient,
    "add": _sum,
    "sum": _sum,
    "average": _mean,
    "maximum": _largest,
    "minimum": _largest,
    "absolute": _size,
    "as_printed": _as_printed,
    "multiply": _infix("{0} times {1}"),
    "exp": _infix("{0} to the power of {1}"),
    "greater": _infix("whether {0} is greater than {1}"),
    "table_sum": _row,
    "table_average": _row,
    "table_max": _row,
    "table_min": _row,
}


def _made(
    metric: str,
    subject: str,
    text: str,
    parts: tuple[Meaning, ...],
    *,
    base: str | None = None,
    entities: tuple[str, ...] = (),
) -> Meaning:
    periods = tuple(dict.fromkeys(period for part in parts for period in part.periods))
    return Meaning("", metric, subject[:_LONGEST], text[:_LONGEST], entities or _entities(parts), periods, base, parts)


def _entities(parts: Sequence[Meaning]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entity for part in parts for entity in part.entities))


def _one_thing(later: Meaning, earlier: Meaning) -> bool:
    """Whether two numbers differ in nothing but their period."""
    return (
        later.subject == earlier.subject
        and None not in (later.period, earlier.period)
        and later.period != earlier.period
    )


def _same(base: Meaning, value: Meaning) -> bool:
    """Whether a divisor is that value: looked up again, or written as the constant that it prints."""
    return base.key == value.key or (base.constant is not None and value.key == number_key(base.constant))


def _before(one: Meaning, other: Meaning) -> bool:
    first, second = one.period, other.period
    return bool(first and second) and period_order(first) < period_order(second)  # type: ignore[arg-type]


def _from_to(earlier: Meaning, later: Meaning) -> str:
    return f"from {_when(earlier, bare=True)} to {_when(later, bare=True)}"


def _when(meaning: Meaning, *, bare: bool = False) -> str:
    """The words that a meaning adds to its subject; bare ones without their preposition."""
    words = meaning.text.removeprefix(meaning.subject).strip()
    return words.partition(" ")[2] if bare and words.startswith(("in ", "at ")) else words


def _with_period(subject: str, operands: Sequence[Meaning], full: str) -> str:
    """The subject with the one period of all operands, else `full`."""
    named = [operand for operand in operands if operand.constant is None]
    periods = {operand.period for operand in named}
    if len(periods) == 1 and None not in periods and named[0].text.startswith(named[0].subject):
        return f"{subject} {_when(named[0])}".strip()
    return full


def _bare(meaning: Meaning) -> str:
    return _closed(meaning.subject, meaning)


def _full(meaning: Meaning) -> str:
    return _closed(meaning.text, meaning)


def _closed(words: str, meaning: Meaning) -> str:
    return (
        f"({words})"
        if meaning.parts and meaning.metric in ("change", "sum", "product") and " less " in words
        else words
    )


def _joined(words: Sequence[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
