"""Comparison of a solver's term with the reference's, part by part.

Steps are compared, not results. Two parts are equal if they have the same value, or the same digits from the same
place, whatever their scale and sign.
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

_SIGNIFICANT = 3
"""With at least this many digits, without trailing zeros, numbers that differ by a power of ten are the same fact."""
_COUNT_LIMIT = 100
_ALIKE = 0.5
"""Share of common words from which two sentences are about the same thing at different times."""
_MOST_PERMUTED = 5
"""All orders of a sum's operands are tried up to this number of operands."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Part of a term that differs."""

    cause: Cause
    meant: Source | None = None
    read: Source | None = None


@dataclass(frozen=True, slots=True)
class ComparisonContext:
    """Document, questions and terms of the conversation that a turn belongs to."""

    document: Document
    asked: Sequence[str]
    meant: Sequence[Term | None]
    found: Sequence[Term | None]
    wrong: frozenset[int]
    places: Mapping[Decimal, tuple[Source, ...]]


def differing_parts(meant: Term, found: Term, context: ComparisonContext) -> tuple[Difference, ...]:
    """Return the parts in which a solver's term differs; empty if at most scale and sign differ."""
    parts = _compare_roots(meant, found, context)
    if any(part.cause is Cause.OPERATION for part in parts):
        plain = replace(context, meant=_even(context.meant), found=_even(context.found))
        meant, found, context = even_out(meant), even_out(found), plain
        parts = _compare_roots(meant, found, context)
    # A single difference is a replaced operand, such as another base of a percentage, not another order.
    if len(parts) > 1 and not _is_inherited(parts) and _is_rearranged(meant, found, context):
        return (Difference(Cause.ORDER),)
    return parts


def _even(terms: Sequence[Term | None]) -> tuple[Term | None, ...]:
    return tuple(None if term is None else even_out(term) for term in terms)


def _compare_roots(meant: Term, found: Term, context: ComparisonContext) -> tuple[Difference, ...]:
    """Compare two roots: if the solver did not compute the result anew, the operation is wrong."""
    computed = isinstance(meant, Applied)
    if isinstance(found, PrintedTerm | ConstantTerm) and computed:
        return (Difference(Cause.OPERATION),)
    if isinstance(found, Earlier) and computed and meant not in context.meant:
        parts = _compare_with_turn(meant, found, context)
        return (Difference(Cause.OPERATION),) if parts and not _is_inherited(parts) else parts
    return _compare(meant, found, context)


def _compare(meant: Term, found: Term, context: ComparisonContext) -> tuple[Difference, ...]:
    if isinstance(found, Earlier):
        return _compare_with_turn(meant, found, context)
    if _same_value(meant, found) or _repeats_substitution(meant, found, context):
        return () if _same_value(meant, found) else (Difference(Cause.INHERITED),)
    match meant, found:
        case (PrintedTerm() | ConstantTerm(), PrintedTerm() | ConstantTerm()):
            return _compare_numbers(meant, found, context)
        case Applied(), Applied():
            return _compare_operations(meant, found, context)
        case Applied(), _ if meant in context.meant:
            # An earlier answer was meant, but the solver used a number.
            return (Difference(Cause.REFERENCE),)
    return (Difference(Cause.OPERATION),)


def _compare_with_turn(meant: Term, found: Earlier, context: ComparisonContext) -> tuple[Difference, ...]:
    """Compare a term of the reference with the solver's reference to an earlier turn."""
    if _is_turn(meant, found.turn, context):
        return (Difference(Cause.INHERITED),) if found.turn in context.wrong else ()
    if found.term is not None and _same_value(meant, found.term):
        return ()
    if found.term is not None and not _compare(meant, found.term, context):
        return ()
    return (Difference(Cause.REFERENCE),)


def _is_turn(meant: Term, turn: int, context: ComparisonContext) -> bool:
    """Return whether a term is the reference of a turn: its program, or its result."""
    reference = context.meant[turn]
    if reference is None:
        return False
    return meant == reference or (isinstance(meant, PrintedTerm | ConstantTerm) and _same_value(meant, reference))


def _repeats_substitution(meant: Term, found: Term, context: ComparisonContext) -> bool:
    """Return whether a wrong earlier turn made the same substitution."""
    plain = written_out(found)
    return any(
        meant == context.meant[turn] and (earlier := context.found[turn]) is not None and plain == written_out(earlier)
        for turn in context.wrong
    )


def _compare_operations(meant: Applied, found: Applied, context: ComparisonContext) -> tuple[Difference, ...]:
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
        meant = replace(meant, operands=tuple(_find_on_page(operand, context) for operand in meant.operands))
    straight = _compare_pairs(meant.operands, found.operands, context)
    if not straight or _is_inherited(straight):
        return straight
    if meant.commutes:
        return min(
            (
                _compare_pairs(meant.operands, other, context)
                for other in _orders(meant.operands, found.operands, context)
            ),
            key=_weight,
        )
    swapped = _compare_pairs(meant.operands, found.operands[::-1], context)
    return (Difference(Cause.ORDER),) if not swapped or _is_inherited(swapped) else straight


