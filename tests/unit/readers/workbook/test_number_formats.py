from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from many_cases import for_each_row

from quaestor.readers.workbook.number_formats import BUILT_IN, print_number

ACCOUNTING = '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)'


@for_each_row([
        ("1234.5", "General", "1234.5"), ("0.1", "General", "0.1"), ("1e-05", "General", "0.00001"),
        ("-7", "General", "-7"), ("0.14123456789", "General", "0.141234568"), ("12345678901", "General", "12345678901"),
        ("1234.5", "0", "1235"), ("1234.5", "#,##0", "1,235"), ("-1234.5", "#,##0.00", "-1,234.50"),
        ("0.1412", "0%", "14%"), ("0.1412", "0.0%", "14.1%"), ("-0.1412", "0.0%;(0.0%)", "(14.1%)"),
        ("1234567", "#,##0,", "1,235"), ("1234567", "0.0,,", "1.2"), ("1234567", '0.0,,"M"', "1.2M"),
        ("-435", "#,##0_);(#,##0)", "(435)"), ("435", "#,##0_);(#,##0)", "435"), ("0", "#,##0;(#,##0);\\-", "-"),
        ("28162", '_("$ "#,##0_);_("$ "(#,##0)', "$ 28,162"), ("-214", '_("$ "#,##0_);_("$ "(#,##0)', "$ (214)"),
        ("1e-05", '_("$ "#,##0.00000_);_("$ "(#,##0.00000)', "$ 0.00001"),
        ("5", ACCOUNTING, "$5"), ("-5", ACCOUNTING, "$(5)"), ("0", ACCOUNTING, "$-"),
        ("5.5", "[$€-407] #,##0.00", "€ 5.50"), ("-5.5", "[Red]0.0", "-5.5"), ("5.25", "0.0#", "5.25"),
        ("5", "0.0#", "5.0"), ("0.5", "#.##", ".5"), ("7", "000", "007"), ("1500", '[>999]#,##0,"K";0', "2K"),
        ("15", '[>999]#,##0,"K";0', "15"), ("45380", "m/d/yyyy", "3/29/2024"), ("45380", "mmm d, yyyy", "Mar 29, 2024"),
        ("45380.75", "yyyy-mm-dd h:mm AM/PM", "2024-03-29 6:00 PM"), ("45380", "mmm-yy", "Mar-24"),
        ("1.5", "[h]:mm", "36:00"), ("3.2", '0.0"x"', "3.2x"), ("12", '"about "0', "about 12"), ("12", "@", "12"),
        ("0.004", "0.00%", "0.40%"), ("-0.4", "0", "0"), ("2024", "0", "2024"),
    ])  # fmt: skip
def test_a_number_is_printed_as_excel_shows_it(value: str, code: str, text: str) -> None:
    assert print_number(Decimal(value), code).text == text


@pytest.mark.parametrize(("code", "shift"), [("0%", 2), ("#,##0,", -3), ("#,##0.0,,", -6), ("0,,,", -9), ("0.00", 0)])
def test_scale_factor_of_a_number_format(code: str, shift: int) -> None:
    assert print_number(Decimal(5), code).shift == shift


@pytest.mark.parametrize("code", ["m/d/yyyy", "h:mm", ACCOUNTING])
def test_number_format_without_digits_is_not_a_number(code: str) -> None:
    assert not print_number(Decimal(0), code).is_number


@given(
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**15), max_value=10**15),
    st.text('0#?.,%$()_*-"\\[];@E+ymdhsAP/ \u20ac', max_size=25) | st.sampled_from(sorted(BUILT_IN.values())),
)
def test_any_format_prints_something_or_nothing(value: Decimal, code: str) -> None:
    assert isinstance(print_number(value, code).text, str)
