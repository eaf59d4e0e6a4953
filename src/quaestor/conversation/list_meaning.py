"""What a list means, and what is selected from it: "year with the highest net revenue, 2007 to 2009".

The words for arithmetic are `meaning`'s.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from quaestor.conversation import meaning
from quaestor.conversation.meaning import Meaning
from quaestor.conversation.period_words import period_order
from quaestor.core.answer_value import AnswerValue, Text, ValueList
from quaestor.core.periods import Period, parse_period
from quaestor.plan.operations import OPERATIONS

_MOST_NAMED = 3
"""More lines than these are no thing that a later question takes up."""
_MOST_LISTED = 12
_EXTREMES = {"argmax": "highest", "argmin": "lowest"}
_ORDINALS = ("", "second ", "third ", "fourth ", "fifth ", "sixth ", "seventh ", "eighth ", "ninth ", "tenth ")
_COMPARED = {
    "above": "above", "below": "below", "at_least": "of at least", "at_most": "of at most", "equal_to": "equal to",
}  # fmt: skip


def group(key: str, called: str, cells: Sequence[Meaning], labels: Sequence[str]) -> Meaning:
    """Return the meaning of a group of cells: one thing over several periods, or several things.

    Args:
        cells: What each of its numbers means; not empty.
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


def selected(operation: str, operands: Sequence[Meaning], noun: str) -> Meaning:
    """Return the meaning of what an operation takes from a list.

    Args:
        operation: A name of `quaestor.plan.operations`, of one that is made for lists.
        operands: In the operation's order, as many as it takes.
        noun: What the question calls what is selected ("segment"), or "".
    """
    listed = operands[0]
    if operation == "items":
        made = _listed(operands)
    elif operation == "labels":
        made = replace(listed, metric="selection", base=None)
    elif operation == "count":
        made = _reworded(listed, "number of {0}", _those(listed, noun), "count")
    elif operation in _COMPARED:
        limit = operands[1].text
        made = _reworded(listed, f"{{0}} {_COMPARED[operation]} {limit}", "", listed.metric)
    else:
        made = _extreme(operation, operands, noun)
    words = "\n".join((operation, *(operand.key for operand in operands)))
    return replace(made, key=hashlib.sha256(words.encode()).hexdigest())


def chosen(found: Meaning, value: AnswerValue, periods: Mapping[str, Period]) -> Meaning:
    """Return the meaning of a selection with what was selected: the period or the entity that it came to.

    Args:
        periods: The period of each label of its groups, if it has one.
    """
    labels = _labels(value)
    if found.axis is None or not labels:
        return found
    if found.axis == "periods":
        meant = tuple(period for label in labels if (period := periods.get(label) or parse_period(label)))
        return replace(found, periods=meant) if meant else found
    return replace(found, entities=labels) if len(labels) <= _MOST_NAMED else found


def _labels(value: AnswerValue) -> tuple[str, ...]:
    match value:
        case Text(value=label):
            return (label,)
        case ValueList(items=items):
            return tuple(dict.fromkeys(item.label for item in items if item.label is not None))
    return ()


def _listed(operands: Sequence[Meaning]) -> Meaning:
    """Several results, one after the other."""
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
        years = [when.removeprefix(" in ") for when in whens]
        text = f"{operands[0].subject} in {', '.join(years[:-1])} and {years[-1]}"
    return meaning.shortened_meaning(
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
        return _reworded(listed, f"{noun or _noun(listed)} with the {_EXTREMES[operation]} {{0}}", "", metric)
    place = operands[1].text
    if operation == "rank":
        which = f"{_ordinal(place.removeprefix('-'))}{'lowest' if place.startswith('-') else 'highest'}"
        return _reworded(listed, f"{noun or _noun(listed)} with the {which} {{0}}", "", metric)
    return _reworded(listed, f"the {place} {operation} of {{0}}", "", metric)


def _ordinal(place: str) -> str:
    """Return what is put before `highest`: `second ` for 2, nothing for 1."""
    known = place.isascii() and place.isdigit() and 0 < int(place) <= len(_ORDINALS)
    return _ORDINALS[int(place) - 1] if known else f"{place}. "


def _those(listed: Meaning, noun: str) -> str:
    return f"{noun or _noun(listed)}s with " if listed.metric not in ("selection", "list") else ""


def _noun(listed: Meaning) -> str:
    return "year" if listed.axis == "periods" else "line"


def _reworded(listed: Meaning, words: str, before: str, metric: str) -> Meaning:
    """The meaning of what is made of a list, its words within others, the periods behind them."""
    subject = words.format(before + listed.subject)
    when = listed.text[len(listed.subject) :] if listed.text.startswith(listed.subject) else None
    return meaning.shortened_meaning(
        replace(
            listed,
            metric=metric,
            subject=subject,
            text=f"{subject}{when}" if when is not None else words.format(before + listed.text),
            base=None,
            parts=(listed,),
        )
    )
