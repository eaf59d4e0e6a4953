"""What plans calculate: operations, selections and rounding."""

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
    """The entries that an operation selects.

    Attributes:
        places: Their places in the list, from 0, in the order of the result.
    """

    places: tuple[int, ...]


def extreme(choose: Callable[[Sequence[Decimal]], Decimal]) -> Callable[[Sequence[Decimal]], Selection]:
    """Return a function that selects the highest or the lowest entries: all of them where several are equal."""

    def chosen(values: Sequence[Decimal]) -> Selection:
        _require_entries(values)
        return _equal(values, choose(values))

    return chosen


def ranked(values: Sequence[Decimal]) -> Selection:
    """Return the choice of the n-th largest, of a negative n the n-th smallest; n is the last value."""
    *entries, place = values
    _require_entries(entries)
    n = _count_of(abs(place), len(entries))
    return _equal(entries, sorted(entries, reverse=place > 0)[n - 1])


def first(*, largest: bool) -> Callable[[Sequence[Decimal]], Selection]:
    """Return the choice of the n largest or smallest, from the most extreme on; n is the last value."""

    def chosen(values: Sequence[Decimal]) -> Selection:
        *entries, most = values
        n = _count_of(most, len(entries))
        order = sorted(range(len(entries)), key=lambda place: -entries[place] if largest else entries[place])
        return Selection(tuple(order[:n]))

    return chosen


def matching(compare: Callable[[Decimal, Decimal], bool]) -> Callable[[Sequence[Decimal]], Selection]:
    """Return the choice of the entries that compare with the last value; there may be none."""

    def chosen(values: Sequence[Decimal]) -> Selection:
        *entries, limit = values
        return Selection(tuple(place for place, entry in enumerate(entries) if compare(entry, limit)))

    return chosen


def every(values: Sequence[Decimal]) -> Selection:
    """Return the choice of all entries."""
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


# The one table of operations: name, operands, arithmetic or choice, rule for scale and unit, metric type.
#
# The functions count on the decimal context of `quaestor.plan.execute`.


LARGEST_EXPONENT = 60
"""No number of a plan has a size of 10 ** 61 or more, or of 10 ** -61 or less unless it is zero."""

PRECISION = 50
"""The most significant digits of a number of a plan."""

MOST_OPERANDS = 64
"""The most operands that a sum or its like takes."""


Takes = Literal["anything", "numbers", "each", "all", "row", "list", "entries", "words", "steps"]
"""What the operands are.

`anything`: one result of any kind. `numbers`: one number each. `each`: likewise; of a list each entry for itself, with
the entry of the other list that has its label, or with the one number beside it. `all`: numbers, and lists, whose
numbers count one by one. `row`: the label of a table row. `list`: a list, and a number where there is a second operand.
`entries`: numbers, words and lists. `words`: words of the document. `steps`: results of any kind.
"""

Gives = Literal["number", "yes or no", "label", "labels", "list", "words"]
"""What the result is: `label` the label of the one entry that is selected, all of them where several are equal;
`labels` those of every entry; `list` the entries that are selected; `words` the explanation of the plan. Of lists,
`each` gives a list."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    Attributes:
        symbol: The operator between operands in a formula, or the name of a function.
        function: The arithmetic, on operands already shifted by `rule`, of a list all its numbers. It raises a
            `MagnitudeError` if no plan can have the result.
        rule: How operands are scaled and what the result counts.
        metric: The metric type of the result, a name of the core ontology's: `change`, `ratio`, `sum`; `value` where it
            is of no other kind than its operand; `selection`, `list` and `count` of what is done with lists.
        in_programs: True if the benchmark's program text has it.
        of_labels: True if the entries of a list need no numbers.
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
        """True if the operand is the label of a table row."""
        return self.takes == "row"

    @property
    def of_list(self) -> bool:
        """True if it is made for lists: it selects, counts or lists."""
        return self.takes in ("list", "entries")


def metric_of(operation: str) -> str:
    """Return the metric type that an operation's result has; `value` for what is not an operation."""
    return OPERATIONS[operation].metric if operation in OPERATIONS else "value"


