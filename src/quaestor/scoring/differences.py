"""Programs and plans as normalised terms, and the comparison of a solver's term with the reference's, part by part.

Composite operations are expanded to the benchmark's, nested sums can be flattened, and operations that only change a
scale or a sign can be dropped; a term keeps its value, so a dropped scale or sign can still be detected. Steps are
compared, not results. Two parts are equal if they have the same value, or the same digits from the same place, whatever
their scale and sign.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import permutations

from quaestor.core.answer_value import AnswerValue, Number
from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.documents.alignment import LOOKED_BACK, aligned_periods
from quaestor.documents.document import Document, Sentence
from quaestor.plan.execute import StepResult
from quaestor.plan.scales import needs_no_source
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, RowRef, Step, fold_plan
from quaestor.questions.stems import stems
from quaestor.scoring.taxonomy import Cause

_SCALE_FACTORS = frozenset(Decimal(10) ** power for power in (-9, -6, -3, -2, 0, 2, 3, 6, 9))
_COMMUTE = frozenset({"add", "multiply", "minimum", "maximum"})


@dataclass(frozen=True, slots=True)
class PrintedTerm:
    """Number or words on the page.

    Attributes:
        number: As printed, with the sign that is used: 13 for `13%`. None for words.
        places: The place that a plan reads; for a program's literal, every place that prints it.
    """

    number: Decimal | None
    places: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class ConstantTerm:
    """Number that comes from no document."""

    number: Decimal


@dataclass(frozen=True, slots=True)
class OperationTerm:
    """Operation on terms, with its value if known; the value is ignored in comparisons."""

    operation: str
    operands: tuple["Term", ...]
    value: AnswerValue | None = field(default=None, compare=False)

    @property
    def commutes(self) -> bool:
        """Whether the order of the operands does not matter."""
        return self.operation in _COMMUTE


@dataclass(frozen=True, slots=True)
class EarlierAnswerTerm:
    """The answer of an earlier turn, by a reference to it."""

    turn: int
    term: "Term | None"


Term = PrintedTerm | ConstantTerm | OperationTerm | EarlierAnswerTerm

Locate = Callable[[Constant], PrintedTerm | ConstantTerm]
"""Finds the places of a literal."""


def term_of(plan: Plan, results: Sequence[StepResult], earlier: Sequence[Term | None], locate: Locate) -> Term:
    """Return the last step of a plan as a term, with all steps it depends on."""

    def leaf(operand: Operand) -> Term:
        match operand:
            case Ref(step=step):
                return EarlierAnswerTerm(len(earlier) + step, earlier[step])
            case Constant():
                return locate(operand)
            case RowRef(values=values, sources=sources) | CellGroup(values=values, sources=sources):
                cells = tuple(PrintedTerm(q.value, (source,)) for q, source in zip(values, sources, strict=True))
                return cells[0] if len(cells) == 1 else OperationTerm("row", cells)

    def node(step: Step, operands: tuple[Term, ...]) -> Term:
        if isinstance(step, Extract):
            return PrintedTerm(step.number, (step.source,))
        return _apply(step, operands, results[step.id - 1].value)

    return fold_plan(plan, leaf, node)[-1]


def number_in(term: Term | None) -> Decimal | None:
    """Return the numeric value of a term, or None if it has none or it is unknown."""
    match term:
        case PrintedTerm(number=number) | ConstantTerm(number=number):
            return number
        case OperationTerm(value=Number(value=number)):
            return number
        case EarlierAnswerTerm(term=inner):
            return number_in(inner)
    return None


def expand_term(term: Term) -> Term:
    """Return a term with references to earlier turns expanded and nested sums and products flattened."""
    match term:
        case EarlierAnswerTerm(term=inner) if inner is not None:
            return expand_term(inner)
        case OperationTerm(operation=operation, operands=operands, value=value):
            parts: list[Term] = []
            for part in map(expand_term, operands):
                same = (
                    operation in ("add", "multiply") and isinstance(part, OperationTerm) and part.operation == operation
                )
                parts += part.operands if isinstance(part, OperationTerm) and same else (part,)
            return OperationTerm(operation, tuple(parts), value)
    return term


def leaves(term: Term) -> tuple[PrintedTerm | ConstantTerm | EarlierAnswerTerm, ...]:
    """Return the leaves of a term from left to right; a reference to an earlier turn is one leaf."""
    if isinstance(term, OperationTerm):
        return tuple(leaf for operand in term.operands for leaf in leaves(operand))
    return (term,)


def operations(term: Term) -> tuple[str, ...]:
    """Return the operations of a term, outermost first."""
    if isinstance(term, OperationTerm):
        return (term.operation, *(name for operand in term.operands for name in operations(operand)))
    return ()


def _apply(step: Compute, operands: tuple[Term, ...], value: AnswerValue) -> Term:
    """Express a step in the benchmark's operations."""
    name = step.operation.removeprefix("table_")
    if isinstance(operands[0], OperationTerm) and operands[0].operation == "row":
        operands = operands[0].operands
    name = {"max": "maximum", "min": "minimum", "percentage": "divide"}.get(name, name)
    if len(operands) == 1:
        return operands[0]
    match name:
        case "percentage_change":
            return OperationTerm("divide", (OperationTerm("subtract", operands), operands[1]), value)
        case "sum":
            return OperationTerm("add", operands, value)
        case "average":
            return OperationTerm(
                "divide", (OperationTerm("add", operands), ConstantTerm(Decimal(len(operands)))), value
            )
    return OperationTerm(name, operands, value)


