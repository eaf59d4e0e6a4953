"""Which numbers need no source, and when a written number matches a known one."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.plan.operations import rounds_to
from quaestor.plan.scales import needs_no_source, read_literal, write_literal


@given(st.integers(-20, 10**7))
def test_number_in_a_program_needs_no_source(number: int) -> None:
    written = write_literal(Decimal(number))
    assert read_literal(written) == number
    assert needs_no_source(Decimal(number)) or not written.startswith("const_")


@pytest.mark.parametrize(
    ("known", "written", "digits", "same"),
    [
        ("14.136", "14.1", 2, True),
        ("14.136", "14.14", 2, True),
        ("14.136", "14.2", 2, False),
        ("14.136", "14", 2, True),
        ("14.136", "14", 3, False),
        ("14.136", "14.1", 3, True),
        ("0.125", "0.12", 2, True),
        ("0.125", "0.13", 2, True),
        ("5.4", "5", 2, False),
        ("5", "5", 9, True),
        ("-14.136", "14.1", 2, False),
        ("0.30000000000000004", "0.3", 9, True),
        ("12345", "12000", 2, False),
    ],
)
def test_a_number_written_with_fewer_digits(known: str, written: str, digits: int, same: bool) -> None:
    assert rounds_to(Decimal(known), Decimal(written), digits) is same


@given(st.decimals(-(10**9), 10**9, allow_nan=False, places=6), st.integers(0, 5))
def test_number_matches_itself_and_its_roundings(number: Decimal, places: int) -> None:
    assert rounds_to(number, number)
    rounded = round(number, places)
    if len(rounded.normalize().as_tuple().digits) >= 2:
        assert rounds_to(number, rounded)
