"""Lines and columns that are the members of a total, a heading or a noun."""

import pytest
from choices import REGIONS
from pages import page

from quaestor.solvers.embedded.cell_groups import (
    find_columns_called,
    find_members,
    find_members_called,
    find_total_members,
    list_table_lines,
)


@pytest.mark.parametrize(
    ("whole", "labels"),
    [
        ("net sales", ("north region", "south region", "overseas")),
        ("the total operating expenses", ("freight", "wages")),
        ("operating expenses", ("freight", "wages")),
    ],
)
def test_members_are_under_a_heading_or_above_its_total(whole: str, labels: tuple[str, ...]) -> None:
    members = find_members(REGIONS, whole)
    assert members is not None
    assert members.labels == labels
    assert all(source.column == 0 for source in members.sources)


@pytest.mark.parametrize("whole", ["goodwill", "", "the of", "net income"])
def test_group_without_heading_has_no_members(whole: str) -> None:
    assert find_members(REGIONS, whole) is None


def test_deductions_and_lines_after_a_sum_are_not_parts() -> None:
    grid = [
        ["", "2012"], ["receivables :", ""], ["billed", "$ 300"], ["unbilled", "120"], ["", "420"],
        ["less allowance", "-20 ( 20 )"], ["net receivables", "$ 400"],
    ]  # fmt: skip
    members = find_members(page(grid), "receivables")
    assert members is not None
    assert members.labels == ("billed", "unbilled")


def test_lines_of_a_table_exclude_totals() -> None:
    (lines,) = list_table_lines(REGIONS)
    assert lines.heading == ""
    assert lines.labels == (
        "north region",
        "south region",
        "overseas",
        "freight",
        "wages",
        "tax rate",
        "net income (loss)",
    )


def test_columns_are_found_by_a_short_name() -> None:
    grid = [["", "operating leases", "finance leases", "loans"], ["2013", "5", "6", "7"]]
    members = find_columns_called("lease liabilities", page(grid))
    assert members is not None
    assert members.labels == ("operating leases", "finance leases")
    assert find_columns_called("what is owed for leases of plants", page(grid)) is None


def test_members_are_found_by_a_noun() -> None:
    members = find_members_called("region", REGIONS)
    assert members is not None
    assert members.heading == "total net sales"
    assert find_members_called("country", REGIONS) is None


def test_members_are_listed_by_total() -> None:
    assert [each.heading for each in find_total_members(REGIONS)] == ["total net sales", "total operating expenses"]
