"""Where a solver's term parts from the reference's, part by part.

It compares what was done, not what came of it: two parts of one value are the same, and so are two numbers of the same
digits from one place, whatever their scale and sign.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import permutations

from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.documents.alignment import LOOKED_BACK, aligned_periods
from quaestor.documents.document import Document, Sentence
from quaestor.plan.scales import needs_no_source
from quaestor.questions.stems import stems
from quaestor.scoring.cause import Cause
from quaestor.scoring.terms import (
    Applied,
    ConstantTerm,
    Earlier,
    PrintedTerm,
    Term,
    even_out,
    leaves,
    number_in,
    operations,
    written_out,
)

_TELLING = 3
"""So many digits, apart from zeros at the end, and two numbers that differ by a power of ten are one fact."""
_NO_COUNT = 100
_ALIKE = 0.5
"""Sentences that share so much of their words are about another thing or another time."""
_TRIED = 5
"""Of so many operands of a sum every pairing is tried."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One part that differs."""

    cause: Cause
    meant: Source | None = None
    read: Source | None = None


@dataclass(frozen=True, slots=True)
class ComparisonContext:
    """What a turn is compared against."""

    document: Document
    asked: Sequence[str]
    meant: Sequence[Term | None]
    found: Sequence[Term | None]
    wrong: frozenset[int]
    places: Mapping[Decimal, tuple[Source, ...]]


def differing_parts(meant: Term, found: Term, scene: ComparisonContext) -> tuple[Difference, ...]:
    """Return the parts in which a solver's term differs; nothing if only scale and sign can."""
    parts = _whole(meant, found, scene)
    if any(part.cause is Cause.OPERATION for part in parts):
        plain = replace(scene, meant=_even(scene.meant), found=_even(scene.found))
        meant, found, scene = even_out(meant), even_out(found), plain
        parts = _whole(meant, found, scene)
    # One part alone is something else in one place, such as another base of a percentage.
    if len(parts) > 1 and not _is_inherited(parts) and _is_rearranged(meant, found, scene):
        return (Difference(Cause.ORDER),)
    return parts


def _even(terms: Sequence[Term | None]) -> tuple[Term | None, ...]:
    return tuple(None if term is None else even_out(term) for term in terms)


def _whole(meant: Term, found: Term, scene: ComparisonContext) -> tuple[Difference, ...]:
    """As `differing_parts`; at the root a fresh computation that was not made is a matter of the operation."""
    computed = isinstance(meant, Applied)
    if isinstance(found, PrintedTerm | ConstantTerm) and computed:
        return (Difference(Cause.OPERATION),)
    if isinstance(found, Earlier) and computed and meant not in scene.meant:
        parts = _reference(meant, found, scene)
        return (Difference(Cause.OPERATION),) if parts and not _is_inherited(parts) else parts
    return _between(meant, found, scene)


def _between(meant: Term, found: Term, scene: ComparisonContext) -> tuple[Difference, ...]:
    if isinstance(found, Earlier):
        return _reference(meant, found, scene)
    if _same_value(meant, found) or _is_carried(meant, found, scene):
        return () if _same_value(meant, found) else (Difference(Cause.INHERITED),)
    match meant, found:
        case (PrintedTerm() | ConstantTerm(), PrintedTerm() | ConstantTerm()):
            return _number(meant, found, scene)
        case Applied(), Applied():
            return _operation(meant, found, scene)
        case Applied(), _ if meant in scene.meant:
            # An earlier answer was meant, and a number taken instead.
            return (Difference(Cause.REFERENCE),)
    return (Difference(Cause.OPERATION),)


def _reference(meant: Term, found: Earlier, scene: ComparisonContext) -> tuple[Difference, ...]:
    """Compare what is meant with the answer of an earlier turn."""
    if _is_turn(meant, found.turn, scene):
        return (Difference(Cause.INHERITED),) if found.turn in scene.wrong else ()
    if found.term is not None and _same_value(meant, found.term):
        return ()
    if found.term is not None and not _between(meant, found.term, scene):
        return ()
    return (Difference(Cause.REFERENCE),)


def _is_turn(meant: Term, turn: int, scene: ComparisonContext) -> bool:
    """Whether a term is the reference of a turn: its program, or a number that it came to."""
    reference = scene.meant[turn]
    if reference is None:
        return False
    return meant == reference or (isinstance(meant, PrintedTerm | ConstantTerm) and _same_value(meant, reference))


