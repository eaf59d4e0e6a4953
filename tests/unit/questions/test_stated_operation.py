"""What a question states to compute from numbers of two times."""

import pytest

from quaestor.questions.stated_operation import read_stated_operation
from quaestor.questions.understanding import read_filing_question


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("what was the net change in average total debt from 2022 to 2024?", "change"),
        ("between 2022 and 2024, what was the difference in rent?", "change"),
        ("how much did sales change between 2022 and 2024?", "change"),
        ("what is the ratio of sales in 2024 to 2022?", "ratio"),
        ("what was the change in sales from 2022 to 2024 in percent?", ""),
        ("what was the change in working capital in 2024?", ""),
        ("what was the difference between sales and net income in 2024 and 2023?", ""),
        ("what is the ratio of sales in 2022 to 2023?", "ratio"),
        ("what is the difference between the high and the low stock price in 2024?", "change"),
        ("what was the sum of cash and debt?", "sum"),
        ("what was the total of rent in 2022 and 2024?", "sum"),
        ("what was the total of cash including leases in 2024?", ""),
        ("what were total sales in 2022 and 2024?", ""),
    ],
)
def test_an_operation_is_stated(text: str, operation: str) -> None:
    assert read_stated_operation(read_filing_question(text)) == operation
