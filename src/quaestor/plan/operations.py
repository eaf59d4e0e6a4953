"""Operations of plans: arithmetic, selections and rounding."""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from typing import Literal

from quaestor.core.answer_value import Number, YesNo
from quaestor.errors import DivisionByZeroError, MagnitudeError, OperandError
from quaestor.plan import scales
from quaestor.plan.scales import Dimension, OperandScaling


@dataclass(frozen=True, slots=True)
class Selection:
    """Entries of a list selected by an operation."""

    places: tuple[int, ...]


def extreme(choose: Callable[[Sequence[Decimal]], Decimal]) -> Callable[[Sequence[Decimal]], Selection]:
    """Return a function that selects the highest or lowest entry, or several if they are equal."""

    def chosen(values: Sequence[Decimal]) -> Selection:
        _require_entries(values)
        return _equal(values, choose(values))

    return chosen


def ranked(values: Sequence[Decimal]) -> Selection:
    """Select the n-th largest entry, or the n-th smallest for a negative n; n is the last value."""
    *entries, place = values
    _require_entries(entries)
    n = _count_of(abs(place), len(entries))
    return _equal(entries, sorted(entries, reverse=place > 0)[n - 1])


def first(*, largest: bool) -> Callable[[Sequence[Decimal]], Selection]:
    """Return a function that selects the n largest or smallest entries, most extreme first; n is the last value."""

    def chosen(values: Sequence[Decimal]) -> Selection:
        *entries, most = values
        n = _count_of(most, len(entries))
        order = sorted(range(len(entries)), key=lambda place: -entries[place] if largest else entries[place])
        return Selection(tuple(order[:n]))

    return chosen


def matching(compare: Callable[[Decimal, Decimal], bool]) -> Callable[[Sequence[Decimal]], Selection]:
    """Return a function that selects the entries for which the comparison with the last value is true."""

    def chosen(values: Sequence[Decimal]) -> Selection:
        *entries, limit = values
        return Selection(tuple(place for place, entry in enumerate(entries) if compare(entry, limit)))

    return chosen


def every(values: Sequence[Decimal]) -> Selection:
    """Select all entries."""
    return Selection(tuple(range(len(values))))


def _equal(values: Sequence[Decimal], wanted: Decimal) -> Selection:
    return Selection(tuple(place for place, value in enumerate(values) if value == wanted))


def _require_entries(values: Sequence[Decimal]) -> None:
    if not values:
        raise OperandError("an empty list")


def _count_of(wanted: Decimal, entries: int) -> int:
    if wanted != wanted.to_integral_value() or not 1 <= wanted <= entries:
        raise OperandError(f"a rank of {wanted:f} in a list of {entries}; give a whole number from 1 to {entries}")
    return int(wanted)


# The table of operations: name, operands, arithmetic or selection, rule for scale and unit, metric type.
#
# The functions rely on the decimal context of `quaestor.plan.execute`.


LARGEST_EXPONENT = 60
"""Numbers of a plan are zero or have an absolute value from 10 ** -60 to below 10 ** 61."""

PRECISION = 50
"""Maximum number of significant digits of a number of a plan."""

MOST_OPERANDS = 64
"""Maximum number of operands of an operation such as a sum."""


Takes = Literal["anything", "numbers", "each", "all", "row", "list", "entries", "words", "steps"]
"""Kinds of operands.

`anything`: one result of any kind. `numbers`: one number each. `each`: like `numbers`, or a list, whose entries are
computed one by one, with the same label's entry of another list or with a number. `all`: numbers and lists, whose
numbers are all operands. `row`: the label of a table row. `list`: a list, and a number if there is a second operand.
`entries`: numbers, words and lists. `words`: words of the document. `steps`: results of any kind.
"""

Gives = Literal["number", "yes or no", "label", "labels", "list", "words"]
"""Kinds of results. `label`: the label of the selected entry, or several if entries are equal. `labels`: the labels of
all entries. `list`: the selected entries. `words`: the explanation of the plan. An operation that takes `each` gives a
list if an operand is a list."""


@dataclass(frozen=True, slots=True)
class Operation:
    """Operation of a plan.

    Attributes:
        arity: The minimum and maximum number of operands.
        symbol: The operator between operands in a formula, or the name of a function.
        function: The arithmetic on operands already shifted by `rule`, or on all numbers of a list. Raises
            `MagnitudeError` if the result is out of range.
        rule: Decides how operands are scaled, and the scale and unit of the result.
        metric: The metric type of the result in the core ontology: `change`, `ratio`, `sum`; `value` if it is of the
            same kind as the operand; `selection`, `list` and `count` for operations on lists.
        in_programs: Whether the benchmark's program text has the operation.
        of_labels: Whether the entries of a list need no numbers.
    """

    name: str
    arity: tuple[int, int]
    symbol: str
    function: Callable[[Sequence[Decimal]], Number | YesNo | Selection]
    rule: Callable[[Sequence[Dimension]], OperandScaling]
    metric: str
    in_programs: bool = True
    takes: Takes = "numbers"
    gives: Gives = "number"
    of_labels: bool = False

    @property
    def of_row(self) -> bool:
        """Whether the operand is the label of a table row."""
        return self.takes == "row"

    @property
    def of_list(self) -> bool:
        """Whether the operation is for lists: it selects, counts or lists entries."""
        return self.takes in ("list", "entries")