def _is_carried(meant: Term, found: Term, scene: ComparisonContext) -> bool:
    """Whether a wrong turn took the same thing for the same other thing."""
    plain = written_out(found)
    return any(
        meant == scene.meant[turn] and (earlier := scene.found[turn]) is not None and plain == written_out(earlier)
        for turn in scene.wrong
    )


def _operation(meant: Applied, found: Applied, scene: ComparisonContext) -> tuple[Difference, ...]:
    """Compare two operations, operand by operand."""
    if meant.operation != found.operation:
        return (Difference(Cause.OPERATION),)
    if len(meant.operands) != len(found.operands):
        flat, other = written_out(meant), written_out(found)
        assert isinstance(flat, Applied)
        assert isinstance(other, Applied)
        if len(flat.operands) != len(other.operands):
            return (Difference(Cause.OPERATION),)
        meant, found = flat, other
    if meant.operation in ("add", "subtract"):
        meant = replace(meant, operands=tuple(_find_on_page(operand, scene) for operand in meant.operands))
    straight = _operands(meant.operands, found.operands, scene)
    if not straight or _is_inherited(straight):
        return straight
    if meant.commutes:
        return min(
            (_operands(meant.operands, other, scene) for other in _orders(meant.operands, found.operands, scene)),
            key=_weight,
        )
    swapped = _operands(meant.operands, found.operands[::-1], scene)
    return (Difference(Cause.ORDER),) if not swapped or _is_inherited(swapped) else straight


def _find_on_page(operand: Term, scene: ComparisonContext) -> Term:
    """Return a constant that is not a count as the number of the page that it is: the 100 at which an index begins."""
    if isinstance(operand, ConstantTerm) and operand.number >= _NO_COUNT and operand.number in scene.places:
        return PrintedTerm(operand.number, scene.places[operand.number])
    return operand


def _operands(meant: Sequence[Term], found: Sequence[Term], scene: ComparisonContext) -> tuple[Difference, ...]:
    return tuple(part for one, other in zip(meant, found, strict=True) for part in _between(one, other, scene))


def _orders(meant: Sequence[Term], found: Sequence[Term], scene: ComparisonContext) -> Sequence[tuple[Term, ...]]:
    """Return the orders in which operands are compared: all of a few, else the ones that are the same first."""
    if len(found) <= _TRIED:
        return tuple(permutations(found))
    left, ordered = list(found), list[Term | None]()
    for one in meant:
        same = next((other for other in left if not _between(one, other, scene)), None)
        ordered.append(same)
        if same is not None:
            left.remove(same)
    rest = iter(left)
    return (tuple(next(rest) if term is None else term for term in ordered),)


def _weight(parts: Sequence[Difference]) -> tuple[int, int]:
    return sum(part.cause is Cause.OPERATION for part in parts), len(parts)


def _is_inherited(parts: Sequence[Difference]) -> bool:
    return all(part.cause is Cause.INHERITED for part in parts)


def _is_rearranged(meant: Term, found: Term, scene: ComparisonContext) -> bool:
    """Whether the same operations are applied to the same things in another order."""
    plain = found.term if isinstance(found, Earlier) else found
    if not isinstance(meant, Applied) or not isinstance(plain, Applied):
        return False
    if Counter(operations(written_out(meant))) != Counter(operations(written_out(plain))):
        return False
    ours, theirs = leaves(written_out(meant)), leaves(written_out(plain))
    return all(any(_is_inherited(_between(one, other, scene)) for other in theirs) for one in ours) and all(
        any(_is_inherited(_between(one, other, scene)) for one in ours) for other in theirs
    )


def _same_value(meant: Term, found: Term) -> bool:
    """Whether two parts are one: of the same value, or numbers of the same digits from one place."""
    one, other = number_in(meant), number_in(found)
    if one is None or other is None:
        return (
            isinstance(meant, PrintedTerm)
            and isinstance(found, PrintedTerm)
            and one == other
            and _one_place(meant, found)
        )
    if isinstance(meant, Applied) or isinstance(found, Applied):
        return abs(one - other) <= abs(one).scaleb(-12)
    if abs(one) == abs(other):
        return True
    return _digits(one) == _digits(other) and _one_place(meant, found)


def _one_place(meant: Term, found: Term) -> bool:
    return isinstance(meant, PrintedTerm) and isinstance(found, PrintedTerm) and bool({*meant.places} & {*found.places})


def _digits(number: Decimal) -> tuple[int, ...]:
    """The digits of a number without its sign, its point and the zeros at its ends."""
    return number.normalize().as_tuple().digits