def require_in_range(value: Decimal) -> Decimal:
    """Return `value` if a register can hold it.

    Raises:
        MagnitudeError: It is not finite, too large or too fine.
    """
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
    # The size is known from the logarithm, so a power that nobody can hold is never computed.
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
    """Return arithmetic as an operation has it: its result a value that a plan can hold."""
    return lambda values: Number(require_in_range(arithmetic(values)))


def _selection_operation(
    name: str, arity: int, symbol: str, choice: Callable[[Sequence[Decimal]], Selection], gives: Gives = "list"
) -> Operation:
    """Return an operation that selects from a list; of two operands the second is what it is compared with."""
    compared = arity == 2 and gives == "list" and symbol in _COMPARED
    rule = scales.threshold if compared else scales.placed if arity == 2 else scales.comparison
    return Operation(name, (arity, arity), symbol, choice, rule, "selection", False, "list", gives)


def _passages_operation(name: str, symbol: str, states: bool) -> Operation:
    """Return the operation by which passages state, or deny, what is asked."""
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
        # The sentences of the plan, of the steps that they name.
        Operation("explain", _MANY_OR_ONE, "", _no_number, scales.counting, "value", False, "steps", "words"),
        # Part, then whole; the result is a fraction.
        Operation("percentage", _TWO, "/", _number(_divide), scales.ratio, "percentage", False, "each"),
        # New, then old, as `subtract` has them; the result is a fraction.
        Operation("percentage_change", _TWO, "change", _GROWTH, scales.ratio, "percentage_change", False, "each"),
        Operation("sum", _MANY, "+", _SUM, scales.linear, "sum", False, "all"),
        Operation("average", _MANY, "average", _MEAN, scales.linear, "average", False, "all"),
        Operation("minimum", _MANY, "min", _LEAST, scales.linear, "minimum", False, "all"),
        Operation("maximum", _MANY, "max", _MOST, scales.linear, "maximum", False, "all"),
        Operation("absolute", _ONE, "abs", _SIZE, scales.unchanged, "value", False, "each"),
        # If the labels around a number are wrong about its scale.
        Operation("as_printed", _ONE, "as_printed", _FIRST, scales.as_printed, "value", False),
        Operation("table_sum", _ONE, "sum", _SUM, scales.row, "sum", takes="row"),
        Operation("table_average", _ONE, "average", _MEAN, scales.row, "average", takes="row"),
        Operation("table_max", _ONE, "max", _MOST, scales.row, "maximum", takes="row"),
        Operation("table_min", _ONE, "min", _LEAST, scales.row, "minimum", takes="row"),
        # The label of the highest, the lowest, the n-th largest; of a negative n the n-th smallest.
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
"""Every operation by its name."""

_OF_WORDS = ("words", "steps")

ARITHMETIC = tuple(
    name for name, operation in OPERATIONS.items() if not operation.of_list and operation.takes not in _OF_WORDS
)
"""The operations that compute with numbers; the others select from lists, or read words."""

FOR_MODELS = tuple(name for name, operation in OPERATIONS.items() if operation.takes not in _OF_WORDS)
"""The operations that a model may ask for: what words state and what it explains, it says itself."""


FEWEST_DIGITS = 2
"""A number rounded to fewer digits could be anything."""


def rounds_to(known: Decimal, claimed: Decimal, digits: int = FEWEST_DIGITS) -> bool:
    """Return whether `claimed` is `known`, as it is, as a float holds it, or rounded to the places that it has.

    >>> rounds_to(Decimal("14.136"), Decimal("14.1")), rounds_to(Decimal("14.136"), Decimal("14.2"))
    (True, False)

    Args:
        digits: The fewest that a rounded number has to be written with.
    """
    with localcontext(prec=PRECISION + 2 * LARGEST_EXPONENT):
        if known == claimed or abs(known - claimed) <= abs(known).scaleb(-12):
            return True
        places = claimed.as_tuple().exponent
        if known.adjusted() > LARGEST_EXPONENT:  # larger than anything that is computed, and by too much to be rounded
            return False
        if not isinstance(places, int) or len(claimed.normalize().as_tuple().digits) < digits:
            return False
        unit = Decimal(1).scaleb(max(min(places, 0), -LARGEST_EXPONENT))
        return claimed in (known.quantize(unit, ROUND_HALF_EVEN), known.quantize(unit, ROUND_HALF_UP))
