"""Meaning of an answer in words: what was measured, for what, and when."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache, partial
from typing import Literal

from quaestor.core.answer_value import AnswerValue, Text, ValueList
from quaestor.core.encoding_artifacts import normalize_text
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import Period, find_periods, parse_period
from quaestor.core.quantity import Scale
from quaestor.core.words import PHRASE_BOUNDARIES, PHRASE_JOINTS, PHRASE_LEADS
from quaestor.documents.alignment import list_of
from quaestor.documents.document import Sentence
from quaestor.plan.operations import OPERATIONS, metric_of
from quaestor.questions.entity import named_entity

_MONTHS = "january february march april may june july august september october november december".split()
_QUARTERS = ("first", "second", "third", "fourth")


def period_words(period: Period) -> str:
    """Describe a period: "2008", "the third quarter of 2008", "december 31, 2008", "2006 to 2010"."""
    match period.kind:
        case "quarter":
            return f"the {_QUARTERS[(period.quarter or 1) - 1]} quarter of {period.year}"
        case "month":
            return f"{_MONTHS[(period.month or 1) - 1]} {period.year}"
        case "date":
            return f"{_MONTHS[(period.month or 1) - 1]} {period.day}, {period.year}"
        case "span":
            return f"the {period.months} months to {_MONTHS[(period.month or 1) - 1]} {period.year}"
        case "range":
            return f"{period.year} and after" if period.last is None else f"{period.year} to {period.last}"
        case _:
            return str(period.year)


def period_phrase(period: Period) -> str:
    """Return the words of a period after a subject: " in 2008", " at december 31, 2008"."""
    return f" {'at' if period.kind == 'date' else 'in'} {period_words(period)}"


def shortened_period(period: Period, among: Sequence[Period]) -> Period:
    """Shorten a date or month to its year, unless another one of the periods is in the same year."""
    alone = len({other for other in among if other.year == period.year}) <= 1
    return Period("year", period.year) if alone and period.kind in ("date", "month") else period


def spanned_period(periods: tuple[Period, ...]) -> Period | None:
    """Return the period of a result: the range of years if they differ, else the latest period; None without any."""
    years = {period.year for period in periods}
    if len(years) > 1 and all(period.kind != "range" for period in periods):
        return Period("range", min(years), last=max(years))
    return max(periods, key=period_order, default=None)


def period_order(period: Period) -> tuple[int, int, int, int]:
    """Sort key that orders periods by their ends."""
    return (period.last or period.year, period.quarter or 0, period.month or 0, period.day or 0)


_SHARES = frozenset({"ratio", "percentage", "percentage_change"})
_LONGEST = 400
"""Limit in characters for descriptions, which repeated self-references would double with each step."""
_MOST_PARTS = 12


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a number or a list.

    Attributes:
        key: Its calculation; equal for equal calculations.
        subject: Description without periods: "net revenue", "sum of rent and taxes".
        text: Description with periods: "net revenue in 2008", "change in net revenue from 2007 to 2008".
        entities: The distinct things that it is about.
        periods: The periods of its numbers, in order.
        base: Description of the reference of a percentage change, a percentage or a ratio.
        parts: The addends of a sum; the later and the earlier value of a change.
        axis: Whether the entries of a list are one thing over several periods, or several things; else None.
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
        """The common period of all its numbers, or None."""
        return self.periods[0] if len(set(self.periods)) == 1 else None


def number_result(key: str, subject: str, period: Period | None, shown: str, entity: str | None) -> Meaning:
    """Return the meaning of a number of the page.

    Args:
        shown: The words of the period: " in 2008", or "".
    """
    entities = (entity,) if entity else ()
    return Meaning(key, "value", subject, f"{subject}{shown}", entities, (period,) if period else ())


def describe_constant(value: Decimal, text: str) -> Meaning:
    """Return the meaning of a constant."""
    return Meaning(f"constant {value.normalize()}", "value", text, text, constant=value)


def number_key(value: Decimal) -> str:
    """Return the key of a printed number, regardless of its sign."""
    return f"number {value.copy_abs().normalize()}"


def describe_computed(operation: str, operands: Sequence[Meaning]) -> Meaning:
    """Return the meaning of an operation's result."""
    if operation == "identity":
        return operands[0]
    if operation == "explain":
        about = next((operand for operand in operands if operand.entities), operands[0])
        return replace(
            about, metric="value", base=None, text=f"explanation: {about.text}"[:_LONGEST], key=f"explain {about.key}"
        )
    compose = _MADE.get(operation) or partial(_other, operation)
    meaning = compose(tuple(operands))
    each = OPERATIONS[operation].takes == "each"
    return replace(
        meaning,
        axis=next((operand.axis for operand in operands if operand.axis), None) if each else None,
        key=_computed_key(operation, operands),
    )