def remove_conversions(term: Term) -> Term:
    """Return a term without operations that only change a scale or a sign, at any depth."""
    match term:
        case EarlierAnswerTerm(turn=turn, term=inner) if inner is not None:
            return EarlierAnswerTerm(turn, remove_conversions(inner))
        case OperationTerm(operation=operation, operands=operands, value=value):
            return _drop_scaling(operation, tuple(map(remove_conversions, operands)), value)
    return term


def _drop_scaling(name: str, operands: tuple[Term, ...], value: AnswerValue | None) -> Term:
    """Return an operation, or its operand if the operation only changes a scale or a sign."""
    if len(operands) != 2:
        return OperationTerm(name, operands, value)
    left, right = operands
    if name in ("multiply", "divide") and isinstance(right, ConstantTerm) and abs(right.number) in _SCALE_FACTORS:
        return left
    if name == "multiply" and isinstance(left, ConstantTerm) and abs(left.number) in _SCALE_FACTORS:
        return right
    if name == "subtract" and isinstance(left, ConstantTerm) and not left.number:
        return right
    grown = isinstance(left, OperationTerm) and left.operation == "divide" and right == ConstantTerm(Decimal(1))
    if name == "subtract" and grown and isinstance(left, OperationTerm):
        # "2009 over 2008, less one" is the relative change.
        return OperationTerm("divide", (OperationTerm("subtract", left.operands), left.operands[1]), value)
    return OperationTerm(name, operands, value)


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
    expected: Source | None = None
    read: Source | None = None


@dataclass(frozen=True, slots=True)
class ComparisonContext:
    """Document, questions and terms of the conversation that a turn belongs to."""

    document: Document
    questions: Sequence[str]
    expected: Sequence[Term | None]
    found: Sequence[Term | None]
    wrong: frozenset[int]
    places: Mapping[Decimal, tuple[Source, ...]]


def differing_parts(expected: Term, found: Term, context: ComparisonContext) -> tuple[Difference, ...]:
    """Return the parts in which a solver's term differs; empty if at most scale and sign differ."""
    parts = _compare_roots(expected, found, context)
    if any(part.cause is Cause.OPERATION for part in parts):
        plain = replace(context, expected=_even(context.expected), found=_even(context.found))
        expected, found, context = remove_conversions(expected), remove_conversions(found), plain
        parts = _compare_roots(expected, found, context)
    # A single difference is a replaced operand, such as another base of a percentage, not another order.
    if len(parts) > 1 and not _is_inherited(parts) and _is_rearranged(expected, found, context):
        return (Difference(Cause.ORDER),)
    return parts


def _even(terms: Sequence[Term | None]) -> tuple[Term | None, ...]:
    return tuple(None if term is None else remove_conversions(term) for term in terms)


def _compare_roots(expected: Term, found: Term, context: ComparisonContext) -> tuple[Difference, ...]:
    """Compare two roots: if the solver did not compute the result anew, the operation is wrong."""
    computed = isinstance(expected, OperationTerm)
    if isinstance(found, PrintedTerm | ConstantTerm) and computed:
        return (Difference(Cause.OPERATION),)
    if isinstance(found, EarlierAnswerTerm) and computed and expected not in context.expected:
        parts = _compare_with_turn(expected, found, context)
        return (Difference(Cause.OPERATION),) if parts and not _is_inherited(parts) else parts
    return _compare(expected, found, context)