def _find_on_page(operand: Term, context: ComparisonContext) -> Term:
    """Return a constant too large for a count as a number of the page, such as the 100 at which an index begins."""
    if isinstance(operand, ConstantTerm) and operand.number >= _COUNT_LIMIT and operand.number in context.places:
        return PrintedTerm(operand.number, context.places[operand.number])
    return operand


def _compare_pairs(meant: Sequence[Term], found: Sequence[Term], context: ComparisonContext) -> tuple[Difference, ...]:
    return tuple(part for one, other in zip(meant, found, strict=True) for part in _compare(one, other, context))


def _orders(meant: Sequence[Term], found: Sequence[Term], context: ComparisonContext) -> Sequence[tuple[Term, ...]]:
    """Return the orders of operands to compare: all orders of a few operands, else one that pairs equal operands."""
    if len(found) <= _MOST_PERMUTED:
        return tuple(permutations(found))
    left, ordered = list(found), list[Term | None]()
    for one in meant:
        same = next((other for other in left if not _compare(one, other, context)), None)
        ordered.append(same)
        if same is not None:
            left.remove(same)
    rest = iter(left)
    return (tuple(next(rest) if term is None else term for term in ordered),)


def _weight(parts: Sequence[Difference]) -> tuple[int, int]:
    return sum(part.cause is Cause.OPERATION for part in parts), len(parts)


def _is_inherited(parts: Sequence[Difference]) -> bool:
    return all(part.cause is Cause.INHERITED for part in parts)


def _is_rearranged(meant: Term, found: Term, context: ComparisonContext) -> bool:
    """Return whether the same operations are applied to the same operands in another order."""
    plain = found.term if isinstance(found, Earlier) else found
    if not isinstance(meant, Applied) or not isinstance(plain, Applied):
        return False
    if Counter(operations(written_out(meant))) != Counter(operations(written_out(plain))):
        return False
    ours, theirs = leaves(written_out(meant)), leaves(written_out(plain))
    return all(any(_is_inherited(_compare(one, other, context)) for other in theirs) for one in ours) and all(
        any(_is_inherited(_compare(one, other, context)) for one in ours) for other in theirs
    )


def _same_value(meant: Term, found: Term) -> bool:
    """Return whether two parts have the same value, or the same digits from the same place."""
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
    """Return the significant digits of a number."""
    return number.normalize().as_tuple().digits


def _compare_numbers(
    meant: PrintedTerm | ConstantTerm, found: PrintedTerm | ConstantTerm, context: ComparisonContext
) -> tuple[Difference, ...]:
    """Compare two unequal numbers."""
    one, other = number_in(meant), number_in(found)
    if one is not None and other is not None and one and _digits(one) == _digits(other):
        both_fixed = isinstance(meant, ConstantTerm) and isinstance(found, ConstantTerm)
        if both_fixed or len(_digits(one)) >= _SIGNIFICANT:
            return (Difference(Cause.SCALE),)
    if isinstance(meant, PrintedTerm) and isinstance(found, PrintedTerm) and meant.places and found.places:
        # The solver's plan names one place; for a prediction without a plan the first candidate is taken.
        read = found.places[0]
        place = likeliest_place(meant.places, read, context.asked, context.document)
        return (Difference(place_fault(place, read, context.document), place, read),)
    if isinstance(meant, ConstantTerm) or (isinstance(found, ConstantTerm) and needs_no_source(found.number)):
        return (Difference(Cause.OPERATION),)
    return (Difference(Cause.PLACE),)


def place_fault(meant: Source, read: Source, document: Document) -> Cause:
    """Return the cause that distinguishes the place that was read from the one that was meant.

    A line is a row if the columns are periods, a column if the rows are, and either if neither are. The same line in
    another period is a wrong period; another line is a wrong line, whatever its period. In running text a line is a
    sentence or a very similar one.
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
            # A total over several periods is a wrong period too.
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

    Places in the table or the text that the solver read are preferred, then those whose words are most similar to the
    question's, then those in the solver's row, column or sentence.
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
    """Return the words that describe a place: the headings of a cell, or the sentence of a span."""
    if isinstance(place, SentenceRef):
        return document.sentence(place).text
    table = document.table(place.table)
    row, column = table.rows[place.row], table.columns[place.column]
    return " ".join((*(row.levels or (row.label,)), *(column.levels or (column.label,))))


def period_of(place: Source, document: Document) -> Period | None:
    """Return the period of the number at a place, or None if the page names none."""
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