def _computed_key(operation: str, operands: Sequence[Meaning]) -> str:
    words = "\n".join((operation, *(operand.key for operand in operands)))
    return hashlib.sha256(words.encode()).hexdigest()


def shortened_meaning(meaning: Meaning) -> Meaning:
    """Return a meaning with descriptions cut to the limit."""
    return replace(meaning, subject=meaning.subject[:_LONGEST], text=meaning.text[:_LONGEST])


def as_percentage(meaning: Meaning) -> Meaning:
    """Convert a ratio to a percentage if the question asks for one; return other meanings unchanged."""
    if meaning.metric != "ratio" or len(meaning.parts) != 2:
        return meaning
    return replace(_share(meaning.parts, "percentage"), key=meaning.key)


def _change(operands: tuple[Meaning, ...]) -> Meaning:
    later, earlier = operands
    if earlier.constant == 1 and (over := _quotient_of(later)):
        return _relative(*over)
    if _differ_in_period_only(later, earlier):
        falls = _before(later, earlier)
        words = f"{'decline' if falls else 'change'} in {later.subject}"
        period = _from_to(later, earlier) if falls else _from_to(earlier, later)
        return _build("change", words, f"{words} {period}", operands)
    if later.subject == earlier.subject:
        words = f"change in {later.subject}"
        return _build("change", words, _with_period(words, operands, words), operands)
    return _join_operands("change", "{} less {}", operands)


def _relative_change(operands: tuple[Meaning, ...]) -> Meaning:
    return _relative(*((operands[1].constant == 1 and _quotient_of(operands[0])) or operands))


def _quotient_of(meaning: Meaning) -> tuple[Meaning, Meaning, str] | None:
    """Return the parts of a quotient, or of a power of one, and the word for it minus one; None for anything else."""
    word = "change"
    if meaning.metric == "product" and " to the power of " in meaning.subject and meaning.parts:
        meaning, word = meaning.parts[0], "change a year"
    return (meaning.parts[0], meaning.parts[1], word) if meaning.metric in _SHARES and len(meaning.parts) == 2 else None


def _relative(later: Meaning, earlier: Meaning, word: str = "change") -> Meaning:
    subject = f"percentage {word} in {later.subject}"
    if _differ_in_period_only(later, earlier):
        text = f"{subject} {_from_to(earlier, later)}"
    elif later.subject == earlier.subject:
        text = _with_period(subject, (later, earlier), subject)
    else:
        subject = f"percentage change from {earlier.subject} to {later.subject}"
        text = _with_period(subject, (later, earlier), f"percentage change from {_full(earlier)} to {_full(later)}")
    return _build("percentage_change", subject, text, (later, earlier), base=earlier.text)


def _quotient(operands: tuple[Meaning, ...]) -> Meaning:
    part, whole = operands
    if part.metric == "change" and len(part.parts) == 2:
        later, earlier = part.parts
        if _is_value(whole, earlier):
            return _relative(later, earlier)
        if _is_value(whole, later) and _before(later, earlier):
            # A decline is the earlier value minus the later one, relative to the earlier.
            return _relative(earlier, later, "decline")
    if part.metric == "sum" and whole.constant == len(part.parts):
        return _list_parts(part.parts, "average", "average")
    if whole.constant is not None:
        return _build(
            "ratio", f"{_bare(part)} divided by {whole.text}", f"{_full(part)} divided by {whole.text}", (part,)
        )
    return _share(operands, "ratio")


