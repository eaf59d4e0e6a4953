from collections.abc import Mapping
from decimal import Decimal

import pytest
from many_cases import for_each
from values import plain

from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.errors import DivisionByZeroError, MagnitudeError, OperandError
from quaestor.plan.operations import OPERATIONS, Selection, metric_of, require_in_range
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import CellGroup, Compute, Constant, Operand, Plan, RowRef
from quaestor.plan.validate import validate


def run(name: str, *values: str) -> Decimal | bool:
    made = OPERATIONS[name].function([Decimal(value) for value in values])
    assert not isinstance(made, Selection)
    return plain(made)


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("identity", ["3"], "3"),
        ("add", ["3", "4.50"], "7.50"),
        ("subtract", ["3", "4.5"], "-1.5"),
        ("multiply", ["3", "4.5"], "13.5"),
        ("divide", ["3", "4"], "0.75"),
        ("exp", ["2", "10"], "1024"),
        ("exp", ["4", "0.5"], "2"),
        ("exp", ["0", "0"], "1"),
        ("exp", ["0", "3"], "0"),
        ("exp", ["-2", "3"], "-8"),
        ("percentage", ["1", "8"], "0.125"),
        ("percentage_change", ["125", "100"], "0.25"),
        ("sum", ["1", "2", "3"], "6"),
        ("average", ["1", "2", "6"], "3"),
        ("minimum", ["4", "2", "6"], "2"),
        ("maximum", ["4", "2", "6"], "6"),
        ("absolute", ["-4.5"], "4.5"),
        ("absolute", ["4.5"], "4.5"),
        ("as_printed", ["-4.5"], "-4.5"),
        ("table_sum", ["4", "2", "6"], "12"),
        ("table_average", ["4"], "4"),
        ("table_max", ["4", "2", "6"], "6"),
        ("table_min", ["4", "2", "6"], "2"),
    ],
)
def test_arithmetic(name: str, values: list[str], expected: str) -> None:
    assert run(name, *values) == Decimal(expected)


def test_greater_is_strict() -> None:
    assert run("greater", "2", "1") is True
    assert run("greater", "1", "1") is False


@pytest.mark.parametrize(
    ("name", "values", "error"),
    [
        ("divide", ["1", "0"], DivisionByZeroError),
        ("percentage", ["1", "0"], DivisionByZeroError),
        ("percentage_change", ["1", "0.00"], DivisionByZeroError),
        ("exp", ["0", "-1"], DivisionByZeroError),
        ("exp", ["-8", "0.5"], OperandError),
        ("exp", ["10", "1e50"], MagnitudeError),
        ("exp", ["1e60", "1e60"], MagnitudeError),
        ("exp", ["1e-60", "2"], MagnitudeError),
    ],
)
def test_no_result_is_a_named_error(name: str, values: list[str], error: type[Exception]) -> None:
    with pytest.raises(error):
        run(name, *values)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e61", "1e-61", "1." + "1" * 50])
def test_bounded_refuses_what_no_register_holds(value: str) -> None:
    with pytest.raises(MagnitudeError):
        require_in_range(Decimal(value))


@pytest.mark.parametrize("value", ["0", "0e-99", "-9.9e60", "1e-60", "1." + "1" * 49])
def test_bounded_takes_the_rest(value: str) -> None:
    assert require_in_range(Decimal(value)) == Decimal(value)


def test_every_operation_is_filed_under_its_name() -> None:
    assert all(name == operation.name for name, operation in OPERATIONS.items())


CELLS = CellGroup("sales", ("2009",), (Quantity(Decimal(3)),), (CellRef("doc", 0, 1, 1),))
Rules = Mapping[tuple[Dimension, ...], tuple[tuple[int, ...], Scale, str | None]]

MANY = (2, 64)
BILLION, MILLION = Dimension(Scale.BILLION, "USD"), Dimension(Scale.MILLION, "USD")
PERCENT, AMOUNT = Dimension(Scale.PERCENT), Dimension(unit="USD")
ONE, PERCENTS, DOLLARS = (Scale.ONE, None), (Scale.PERCENT, None), (Scale.ONE, "USD")
MILLIONS, BILLIONS = (Scale.MILLION, "USD"), (Scale.BILLION, "USD")
ADDED: Rules = {(BILLION, MILLION): ((3, 0), *MILLIONS), (PERCENT, PERCENT): ((0, 0), *PERCENTS)}
SHARES: Rules = {(PERCENT, PERCENT): ((0, 0), *ONE), (AMOUNT, PERCENT): ((0, -2), *DOLLARS)}
RATIOS: Rules = {(BILLION, MILLION): ((3, 0), *ONE), (PERCENT, PERCENT): ((0, 0), *ONE)}
KEPT: Rules = {(PERCENT,): ((0,), *PERCENTS), (BILLION,): ((0,), *BILLIONS)}
SET_ASIDE: Rules = {(PERCENT,): ((0,), *PERCENTS), (BILLION,): ((0,), *ONE), (AMOUNT,): ((0,), *ONE)}
ROWS: Rules = {(PERCENT, PERCENT): ((-2, -2), *ONE), (AMOUNT, AMOUNT): ((0, 0), *DOLLARS)}