def _compare(expected: Term, found: Term, context: ComparisonContext) -> tuple[Difference, ...]:
    if isinstance(found, EarlierAnswerTerm):
        return _compare_with_turn(expected, found, context)
    if _same_value(expected, found) or _repeats_substitution(expected, found, context):
        return () if _same_value(expected, found) else (Difference(Cause.INHERITED),)
    match expected, found:
        case (PrintedTerm() | ConstantTerm(), PrintedTerm() | ConstantTerm()):
            return _compare_numbers(expected, found, context)
        case OperationTerm(), OperationTerm():
            return _compare_operations(expected, found, context)
        case OperationTerm(), _ if expected in context.expected:
            # An earlier answer was meant, but the solver used a number.
            return (Difference(Cause.REFERENCE),)
    return (Difference(Cause.OPERATION),)


def _compare_with_turn(expected: Term, found: EarlierAnswerTerm, context: ComparisonContext) -> tuple[Difference, ...]:
    """Compare a term of the reference with the solver's reference to an earlier turn."""
    if _is_turn(expected, found.turn, context):
        return (Difference(Cause.INHERITED),) if found.turn in context.wrong else ()
    if found.term is not None and _same_value(expected, found.term):
        return ()
    if found.term is not None and not _compare(expected, found.term, context):
        return ()
    return (Difference(Cause.REFERENCE),)


def _is_turn(expected: Term, turn: int, context: ComparisonContext) -> bool:
    """Return whether a term is the reference of a turn: its program, or its result."""
    reference = context.expected[turn]
    if reference is None:
        return False
    return expected == reference or (
        isinstance(expected, PrintedTerm | ConstantTerm) and _same_value(expected, reference)
    )


def _repeats_substitution(expected: Term, found: Term, context: ComparisonContext) -> bool:
    """Return whether a wrong earlier turn made the same substitution."""
    plain = expand_term(found)
    return any(
        expected == context.expected[turn]
        and (earlier := context.found[turn]) is not None
        and plain == expand_term(earlier)
        for turn in context.wrong
    )


def _compare_operations(
    expected: OperationTerm, found: OperationTerm, context: ComparisonContext
) -> tuple[Difference, ...]:
    if expected.operation != found.operation:
        return (Difference(Cause.OPERATION),)
    if len(expected.operands) != len(found.operands):
        flat, other = expand_term(expected), expand_term(found)
        assert isinstance(flat, OperationTerm)
        assert isinstance(other, OperationTerm)
        if len(flat.operands) != len(other.operands):
            return (Difference(Cause.OPERATION),)
        expected, found = flat, other
    if expected.operation in ("add", "subtract"):
        expected = replace(expected, operands=tuple(_find_on_page(operand, context) for operand in expected.operands))
    straight = _compare_pairs(expected.operands, found.operands, context)
    if not straight or _is_inherited(straight):
        return straight
    if expected.commutes:
        return min(
            (
                _compare_pairs(expected.operands, other, context)
                for other in _orders(expected.operands, found.operands, context)
            ),
            key=_weight,
        )
    swapped = _compare_pairs(expected.operands, found.operands[::-1], context)
    return (Difference(Cause.ORDER),) if not swapped or _is_inherited(swapped) else straight


def _find_on_page(operand: Term, context: ComparisonContext) -> Term:
    """Return a constant too large for a count as a number of the page, such as the 100 at which an index begins."""
    if isinstance(operand, ConstantTerm) and operand.number >= _COUNT_LIMIT and operand.number in context.places:
        return PrintedTerm(operand.number, context.places[operand.number])
    return operand


def _compare_pairs(
    expected: Sequence[Term], found: Sequence[Term], context: ComparisonContext
) -> tuple[Difference, ...]:
    return tuple(part for one, other in zip(expected, found, strict=True) for part in _compare(one, other, context))


def _orders(expected: Sequence[Term], found: Sequence[Term], context: ComparisonContext) -> Sequence[tuple[Term, ...]]:
    """Return the orders of operands to compare: all orders of a few operands, else one that pairs equal operands."""
    if len(found) <= _MOST_PERMUTED:
        return tuple(permutations(found))
    left, ordered = list(found), list[Term | None]()
    for one in expected:
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


def _is_rearranged(expected: Term, found: Term, context: ComparisonContext) -> bool:
    """Return whether the same operations are applied to the same operands in another order."""
    plain = found.term if isinstance(found, EarlierAnswerTerm) else found
    if not isinstance(expected, OperationTerm) or not isinstance(plain, OperationTerm):
        return False
    if Counter(operations(expand_term(expected))) != Counter(operations(expand_term(plain))):
        return False
    ours, theirs = leaves(expand_term(expected)), leaves(expand_term(plain))
    return all(any(_is_inherited(_compare(one, other, context)) for other in theirs) for one in ours) and all(
        any(_is_inherited(_compare(one, other, context)) for one in ours) for other in theirs
    )