def _share(operands: tuple[Meaning, ...], metric: str) -> Meaning:
    part, whole = operands
    if metric == "percentage":
        words, entities = "{} as a percentage of {}", part.entities
    else:
        words, entities = "ratio of {} to {}", ()
    return replace(_join_operands(metric, words, operands, entities), base=whole.text)


def _sum(operands: tuple[Meaning, ...]) -> Meaning:
    parts = tuple(
        part for operand in operands for part in (operand.parts if operand.metric == "sum" else ()) or (operand,)
    )
    return _list_parts(parts if len(parts) <= _MOST_PARTS else operands, "sum", "sum")


def _list_parts(parts: tuple[Meaning, ...], metric: str, word: str) -> Meaning:
    periods = [part.period for part in parts]
    if len({part.subject for part in parts}) == 1 and all(periods) and len(set(periods)) == len(periods):
        subject = f"{word} of {parts[0].subject}" if len(parts) > 1 else parts[0].subject
        text = f"{subject} {_join([_when(part) for part in parts])}"
    else:
        subject = f"{word} of {_join(_count_names(map(_bare, parts)))}"
        text = _with_period(subject, parts, f"{word} of {_join(_count_names(map(_full, parts)))}")
    return _build(metric, subject, text, parts)


def _count_names(names: Iterable[str]) -> list[str]:
    """Return each distinct name, with the count if it occurs several times."""
    return [name if count == 1 else f"{count} numbers of {name}" for name, count in Counter(names).items()]


def _size(operands: tuple[Meaning, ...]) -> Meaning:
    operand = operands[0]
    return replace(operand, text=f"size of {_full(operand)}", subject=f"size of {_bare(operand)}")


def _as_printed(operands: tuple[Meaning, ...]) -> Meaning:
    operand = operands[0]
    subject = f"{_bare(operand)} as printed"
    named = operand.text.startswith(operand.subject)
    text = f"{subject} {_when(operand)}".strip() if named else f"{_full(operand)} as printed"
    return replace(operand, text=text, subject=subject)


def _row(operands: tuple[Meaning, ...], metric: str, word: str) -> Meaning:
    words = f"{word} of the row {operands[0].subject}"
    return _build(metric, words, words, operands)


def _join_operands(metric: str, words: str, operands: tuple[Meaning, ...], entities: tuple[str, ...] = ()) -> Meaning:
    """Return a meaning whose description is a format string with the operands."""
    subject, full = words.format(*map(_bare, operands)), words.format(*map(_full, operands))
    return _build(metric, subject, _with_period(subject, operands, full), operands, entities=entities)


def _other(operation: str, operands: tuple[Meaning, ...]) -> Meaning:
    words = f"{operation.replace('_', ' ')} of {_join([_full(operand) for operand in operands])}"
    return _build(metric_of(operation), words, words, operands)


_MADE: dict[str, Callable[[tuple[Meaning, ...]], Meaning]] = {
    "subtract": _change,
    "percentage_change": _relative_change,
    "percentage": partial(_share, metric="percentage"),
    "divide": _quotient,
    "add": _sum,
    "sum": _sum,
    "average": partial(_list_parts, metric="average", word="average"),
    "maximum": partial(_list_parts, metric="maximum", word="largest"),
    "minimum": partial(_list_parts, metric="minimum", word="smallest"),
    "absolute": _size,
    "as_printed": _as_printed,
    "multiply": partial(_join_operands, "product", "{} times {}"),
    "exp": partial(_join_operands, "product", "{} to the power of {}"),
    "greater": partial(_join_operands, "comparison", "whether {} is greater than {}"),
    "table_sum": partial(_row, metric="sum", word="sum"),
    "table_average": partial(_row, metric="average", word="average"),
    "table_max": partial(_row, metric="maximum", word="largest"),
    "table_min": partial(_row, metric="minimum", word="smallest"),
}