COMPARED: Rules = {(BILLION, MILLION): ((3, 0), *ONE), (PERCENT, Dimension(constant=Decimal(3))): ((0, 0), *ONE)}
AMONG: Rules = {(BILLION, MILLION): ((3, 0), *ONE)}
PLACED: Rules = {(BILLION, MILLION, Dimension(constant=Decimal(2))): ((3, 0, 0), *ONE)}
NONE: Rules = {(BILLION, MILLION): ((0, 0), *ONE)}

TABLE: dict[str, tuple[tuple[int, int], str, str, bool, bool, Rules]] = {
    # name: operands, symbol, metric type, in programs, of a row, how operands are taken and what the result counts
    "identity": ((1, 1), "", "value", False, False, KEPT),
    "add": ((2, 2), "+", "sum", True, False, ADDED),
    "subtract": ((2, 2), "-", "change", True, False, ADDED),
    "multiply": ((2, 2), "*", "product", True, False, {(AMOUNT, PERCENT): ((0, -2), *DOLLARS)}),
    "divide": ((2, 2), "/", "ratio", True, False, SHARES),
    "exp": ((2, 2), "^", "product", True, False, {(BILLION, AMOUNT): ((9, 0), *ONE)}),
    "greater": ((2, 2), ">", "comparison", True, False, {(BILLION, MILLION): ((3, 0), *ONE)}),
    "affirms": ((1, 64), "yes", "comparison", False, False, NONE),
    "denies": ((1, 64), "no", "comparison", False, False, NONE),
    "explain": ((1, 64), "", "value", False, False, NONE),
    "percentage": ((2, 2), "/", "percentage", False, False, RATIOS),
    "percentage_change": ((2, 2), "change", "percentage_change", False, False, RATIOS),
    "sum": (MANY, "+", "sum", False, False, ADDED),
    "average": (MANY, "average", "average", False, False, ADDED),
    "minimum": (MANY, "min", "minimum", False, False, ADDED),
    "maximum": (MANY, "max", "maximum", False, False, ADDED),
    "absolute": ((1, 1), "abs", "value", False, False, KEPT),
    "as_printed": ((1, 1), "as_printed", "value", False, False, SET_ASIDE),
    "table_sum": ((1, 1), "sum", "sum", True, True, ROWS),
    "table_average": ((1, 1), "average", "average", True, True, ROWS),
    "table_max": ((1, 1), "max", "maximum", True, True, ROWS),
    "table_min": ((1, 1), "min", "minimum", True, True, ROWS),
    "argmax": ((1, 1), "highest", "selection", False, False, AMONG),
    "argmin": ((1, 1), "lowest", "selection", False, False, AMONG),
    "rank": ((2, 2), "rank", "selection", False, False, PLACED),
    "largest": ((2, 2), "largest", "selection", False, False, PLACED),
    "smallest": ((2, 2), "smallest", "selection", False, False, PLACED),
    "above": ((2, 2), ">", "selection", False, False, COMPARED),
    "below": ((2, 2), "<", "selection", False, False, COMPARED),
    "at_least": ((2, 2), ">=", "selection", False, False, COMPARED),
    "at_most": ((2, 2), "<=", "selection", False, False, COMPARED),
    "equal_to": ((2, 2), "=", "selection", False, False, COMPARED),
    "count": ((1, 1), "count", "count", False, False, NONE),
    "labels": ((1, 1), "labels", "list", False, False, NONE),
    "items": ((1, 64), "", "list", False, False, NONE),
}


def test_every_operation_has_its_row_here() -> None:
    assert list(TABLE) == list(OPERATIONS)


@for_each(TABLE)
def test_a_row_of_the_table(name: str) -> None:
    operation, (arity, symbol, metric, in_programs, of_row, rules) = OPERATIONS[name], TABLE[name]
    assert (operation.arity, operation.symbol, operation.metric) == (arity, symbol, metric)
    assert (operation.in_programs, operation.of_row) == (in_programs, of_row)
    assert metric_of(name) == metric
    for kinds, (shifts, scale, unit) in rules.items():
        reading = operation.rule(kinds)
        assert (reading.shifts, reading.scale, reading.unit) == (shifts, scale, unit), kinds


@for_each([name for name in TABLE if OPERATIONS[name].takes not in ("words", "steps")])
def test_a_plan_with_one_operand_too_few_or_too_many_cannot_run(name: str) -> None:
    operation = OPERATIONS[name]
    least, most = operation.arity

    def issues(count: int) -> tuple[str, ...]:
        one: Operand = RowRef("sales") if operation.of_row else Constant(Decimal(1), "1")
        first: Operand = CELLS if operation.takes == "list" else one
        return validate(Plan((Compute(1, name, (first, *[one] * (count - 1))[:count]),)), 0)

    assert issues(least) == issues(most) == ()
    for count in (least - 1, most + 1):
        (issue,) = issues(count)
        assert issue.startswith(f"step 1 ({name}) takes ")
        assert issue.endswith(f"not {count}")


def test_unknown_operations_give_a_value() -> None:
    assert metric_of("lookup") == "value"