def _same_value(expected: Term, found: Term) -> bool:
    """Return whether two parts have the same value, or the same digits from the same place."""
    one, other = number_in(expected), number_in(found)
    if one is None or other is None:
        return one == other and _one_place(expected, found)
    if isinstance(expected, OperationTerm) or isinstance(found, OperationTerm):
        return abs(one - other) <= abs(one).scaleb(-12)
    if abs(one) == abs(other):
        return True
    return _digits(one) == _digits(other) and _one_place(expected, found)


def _one_place(expected: Term, found: Term) -> bool:
    return (
        isinstance(expected, PrintedTerm)
        and isinstance(found, PrintedTerm)
        and bool({*expected.places} & {*found.places})
    )


def _digits(number: Decimal) -> tuple[int, ...]:
    """Return the significant digits of a number."""
    return number.normalize().as_tuple().digits


def _compare_numbers(
    expected: PrintedTerm | ConstantTerm, found: PrintedTerm | ConstantTerm, context: ComparisonContext
) -> tuple[Difference, ...]:
    one, other = number_in(expected), number_in(found)
    if one is not None and other is not None and one and _digits(one) == _digits(other):
        both_fixed = isinstance(expected, ConstantTerm) and isinstance(found, ConstantTerm)
        if both_fixed or len(_digits(one)) >= _SIGNIFICANT:
            return (Difference(Cause.SCALE),)
    if isinstance(expected, PrintedTerm) and isinstance(found, PrintedTerm) and expected.places and found.places:
        # The solver's plan names one place; for a prediction without a plan the first candidate is taken.
        read = found.places[0]
        place = likeliest_place(expected.places, read, context.questions, context.document)
        return (Difference(place_fault(place, read, context.document), place, read),)
    if isinstance(expected, ConstantTerm) or (isinstance(found, ConstantTerm) and needs_no_source(found.number)):
        return (Difference(Cause.OPERATION),)
    return (Difference(Cause.PLACE),)


def place_fault(expected: Source, read: Source, document: Document) -> Cause:
    """Return the cause that distinguishes the place that was read from the one that was meant.

    A line is a row if the columns are periods, a column if the rows are, and either if neither are. The same line in
    another period is a wrong period; another line is a wrong line, whatever its period. In running text a line is a
    sentence or a very similar one.
    """
    periods = period_of(expected, document), period_of(read, document)
    other_period = None not in periods and periods[0] != periods[1]
    match expected, read:
        case CellRef(), CellRef() if expected.table == read.table:
            table = document.table(expected.table)
            same = {
                "columns": expected.row == read.row,
                "rows": expected.column == read.column,
                "neither": expected.row == read.row or expected.column == read.column,
            }[table.orientation]
            # A total over several periods is a wrong period too.
            total = periods[0] is not None and periods[1] is None and "total" in stems(words_of(read, document))
            return Cause.PERIOD if same and (other_period or total) else Cause.LINE
        case SentenceRef(), SentenceRef():
            if (expected.section, expected.sentence) == (read.section, read.sentence):
                return Cause.PERIOD if other_period else Cause.LINE
            if other_period and _alike(document.sentence(expected), document.sentence(read)):
                return Cause.PERIOD
    return Cause.PLACE


def likeliest_place(
    places: Sequence[Source], read: Source | None, questions: Sequence[str], document: Document
) -> Source:
    """Return the place that a number of the reference most likely came from.

    Places in the table or the text that the solver read are preferred, then those whose words are most similar to the
    question's, then those in the solver's row, column or sentence.
    """
    latest, before = set(stems(questions[-1])), set(stems(" ".join(questions[-3:])))

    def likeness(place: Source) -> tuple[bool, int, int, bool]:
        near = adjacent = False
        if isinstance(place, CellRef) and isinstance(read, CellRef):
            near = place.table == read.table
            adjacent = near and (place.row == read.row or place.column == read.column)
        elif isinstance(place, SentenceRef) and isinstance(read, SentenceRef):
            near, adjacent = True, place.sentence == read.sentence and place.section == read.section
        words = stems(words_of(place, document))
        period = period_of(place, document)
        named = period is not None and str(period.year) in questions[-1]
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
