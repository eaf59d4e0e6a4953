"""Ranges that a filing gives instead of a number ("between $2.2 and $2.4 billion"), and plans that answer with them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from quaestor.core.answer_value import Number
from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import LARGE_SCALES, Quantity, Scale
from quaestor.documents.document import Document
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.solvers.embedded.filings.past import RANGE_ENDS
from quaestor.solvers.embedded.filings.results import LOOKED_UP, PlanResult, execute_plan

_TO = lazy_regex(r"\s?(?:to|[-\u2010-\u2015])\s?(?:(?:approximately|about) )?")
_AND = lazy_regex(r"\s?and\s?(?:(?:approximately|about) )?")
_BETWEEN = lazy_regex(r"\b(?:between|rang\w+ (?:from|of)) (?:approximately |about )?$")
_RANGING = lazy_regex(r"\b(?:rang\w+|var(?:y|ies|ied|ying)) (?:(?!\d)[^.;])*$")
_FROM = lazy_regex(r"\bfrom (?:approximately |about )?$")
_NO_RANGE = lazy_regex(
    r"\b(?:(?:increas|decreas|declin|compar|improv|chang|reduc|rais|extend|expand|amend)ed|grew|rose|fell|dropped|went"
    r"|up|down|compares|versus)\b(?:(?!\d)[^.;])*$"
    r"|\b(?:pages?|notes?|items?|exhibits?|sections?|rules?|parts?|levels?|tables?|phases?|no\.|january|february|march"
    r"|april|may|june|july|august|september|october|november|december) $"
)
"""Words before two numbers that are a change over time, dates, or places in the filing."""
_RESPECTIVELY = lazy_regex(r"[^.;]{0,80}\brespectively\b")
_YEARS = frozenset(range(1900, 2101))
_LEAST_WRITTEN_OUT = 1000
"""An amount that is printed in full has no scale of the amount after it: "$500,000 to $1 million"."""

_BOTH_ENDS = lazy_regex(r"\blow(?:er)?(?: end)?(?:,| and| to| then)(?: the)? (?:high|upper)")
_ASKS_FOR_RANGE = lazy_regex(rf"\branges?\b|{_BOTH_ENDS.pattern}")
_MIDPOINT = lazy_regex(r"\bmid-?points?\b|\bmiddle of\b")
_LOW_END = lazy_regex(
    r"\bat least\b|\b(?:low(?:er)?|bottom) (?:end|bound|limit)\b|\bminimum\b|\bbottom of\b|\blowest\b"
)
_HIGH_END = lazy_regex(
    r"\bat (?:the )?most\b|\b(?:high(?:er)?|upper|top) (?:end|bound|limit)\b|\b(?:maximum|top of|up to|highest)\b"
)


def find_range(extract: Extract, document: Document) -> tuple[Extract, Extract] | None:
    """Return the two ends of the range that an extracted number is an end of, low end first; None if there is none."""
    source, number = extract.source, extract.quantity
    if number is None:
        return None
    if isinstance(source, SentenceRef):
        pairs = [ends for ends in _list_ranges(source, document) if source in (ends[0].source, ends[1].source)]
    else:
        pairs = list(_list_ranges_of_cell(source, document))
    if not pairs:
        return None
    low, high = pairs[0]
    return (
        replace(extract, id=1, source=low.source, quantity=low.quantity),
        replace(extract, id=2, source=high.source, quantity=high.quantity),
    )


def _list_ranges(source: SentenceRef, document: Document) -> Iterator[tuple[Extract, Extract]]:
    """Yield the ranges of a sentence."""
    sentence = document.sentence(source)
    for first, last in pairwise(sentence.mentions):
        spans = (first.ref.start, first.ref.end, last.ref.start, last.ref.end)
        ends = _read_ends(first.quantity, last.quantity, sentence.text, spans)
        if ends is not None:
            yield Extract(1, first.ref, "", ends[0]), Extract(2, last.ref, "", ends[1])


def _list_ranges_of_cell(source: CellRef, document: Document) -> Iterator[tuple[Extract, Extract]]:
    """Yield the range that a cell consists of."""
    cell = document.cell(source)
    if len(cell.quantities) != 2:
        return
    first, last = cell.quantities
    start = cell.text.find(first.text)
    next_start = cell.text.find(last.text, start + len(first.text))
    if min(start, next_start) < 0:
        return
    spans = (start, start + len(first.text), next_start, next_start + len(last.text))
    ends = _read_ends(first, last, cell.text, spans)
    if ends is not None:
        yield Extract(1, source, "", ends[0]), Extract(2, source, "", ends[1])


def _read_ends(
    first: Quantity, last: Quantity, text: str, spans: tuple[int, int, int, int]
) -> tuple[Quantity, Quantity] | None:
    """Return two neighbouring numbers as the ends of a range, with the scale and unit of the other; None if none."""
    before, between = text[: spans[0]].lower(), text[spans[1] : spans[2]].lower()
    by_and = bool(_AND.fullmatch(between) and _BETWEEN.search(before))
    if not by_and and not _TO.fullmatch(between):
        return None
    stated = by_and or bool(_RANGING.search(before))
    if not stated and (_FROM.search(before) or _NO_RANGE.search(before)):
        return None
    if _RESPECTIVELY.match(text, spans[3]):
        return None
    one, other = _share_scale(first, last)
    if one.scale is not other.scale or one.unit != other.unit:
        return None
    if one.unit is None and one.scale is Scale.ONE and {int(one.value), int(other.value)} & _YEARS:
        return None
    rising = one.value < other.value or (one.value < 0 and other.value < 0 and one.value != other.value)
    return (one, other) if rising else None


def _share_scale(first: Quantity, last: Quantity) -> tuple[Quantity, Quantity]:
    """Return two numbers with the scale and unit that only one of them has printed."""
    shares = last.scale is Scale.PERCENT or (last.scale in LARGE_SCALES and abs(first.value) < _LEAST_WRITTEN_OUT)
    if first.scale is Scale.ONE and shares:
        first = replace(first, scale=last.scale)
    return replace(first, unit=first.unit or last.unit), replace(last, unit=last.unit or first.unit)


def answer_with_ranges(
    question: str, results: Sequence[PlanResult], document: Document
) -> list[tuple[int, PlanResult]]:
    """Return results with ranges instead of one of their ends, each with the place of the result it was.

    Results that become equal are merged: one of them is right if either end is.
    """
    found: dict[object, tuple[int, PlanResult]] = {}
    for place, result in enumerate(results):
        changed = _with_range(question.lower(), result, document)
        plan = changed.proposal.plan
        numbers = tuple((step.source, step.quantity) for step in plan.extracts)
        key: object = place if changed is result else (numbers, len(plan.steps))
        if key in found:
            first, known = found[key]
            found[key] = first, replace(known, right=min(known.right + result.right, 1.0))
        else:
            found[key] = place, changed
    return list(found.values())


def _with_range(question: str, result: PlanResult, document: Document) -> PlanResult:
    extract, *others = result.proposal.plan.steps
    if others or not isinstance(extract, Extract):
        return result
    if result.proposal.form == "words" and _ASKS_FOR_RANGE.search(question):
        ends = _find_only_range(extract, document)
    elif result.proposal.form in LOOKED_UP and isinstance(result.value, Number) and extract.quantity is not None:
        ends = find_range(extract, document)
    else:
        return result
    if ends is None:
        return result
    plan = _plan_range(question, ends, result.proposal.plan)
    executed = execute_plan(plan, document)
    if executed is None:
        return result
    proposals = (replace(result.proposal, plan=plan, form="value"), *result.proposals[1:])
    return replace(result, value=executed.value, scale=executed.scale, proposals=proposals)


def _find_only_range(quote: Extract, document: Document) -> tuple[Extract, Extract] | None:
    """Return the range of a quoted sentence that has one; None if it has none or several."""
    if not isinstance(quote.source, SentenceRef):
        return None
    ranges = list(_list_ranges(quote.source, document))
    if len(ranges) != 1:
        return None
    one, other = ranges[0]
    return replace(one, label=quote.label), replace(other, label=quote.label)


def _plan_range(question: str, ends: tuple[Extract, Extract], plan: Plan) -> Plan:
    """Return the plan for the end of a range that a question asks for, for its midpoint, or for both ends."""
    low, high = bool(_LOW_END.search(question)), bool(_HIGH_END.search(question))
    if low != high and not _BOTH_ENDS.search(question):
        return replace(plan, steps=(replace(ends[not low], id=1),))
    operation = "average" if _MIDPOINT.search(question) else "items"
    labelled = [replace(end, label=f"{end.label}, {name}") for end, name in zip(ends, RANGE_ENDS, strict=True)]
    return replace(plan, steps=(*labelled, Compute(3, operation, (Ref(1), Ref(2)))))