def _number(
    meant: PrintedTerm | ConstantTerm, found: PrintedTerm | ConstantTerm, scene: ComparisonContext
) -> tuple[Difference, ...]:
    """Compare two numbers that are not the same."""
    one, other = number_in(meant), number_in(found)
    if one is not None and other is not None and one and _digits(one) == _digits(other):
        both_fixed = isinstance(meant, ConstantTerm) and isinstance(found, ConstantTerm)
        if both_fixed or len(_digits(one)) >= _TELLING:
            return (Difference(Cause.SCALE),)
    if isinstance(meant, PrintedTerm) and isinstance(found, PrintedTerm) and meant.places and found.places:
        # What a program's literal is taken for is a place of its own, of which a prediction without a plan has many.
        read = found.places[0]
        place = likeliest_place(meant.places, read, scene.asked, scene.document)
        return (Difference(place_fault(place, read, scene.document), place, read),)
    if isinstance(meant, ConstantTerm) or (isinstance(found, ConstantTerm) and needs_no_source(found.number)):
        return (Difference(Cause.OPERATION),)
    return (Difference(Cause.PLACE),)


def place_fault(meant: Source, read: Source, document: Document) -> Cause:
    """Return how the place that was read differs from the one that was meant.

    A line is a row of a table whose columns are periods, a column of one whose rows are, either where neither is. A
    place of the same line and another period is a wrong period; of another line a wrong one, whatever its period. In
    running text a line is a sentence, or one that is much like it.
    """
    periods = period_of(meant, document), period_of(read, document)
    other_period = None not in periods and periods[0] != periods[1]
    match meant, read:
        case CellRef(), CellRef() if meant.table == read.table:
            table = document.table(meant.table)
            same = {
                "columns": meant.row == read.row,
                "rows": meant.column == read.column,
                "neither": meant.row == read.row or meant.column == read.column,
            }[table.orientation]
            # A total over periods covers all of them.
            total = periods[0] is not None and periods[1] is None and "total" in stems(words_of(read, document))
            return Cause.PERIOD if same and (other_period or total) else Cause.LINE
        case SentenceRef(), SentenceRef():
            if (meant.section, meant.sentence) == (read.section, read.sentence):
                return Cause.PERIOD if other_period else Cause.LINE
            if other_period and _alike(document.sentence(meant), document.sentence(read)):
                return Cause.PERIOD
    return Cause.PLACE


def likeliest_place(places: Sequence[Source], read: Source | None, asked: Sequence[str], document: Document) -> Source:
    """Return the place that a number of the reference most likely came from.

    One of the table, or of the text, that the solver read; of these the one whose words are most like the question's;
    of these one in the solver's own row or column.
    """
    latest, before = set(stems(asked[-1])), set(stems(" ".join(asked[-3:])))

    def likeness(place: Source) -> tuple[bool, int, int, bool]:
        near = adjacent = False
        if isinstance(place, CellRef) and isinstance(read, CellRef):
            near = place.table == read.table
            adjacent = near and (place.row == read.row or place.column == read.column)
        elif isinstance(place, SentenceRef) and isinstance(read, SentenceRef):
            near, adjacent = True, place.sentence == read.sentence and place.section == read.section
        words = stems(words_of(place, document))
        period = period_of(place, document)
        named = period is not None and str(period.year) in asked[-1]
        return near, len(latest & set(words)) + 2 * named, len(before & set(words)), adjacent

    return max(places, key=likeness)


def words_of(place: Source, document: Document) -> str:
    """Return the words that say what a place is about: the headings of a cell, the sentence of a span."""
    if isinstance(place, SentenceRef):
        return document.sentence(place).text
    table = document.table(place.table)
    row, column = table.rows[place.row], table.columns[place.column]
    return " ".join((*(row.levels or (row.label,)), *(column.levels or (column.label,))))


def period_of(place: Source, document: Document) -> Period | None:
    """Return the period that the number at a place is of; None if the page names none."""
    if isinstance(place, CellRef):
        return document.table(place.table).period_at(place.row, place.column)
    sentence = document.sentence(place)
    section = [s for s in document.sentences if s.section == sentence.section]
    earlier = section[max(0, sentence.index - LOOKED_BACK) : sentence.index]
    periods = aligned_periods(sentence, earlier)
    found = [n for n, mention in enumerate(sentence.mentions) if mention.ref == place]
    return periods[found[0]] if found else None


def _alike(one: Sentence, other: Sentence) -> bool:
    left, right = set(stems(one.text)), set(stems(other.text))
    return len(left & right) >= _ALIKE * len(left | right)