def _build(
    metric: str,
    subject: str,
    text: str,
    parts: tuple[Meaning, ...],
    *,
    base: str | None = None,
    entities: tuple[str, ...] = (),
) -> Meaning:
    periods = tuple(dict.fromkeys(period for part in parts for period in part.periods))
    entities = entities or tuple(dict.fromkeys(entity for part in parts for entity in part.entities))
    return Meaning("", metric, subject[:_LONGEST], text[:_LONGEST], entities, periods, base, parts)


def _differ_in_period_only(later: Meaning, earlier: Meaning) -> bool:
    return (
        later.subject == earlier.subject
        and None not in (later.period, earlier.period)
        and later.period != earlier.period
    )


def _is_value(base: Meaning, value: Meaning) -> bool:
    """Return whether a divisor is a value, either looked up again or written as a constant."""
    return base.key == value.key or (base.constant is not None and value.key == number_key(base.constant))


def _before(one: Meaning, other: Meaning) -> bool:
    first, second = one.period, other.period
    return bool(first and second) and period_order(first) < period_order(second)  # type: ignore[arg-type]


def _from_to(earlier: Meaning, later: Meaning) -> str:
    return f"from {_when(earlier, bare=True)} to {_when(later, bare=True)}"


def _when(meaning: Meaning, *, bare: bool = False) -> str:
    """Return the words of a meaning after its subject, if bare without their preposition."""
    words = meaning.text.removeprefix(meaning.subject).strip()
    return words.partition(" ")[2] if bare and words.startswith(("in ", "at ")) else words


def _with_period(subject: str, operands: Sequence[Meaning], full: str) -> str:
    """Add the common period of all operands to the subject; return `full` if they have no common period."""
    named = [operand for operand in operands if operand.constant is None]
    periods = {operand.period for operand in named}
    if len(periods) == 1 and None not in periods and named[0].text.startswith(named[0].subject):
        return f"{subject} {_when(named[0])}".strip()
    return full


def _bare(meaning: Meaning) -> str:
    return _enclose(meaning.subject, meaning)


def _full(meaning: Meaning) -> str:
    return _enclose(meaning.text, meaning)


def _enclose(words: str, meaning: Meaning) -> str:
    return (
        f"({words})"
        if meaning.parts and meaning.metric in ("change", "sum", "product") and " less " in words
        else words
    )


