"""The period of a column of changes."""

import pytest

from quaestor.core.periods import Period, parse_period
from quaestor.documents.table import Header
from quaestor.documents.timing import dated_changes


def years(*labels: str) -> list[int | None]:
    columns = [Header(""), *(Header(label, (label,), _period(label)) for label in labels)]
    return [column.period.year if column.period else None for column in dated_changes(columns)][1:]


def _period(label: str) -> Period | None:
    return parse_period(label)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (("2024", "Change", "2023", "Change", "2022"), [2024, 2024, 2023, 2023, 2022]),
        (("2025", "2024", "% Change", "2023", "% Change"), [2025, 2024, 2025, 2023, 2024]),
        (("2025", "2024", "$ Change", "% Change"), [2025, 2024, 2025, 2025]),
        (("2023", "2024", "Increase/(decrease)"), [2023, 2024, 2024]),
        (("2024", "2023", "2022", "2024 vs. 2023 Change", "2023 vs. 2022 Change"), [2024, 2023, 2022, 2024, 2023]),
        (("2025", "2024", "Change vs. 2024"), [2025, 2024, 2025]),
        (("2025", "2024", "Variance", "2025", "2024", "Variance"), [2025, 2024, 2025, 2025, 2024, 2025]),
        (("2024", "Change"), [2024, None]),
        (("Change", "2024"), [None, 2024]),
        (("Amount", "Change in fair value"), [None, None]),
        (("2024", "2023", "Exchange rate effect"), [2024, 2023, None]),
    ],
)
def test_a_change_is_of_the_later_of_the_two_periods_beside_it(
    labels: tuple[str, ...], expected: list[int | None]
) -> None:
    assert years(*labels) == expected


def test_periods_of_different_lengths_have_no_change() -> None:
    columns = [
        Header(""),
        Header("q", ("q",), Period("quarter", 2025, quarter=2)),
        Header("y", ("y",), Period("year", 2024)),
        Header("Change", ("Change",)),
    ]
    assert dated_changes(columns)[3].period is None
