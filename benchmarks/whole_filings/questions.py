"""Questions about a filing with exact answers, generated from its tags: `what was ROW in YEAR?` and calculations.

A tagged number is asked for by the label of its row and the year of its column. If a label occurs in several places
with different values, the question also names the title or the section; if that is ambiguous, it is not asked. The
answer is the number as printed; other cells tagged as the same fact are right sources too. No solver sees any of this.
Numbers that were misread are not asked for; `benchmarks.tags` counts them.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Literal

from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.documents.facts import Fact
from quaestor.documents.table import Table

Kind = Literal["look-up", "change", "percentage change", "share"]

_MONTHS_OF_A_YEAR = range(340, 381)
_LONGEST_LABEL = 90


@dataclass(frozen=True, slots=True)
class FilingQuestion:
    """A question with its answer.

    Attributes:
        value: The exact answer: in units of `scale` for look-ups and changes, otherwise a fraction.
        scale: The scale of look-ups and changes.
        operands: For each number used in the answer, all cells that print it.
    """

    text: str
    kind: Kind
    value: Decimal
    scale: Scale
    operands: tuple[frozenset[CellRef], ...]


@dataclass(frozen=True, slots=True)
class _PrintedNumber:
    """A tagged number in a table, as read."""

    ref: CellRef
    table: Table
    fact: Fact
    label: str
    year: int
    value: Decimal
    scale: Scale


def questions_of(document: Document, seed: int = 0, at_most: int = 200) -> tuple[FilingQuestion, ...]:
    """Return questions about a filing, drawn at random: half of them look-ups, the rest calculations."""
    printed = list(_printed(document))
    named = _named(document, printed)
    by_kind: dict[Kind, Iterator[FilingQuestion]] = {
        "look-up": _lookups(named),
        "change": _changes(named, relative=False),
        "percentage change": _changes(named, relative=True),
        "share": _shares(named),
    }
    draw = random.Random(seed)
    chosen: list[FilingQuestion] = []
    for kind, questions in by_kind.items():
        found = sorted(questions, key=lambda question: question.text)
        wanted = at_most // 2 if kind == "look-up" else at_most // 6
        chosen += draw.sample(found, min(wanted, len(found)))
    return tuple(chosen)


def _printed(document: Document) -> Iterator[_PrintedNumber]:
    for tagged in document.facts:
        ref, fact = tagged.source, tagged.fact
        if not isinstance(ref, CellRef) or fact.value is None or not _is_yearly(fact):
            continue
        table = document.table(ref.table)
        cell = table.cells[ref.row][ref.column]
        period = table.columns[ref.column].period
        label = " ".join(table.rows[ref.row].label.split())
        if ref.row < table.header_rows or period is None or cell.quantity is None or not label:
            continue
        if len(label) > _LONGEST_LABEL or period.kind not in ("year", "date"):
            continue
        scale = cell.quantity.scale
        if scale is Scale.ONE:
            scale = table.scale_at(ref.row, ref.column) or Scale.ONE
        # Misread numbers are errors of the reader, and not asked for.
        if abs(cell.quantity.value * scale.factor) != abs(fact.value):
            continue
        yield _PrintedNumber(ref, table, fact, label, period.year, cell.quantity.value, scale)


def _is_yearly(fact: Fact) -> bool:
    return fact.start is None or (fact.end - fact.start).days in _MONTHS_OF_A_YEAR


_Named = Mapping[tuple[str, int, str], Sequence[_PrintedNumber]]
"""Numbers that can be asked for by label, year and place (or ""), with all prints of the same fact."""


def _named(document: Document, printed: Iterable[_PrintedNumber]) -> dict[tuple[str, int, str], list[_PrintedNumber]]:
    """Return the numbers that a question can name unambiguously."""
    same = defaultdict(list)
    for number in printed:
        same[number.label.casefold(), number.year].append(number)
    facts = {tagged.source: tagged.fact for tagged in document.facts}
    labels = _labels(document)
    named: dict[tuple[str, int, str], list[_PrintedNumber]] = {}
    for (label, year), numbers in same.items():
        first = numbers[0]
        others = labels[label, year]
        if all(_same(first.fact, facts.get(ref)) for ref in others):
            named[first.label, year, ""] = numbers
            continue
        places = defaultdict(list)
        for number in numbers:
            places[_place(document, number.table)].append(number)
        of_place = defaultdict(set)
        for ref in others:
            of_place[_place(document, document.table(ref.table))].add(ref)
        for place, here in places.items():
            if place and all(_same(here[0].fact, facts.get(ref)) for ref in of_place[place]):
                everywhere = [n for n in numbers if _same(n.fact, here[0].fact)]
                named[here[0].label, year, place] = everywhere
    return named


def _labels(document: Document) -> dict[tuple[str, int], set[CellRef]]:
    """Return all cells with a number by label and year, tagged or not."""
    found = defaultdict(set)
    for table in document.tables:
        for cell in table.body():
            period = table.period_at(cell.ref.row, cell.ref.column)
            if cell.quantities and period is not None:
                label = " ".join(table.rows[cell.ref.row].label.split()).casefold()
                found[label, period.year].add(cell.ref)
    return found


def _place(document: Document, table: Table) -> str:
    """Return the name of a table's place in a question: its title, or else the title of its section."""
    return " ".join((table.title or document.section_of(table).title).split())


