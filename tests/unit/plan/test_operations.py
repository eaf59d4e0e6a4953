from decimal import Decimal

import pytest
from many_cases import for_each
from values import plain

from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity
from quaestor.errors import DivisionByZeroError, MagnitudeError, OperandError
from quaestor.plan.operations import OPERATIONS, Selection, require_in_range
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


CELLS = CellGroup("sales", ("2009",), (Quantity(Decimal(3)),), (CellRef("doc", 0, 1, 1),))


@for_each([name for name in OPERATIONS if OPERATIONS[name].takes not in ("words", "steps")])
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
