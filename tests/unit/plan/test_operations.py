from decimal import Decimal

import pytest
from values import plain

from quaestor.errors import MagnitudeError
from quaestor.plan.operations import OPERATIONS, Selection, require_in_range


def run(name: str, *values: str) -> Decimal | bool:
    result = OPERATIONS[name].function([Decimal(value) for value in values])
    assert not isinstance(result, Selection)
    return plain(result)


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


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e61", "1e-61", "1." + "1" * 50])
def test_bounded_rejects_numbers_beyond_the_limits(value: str) -> None:
    with pytest.raises(MagnitudeError):
        require_in_range(Decimal(value))