def metric_of(operation: str) -> str:
    """Return the metric type of an operation's result; `value` for an unknown operation."""
    return OPERATIONS[operation].metric if operation in OPERATIONS else "value"


def require_in_range(value: Decimal) -> Decimal:
    """Return `value` if it is in the range of plans."""
    if not value.is_finite():
        raise MagnitudeError(f"{value} is not a finite number")
    if value and abs(value.adjusted()) > LARGEST_EXPONENT:
        size = "large" if value.adjusted() > 0 else "small"
        raise MagnitudeError(f"a number of about 1e{value.adjusted()} is too {size}")
    if len(value.as_tuple().digits) > PRECISION:
        raise MagnitudeError(f"a number has more than {PRECISION} digits")
    return value


def _divide(values: Sequence[Decimal]) -> Decimal:
    if not values[1]:
        raise DivisionByZeroError(f"{values[0]} cannot be divided by zero")
    return values[0] / values[1]


def _power(values: Sequence[Decimal]) -> Decimal:
    base, exponent = values
    if not exponent:
        return Decimal(1)
    if not base:
        if exponent < 0:
            raise DivisionByZeroError(f"zero cannot be raised to the negative power {exponent}")
        return Decimal(0)
    if base < 0 and exponent != exponent.to_integral_value():
        raise OperandError(f"{base} to the power of {exponent}")
    # The logarithm shows the size, so that a power out of range is never computed.
    if abs(exponent * abs(base).log10()) > LARGEST_EXPONENT + 1:
        raise MagnitudeError(f"{base} to the power of {exponent} is too large or too small")
    return Decimal(base**exponent)


def _mean(values: Sequence[Decimal]) -> Decimal:
    return _sum(values) / len(values)


def _sum(values: Sequence[Decimal]) -> Decimal:
    return sum(values[1:], values[0])


def _no_number(_: Sequence[Decimal]) -> Number:
    raise OperandError("sentences")


def _number(arithmetic: Callable[[Sequence[Decimal]], Decimal]) -> Callable[[Sequence[Decimal]], Number]:
    """Wrap arithmetic so that its result is a `Number` in range."""
    return lambda values: Number(require_in_range(arithmetic(values)))


def _selection_operation(
    name: str, arity: int, symbol: str, choice: Callable[[Sequence[Decimal]], Selection], gives: Gives = "list"
) -> Operation:
    """Return an operation that selects from a list, comparing with the second operand if it has two."""
    compared = arity == 2 and gives == "list" and symbol in _COMPARED
    rule = scales.threshold if compared else scales.placed if arity == 2 else scales.comparison
    return Operation(name, (arity, arity), symbol, choice, rule, "selection", False, "list", gives)


def _passages_operation(name: str, symbol: str, states: bool) -> Operation:
    """Return the operation for passages that affirm or deny the question."""
    return Operation(
        name, _MANY_OR_ONE, symbol, lambda _: YesNo(states), scales.counting, "comparison", False, "words", "yes or no"
    )


_COMPARED = frozenset({">", "<", ">=", "<=", "="})
_ONE, _TWO, _MANY, _MANY_OR_ONE = (1, 1), (2, 2), (2, MOST_OPERANDS), (1, MOST_OPERANDS)

_FIRST, _SIZE = _number(lambda v: v[0]), _number(lambda v: v[0].copy_abs())
_SUM, _MEAN, _LEAST, _MOST = _number(_sum), _number(_mean), _number(min), _number(max)
_COUNT, _GROWTH = _number(lambda v: Decimal(len(v))), _number(lambda v: _divide((v[0] - v[1], v[1])))

OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("identity", _ONE, "", _FIRST, scales.unchanged, "value", False, "anything"),
        Operation("add", _TWO, "+", _number(lambda v: v[0] + v[1]), scales.linear, "sum", takes="each"),
        Operation("subtract", _TWO, "-", _number(lambda v: v[0] - v[1]), scales.linear, "change", takes="each"),
        Operation("multiply", _TWO, "*", _number(lambda v: v[0] * v[1]), scales.multiply, "product", takes="each"),
        Operation("divide", _TWO, "/", _number(_divide), scales.divide, "ratio", takes="each"),
        Operation("exp", _TWO, "^", _number(_power), scales.power, "product"),
        Operation(
            "greater", _TWO, ">", lambda v: YesNo(v[0] > v[1]), scales.comparison, "comparison", gives="yes or no"
        ),
        _passages_operation("affirms", "yes", True),
        _passages_operation("denies", "no", False),
        # The sentences of the plan, with the steps that they refer to.
        Operation("explain", _MANY_OR_ONE, "", _no_number, scales.counting, "value", False, "steps", "words"),
        # Part, then whole; the result is a fraction.
        Operation("percentage", _TWO, "/", _number(_divide), scales.ratio, "percentage", False, "each"),
        # New, then old, as for `subtract`; the result is a fraction.
        Operation("percentage_change", _TWO, "change", _GROWTH, scales.ratio, "percentage_change", False, "each"),
        Operation("sum", _MANY, "+", _SUM, scales.linear, "sum", False, "all"),
        Operation("average", _MANY, "average", _MEAN, scales.linear, "average", False, "all"),
        Operation("minimum", _MANY, "min", _LEAST, scales.linear, "minimum", False, "all"),
        Operation("maximum", _MANY, "max", _MOST, scales.linear, "maximum", False, "all"),
        Operation("absolute", _ONE, "abs", _SIZE, scales.unchanged, "value", False, "each"),
        # For numbers whose labels give the wrong scale.
        Operation("as_printed", _ONE, "as_printed", _FIRST, scales.as_printed, "value", False),
        Operation("table_sum", _ONE, "sum", _SUM, scales.row, "sum", takes="row"),
        Operation("table_average", _ONE, "average", _MEAN, scales.row, "average", takes="row"),
        Operation("table_max", _ONE, "max", _MOST, scales.row, "maximum", takes="row"),
        Operation("table_min", _ONE, "min", _LEAST, scales.row, "minimum", takes="row"),
        # The label of the highest, the lowest, or the n-th largest (n-th smallest for a negative n) entry.
        _selection_operation("argmax", 1, "highest", extreme(max), "label"),
        _selection_operation("argmin", 1, "lowest", extreme(min), "label"),
        _selection_operation("rank", 2, "rank", ranked, "label"),
        _selection_operation("largest", 2, "largest", first(largest=True)),
        _selection_operation("smallest", 2, "smallest", first(largest=False)),
        _selection_operation("above", 2, ">", matching(operator.gt)),
        _selection_operation("below", 2, "<", matching(operator.lt)),
        _selection_operation("at_least", 2, ">=", matching(operator.ge)),
        _selection_operation("at_most", 2, "<=", matching(operator.le)),
        _selection_operation("equal_to", 2, "=", matching(operator.eq)),
        Operation("count", _ONE, "count", _COUNT, scales.counting, "count", False, "list", of_labels=True),
        Operation("labels", _ONE, "labels", every, scales.counting, "list", False, "list", "labels", True),
        Operation("items", _MANY_OR_ONE, "", every, scales.counting, "list", False, "entries", "list", True),
    )
}
"""All operations by name."""

_TAKEN_FROM_TEXT = ("words", "steps")

ARITHMETIC = tuple(
    name for name, operation in OPERATIONS.items() if not operation.of_list and operation.takes not in _TAKEN_FROM_TEXT
)
"""Operations that compute with numbers; the others select from lists or read words."""

FOR_MODELS = tuple(name for name, operation in OPERATIONS.items() if operation.takes not in _TAKEN_FROM_TEXT)
"""Operations offered to language models, which read words and write explanations themselves."""


FEWEST_DIGITS = 2
"""Minimum number of digits of a rounded number; fewer digits match by chance."""


def rounds_to(known: Decimal, claimed: Decimal, digits: int = FEWEST_DIGITS) -> bool:
    """Return whether `claimed` equals `known` exactly, within float precision, or rounded to the digits of `claimed`.

    >>> rounds_to(Decimal("14.136"), Decimal("14.1")), rounds_to(Decimal("14.136"), Decimal("14.2"))
    (True, False)
    """
    with localcontext(prec=PRECISION + 2 * LARGEST_EXPONENT):
        if known == claimed or abs(known - claimed) <= abs(known).scaleb(-12):
            return True
        places = claimed.as_tuple().exponent
        if known.adjusted() > LARGEST_EXPONENT:  # out of the range of plans, and too large to round
            return False
        if not isinstance(places, int) or len(claimed.normalize().as_tuple().digits) < digits:
            return False
        unit = Decimal(1).scaleb(max(min(places, 0), -LARGEST_EXPONENT))
        return claimed in (known.quantize(unit, ROUND_HALF_EVEN), known.quantize(unit, ROUND_HALF_UP))
