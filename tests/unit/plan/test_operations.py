from decimal import Decimal

import pytest
from values import plain

from quaestor.errors import DivisionByZeroError, MagnitudeError, OperandError
from quaestor.plan.operations import OPERATIONS, bounded


def run(name: str, *values: str) -> Decimal | bool:
    return plain(OPERATIONS[name].function([Decimal(value) for value in values]))


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
        bounded(Decimal(value))


@pytest.mark.parametrize("value", ["0", "0e-99", "-9.9e60", "1e-60", "1." + "1" * 49])
def test_bounded_takes_the_rest(value: str) -> None:
    assert bounded(Decimal(value)) == Decimal(value)


def test_every_operation_is_filed_under_its_name() -> None:
    assert all(name == operation.name for name, operation in OPERATIONS.items())