def _join(words: Sequence[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


_MOST_NAMED = 3
"""Limit of selected lines that a later question can refer to."""
_MOST_LISTED = 12
_EXTREMES = {"argmax": "highest", "argmin": "lowest"}
_ORDINALS = ("", "second ", "third ", "fourth ", "fifth ", "sixth ", "seventh ", "eighth ", "ninth ", "tenth ")
_COMPARED = {
    "above": "above", "below": "below", "at_least": "of at least", "at_most": "of at most", "equal_to": "equal to",
}  # fmt: skip


def group(key: str, called: str, cells: Sequence[Meaning], labels: Sequence[str]) -> Meaning:
    """Return the meaning of a group of cells: one thing over several periods, or several things.

    Args:
        cells: The meanings of its numbers; not empty.
    """
    periods = tuple(dict.fromkeys(period for cell in cells for period in cell.periods))
    subjects = dict.fromkeys(cell.subject for cell in cells)
    if len(subjects) == 1 and (len(periods) > 1 or len(cells) == 1):
        first, last = min(periods, key=period_order, default=None), max(periods, key=period_order, default=None)
        years = dict.fromkeys(str(period.year) for period in (first, last) if period)
        text = f"{cells[0].subject}, {' to '.join(years)}" if years else cells[0].subject
        return Meaning(key, "value", cells[0].subject, text, cells[0].entities, periods, axis="periods")
    if len(subjects) == 1:
        return Meaning(key, "value", cells[0].subject, cells[0].text, cells[0].entities, periods, axis="items")
    subject = "value" if not called or parse_period(called) else called
    shown = f" in {periods[0].year}" if len(periods) == 1 else ""
    named = dict.fromkeys(labels)
    entities = tuple(named) if len(named) <= _MOST_NAMED else ((subject,) if subject != "value" else ())
    return Meaning(key, "value", subject, f"{subject}{shown}", entities, periods, axis="items")


def describe_selection(operation: str, operands: Sequence[Meaning], noun: str) -> Meaning:
    """Return the meaning of an operation on a list.

    Args:
        noun: The question's word for the entries ("segment"), or "".
    """
    listed = operands[0]
    if operation == "items":
        meaning = _list_meaning_listed(operands)
    elif operation == "labels":
        meaning = replace(listed, metric="selection", base=None)
    elif operation == "count":
        lead = f"{noun or _noun(listed)}s with " if listed.metric not in ("selection", "list") else ""
        meaning = _reword(listed, "number of {0}", lead, "count")
    elif operation in _COMPARED:
        limit = operands[1].text
        meaning = _reword(listed, f"{{0}} {_COMPARED[operation]} {limit}", "", listed.metric)
    else:
        meaning = _extreme(operation, operands, noun)
    return replace(meaning, key=_computed_key(operation, operands))


def add_choice(found: Meaning, value: AnswerValue, periods: Mapping[str, Period]) -> Meaning:
    """Add the selected periods or entities to the meaning of a selection.

    Args:
        periods: The periods of the labels of its groups, if they have any.
    """
    labels = _labels(value)
    if found.axis is None or not labels:
        return found
    if found.axis == "periods":
        label_periods = tuple(period for label in labels if (period := periods.get(label) or parse_period(label)))
        return replace(found, periods=label_periods) if label_periods else found
    return replace(found, entities=labels) if len(labels) <= _MOST_NAMED else found


def _labels(value: AnswerValue) -> tuple[str, ...]:
    match value:
        case Text(value=label):
            return (label,)
        case ValueList(items=items):
            return tuple(dict.fromkeys(item.label for item in items if item.label is not None))
    return ()


def _list_meaning_listed(operands: Sequence[Meaning]) -> Meaning:
    if len(operands) == 1:
        return operands[0]
    metrics = {operand.metric for operand in operands}
    periods = tuple(dict.fromkeys(period for operand in operands for period in operand.periods))
    entities = tuple(dict.fromkeys(entity for operand in operands for entity in operand.entities))
    subjects = {operand.subject for operand in operands}
    texts = list(dict.fromkeys(operand.text for operand in operands))
    shown = [*texts[:_MOST_LISTED], *([f"{len(texts) - _MOST_LISTED} more"] if len(texts) > _MOST_LISTED else [])]
    text = f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]
    whens = [operand.text.removeprefix(operand.subject) for operand in operands]
    if len(subjects) == 1 and len(operands) <= _MOST_LISTED and all(when.startswith(" in ") for when in whens):
        years = list(dict.fromkeys(when.removeprefix(" in ") for when in whens))
        text = f"{operands[0].subject} in {_join(years)}"
    return shortened_meaning(
        Meaning(
            "",
            metrics.pop() if len(metrics) == 1 else "list",
            operands[0].subject if len(subjects) == 1 else text,
            text,
            entities,
            periods,
            axis="periods" if len(subjects) == 1 and len(periods) == len(operands) else "items",
        )
    )


def _extreme(operation: str, operands: Sequence[Meaning], noun: str) -> Meaning:
    listed = operands[0]
    metric = "selection" if OPERATIONS[operation].gives == "label" else listed.metric
    if operation in _EXTREMES:
        return _reword(listed, f"{noun or _noun(listed)} with the {_EXTREMES[operation]} {{0}}", "", metric)
    place = operands[1].text
    if operation == "rank":
        which = f"{_ordinal(place.removeprefix('-'))}{'lowest' if place.startswith('-') else 'highest'}"
        return _reword(listed, f"{noun or _noun(listed)} with the {which} {{0}}", "", metric)
    return _reword(listed, f"the {place} {operation} of {{0}}", "", metric)


def _ordinal(place: str) -> str:
    """Return the word before `highest`: "second " for 2, "" for 1."""
    known = place.isascii() and place.isdigit() and 0 < int(place) <= len(_ORDINALS)
    return _ORDINALS[int(place) - 1] if known else f"{place}. "


def _noun(listed: Meaning) -> str:
    return "year" if listed.axis == "periods" else "line"


def _reword(listed: Meaning, words: str, before: str, metric: str) -> Meaning:
    """Embed the description of a list in other words, followed by its periods."""
    subject = words.format(before + listed.subject)
    when = listed.text[len(listed.subject) :] if listed.text.startswith(listed.subject) else None
    return shortened_meaning(
        replace(
            listed,
            metric=metric,
            subject=subject,
            text=f"{subject}{when}" if when is not None else words.format(before + listed.text),
            base=None,
            parts=(listed,),
        )
    )


# Subject of a number in running text, from the clause before it: "rental expense for operating leases".
#
# The numbers of one list share a subject. There is none if no pattern matches.


_ABOUT = r"(?:\s(?:approximately|about|nearly|roughly|only|an?|net|total))*\s*\$?\s*$"
_IS = lazy_regex(
    r"\s(?:was|were|is|are|of|totall?ed|totals|amounted to|approximated|equall?ed|reached"
    r"|(?:declined|increased|decreased|rose|fell|grew|dropped|improved) (?:to|from))" + _ABOUT
)
_AGAINST = lazy_regex(
    r"\s\$?\s?[\d.,]+\s?%?(?:\s(?:thousand|million|billion))?[\s,]{0,3}(?:(?:in|for|at|during) \|[\s,]{0,3})?"
    r"(?:(?:as )?compared (?:with|to)|versus|(?:up |down )?from|(?P<level>to))" + _ABOUT
)
"""After a number that comes first: the number after this text has the same subject."""
_MOVED = lazy_regex(r"\s(?P<moved>declined|increased|decreased|rose|fell|grew|dropped|improved)(?: by)?" + _ABOUT)
_MOVES = {"increased": "increase", "rose": "increase", "grew": "increase", "improved": "improvement"}
_OF_AMOUNT = lazy_regex(
    r"\s(?:of|to|by|was|were)(?:\s(?:approximately|about))?\s*\$?\s*[\d.,]+(?:\s(?:thousand|million|billion))?$"
)
_TIME = lazy_regex(
    r"(?:(?<![\s,])[\s,]*+\b(?:for|during|in|as of|as at|at|on|ended|ending|and|the|both|each of|each|fiscal|years?"
    r"|quarters?|months?|respectively|three|six|nine|twelve)\b|(?<![\s,])[\s,]*+\|){1,12}[\s,]*$"
)
_SEPARATOR = lazy_regex(r"\b(?:or|includes|was|is|has)\b")
_PREDICATE = lazy_regex(r"(?P<subject>[^,;:()\"]+?) (?:was|were|is|are) [^,;:()\"|]+")
_PERIOD_OF_NAME = lazy_regex(r"(?<=\bthe )\|(?= [a-z])|(?<=\bour )\|(?= [a-z])")
"""A year that is part of a name: "the 2005 plan"."""
_CLAUSE = lazy_regex(r"[,;:()\"|]|\s-\s")
_ASIDE = lazy_regex(r"\s\([^()]*\)(?=\s\w)|\s?,\s?(?:except|excluding|including|net of)\b[^,]*,?\s*$")
_VERBS = frozenset(
    "accrues approved assumes bears carries consisting contains do excludes expects mainly means not offset pays "
    "principally record reflect reflects represents requires resulted".split()
)
_GIVEN = frozenset("incurred paid received recognized recorded reported".split())
"""Boundary words that belong to the phrase if a preposition follows: "cost recognized for grants"."""
_NO_HEAD = frozenset("amount amounts value total aggregate sum number portion addition result net".split())
_DONE = ("ed", "sold", "repaid", "net", "gross", "attributable")
_LONGEST_SUBJECT = 10


def place_in_list(sentence: Sentence, start: int) -> tuple[int, range] | None:
    """Return the index of a number in its sentence, and the list of similar numbers around it; None without a list.

    Args:
        start: The number's first character.
    """
    mentions = sentence.mentions
    place = next((n for n, mention in enumerate(mentions) if mention.ref.start == start), None)
    run = range(0) if place is None else list_of(sentence, place)
    if place is None or len(run) < 2:
        return None
    between = sentence.text[mentions[run[0]].ref.end : mentions[run[-1]].ref.start]
    percents = {mentions[n].quantity.scale is Scale.PERCENT for n in run}
    # "$ 62 million , or 9% of sales" gives one thing twice and is not a list.
    separate = _SEPARATOR.search(between) or sentence.text.startswith(" of which", mentions[run[-1]].ref.end)
    return None if len(percents) > 1 or separate else (place, run)


@lru_cache(maxsize=64)
def text_subject(text: str) -> str | None:
    """Return the subject of the number after a text, or None; cached because later answers describe earlier ones."""
    before, level = _without_periods(normalize_text(text)), False
    if against := _AGAINST.search(before):
        before, level = f"{before[: against.start()]} ", against["level"] is not None
    if moved := _MOVED.search(before):
        phrase = _phrase(_OF_AMOUNT.sub("", _TIME.sub("", before[: moved.start()])))
        return f"{_MOVES.get(moved['moved'], 'decrease')} in {phrase}" if phrase and not level else phrase
    verb = _IS.search(before)
    if verb is None:
        return None
    clause = _TIME.sub("", before[: verb.start()])
    if predicate := _PREDICATE.fullmatch(clause):
        # In "the fair values of our hedges were current liabilities of $ 37 million" the amount is the fair values.
        clause = _TIME.sub("", predicate["subject"])
    return _phrase(clause)


def _without_periods(text: str) -> str:
    """Return the text in lower case with each period replaced by a mark."""
    lowered = text.lower()
    for period in sorted(find_periods(lowered), key=lambda found: -found.start):
        lowered = f"{lowered[: period.start]}|{lowered[period.end :]}"
    return lowered


def _phrase(clause: str) -> str | None:
    """Return the noun phrase at the end of a clause, with attributes of its head."""
    words = _CLAUSE.split(_PERIOD_OF_NAME.sub(" ", _ASIDE.sub("", clause)))[-1].split()
    begin = len(words)
    while begin and _is_inside(words, begin - 1):
        begin -= 1
    words = words[begin:]
    # A participle before a preposition is not part of the name: "acquired through the issuance".
    while words and (
        words[0] in PHRASE_JOINTS or words[0] in PHRASE_LEADS or (words[0].endswith("ed") and words[1:2] == [])
    ):
        words = words[1:]
    if len(words) > 1 and words[0].endswith(_DONE) and words[1] in PHRASE_JOINTS:
        return _phrase(" ".join(words[2:]))
    words = _without_last(words)
    while len(words) > _LONGEST_SUBJECT and (
        joint := next((n for n in range(len(words) - 1, 0, -1) if words[n] in PHRASE_JOINTS), 0)
    ):
        # Attributes at the end matter least: "rent expense charged to operations for all leases".
        words = _without_last(words[:joint])
    half = len(words) // 2
    if words[:half] == words[half:]:
        # A heading may run into its paragraph: "operating income operating income increased".
        words = words[half:]
    known = words and len(words) <= _LONGEST_SUBJECT and not any(char.isdigit() for word in words for char in word)
    if not known or (len(words) == 1 and words[0] in _NO_HEAD):
        return None
    phrase = " ".join(words)
    return phrase if named_entity(phrase) else None


def _is_inside(words: list[str], at: int) -> bool:
    """Return whether a phrase extends to the left across a word."""
    word = words[at]
    joined = word in PHRASE_JOINTS or (word in _GIVEN and at > 0 and words[at + 1 : at + 2] == ["for"])
    boundary = word in PHRASE_BOUNDARIES or word in _VERBS or not any(map(str.isalnum, word.replace("&", "n")))
    return joined or not boundary


def _without_last(words: list[str]) -> list[str]:
    """Remove prepositions at the end, and a participle before one ("costs associated with")."""
    end = len(words)
    while end and words[end - 1] in PHRASE_JOINTS:
        end -= 1
    done = 1 < end < len(words) and words[end - 1].endswith("ed")
    return words[: end - done]