def _same(one: Fact, other: Fact | None) -> bool:
    return other is not None and (one.concept, one.value, one.start, one.end, one.dimensions) == (
        other.concept,
        other.value,
        other.start,
        other.end,
        other.dimensions,
    )


def _in(place: str) -> str:
    return f" according to {place}" if place else ""


def _refs(numbers: Iterable[_PrintedNumber]) -> frozenset[CellRef]:
    return frozenset(number.ref for number in numbers)


def _lookups(named: _Named) -> Iterator[FilingQuestion]:
    for (label, year, place), numbers in named.items():
        first = numbers[0]
        text = f"what was {label} in {year}{_in(place)}?"
        yield FilingQuestion(text, "look-up", first.value, first.scale, (_refs(numbers),))


def _changes(named: _Named, *, relative: bool) -> Iterator[FilingQuestion]:
    for (label, year, place), numbers in named.items():
        before = named.get((label, year - 1, place))
        new, old = numbers[0], before[0] if before else None
        if before is None or old is None or old.scale is not new.scale or old.table.index != new.table.index:
            continue
        operands = (_refs(numbers), _refs(before))
        if not relative:
            text = f"what was the change in {label} from {year - 1} to {year}{_in(place)}?"
            yield FilingQuestion(text, "change", new.value - old.value, new.scale, operands)
        elif old.value > 0 and new.value > 0 and new.scale is not Scale.PERCENT:
            text = f"what was the percentage change in {label} from {year - 1} to {year}{_in(place)}?"
            yield FilingQuestion(
                text, "percentage change", _ratio(new.value - old.value, old.value), Scale.ONE, operands
            )


def _shares(named: _Named) -> Iterator[FilingQuestion]:
    totals = [key for key in named if key[0].casefold().startswith("total ")]
    for label, year, place in totals:
        whole = named[label, year, place]
        for other, numbers in named.items():
            part = numbers[0]
            same_column = [n for n in whole if (n.ref.table, n.ref.column) == (part.ref.table, part.ref.column)]
            if other[1:] != (year, place) or other[0] == label or not same_column:
                continue
            above = 0 < same_column[0].ref.row - part.ref.row <= 8
            total = same_column[0].value
            if above and total and 0 < part.value < total and part.scale is same_column[0].scale:
                text = f"what percentage of {label} was {other[0]} in {year}{_in(place)}?"
                yield FilingQuestion(
                    text, "share", _ratio(part.value, total), Scale.ONE, (_refs(numbers), _refs(whole))
                )


def _ratio(one: Decimal, other: Decimal) -> Decimal:
    with localcontext(prec=28):
        return one / other
