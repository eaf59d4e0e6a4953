"""Cells of a page: lines that are totals, and times in labels."""

import pytest
from choices import REGIONS, features
from examples import share
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import page

from quaestor.solvers.embedded.cell_groups import (
    find_summed_rows,
    find_total_rows,
    is_part_of_a_year,
    read_cells,
    remove_times,
)

_CELL = st.sampled_from(["", "-", "1", "2", "3", "total", "a", "2019", "5 %"])


@pytest.mark.parametrize(
    ("label", "left"),
    [("year ended december 31 , 2019", ""), ("2019 amount", "amount"), ("total", ""), ("europe", "europe"), ("", "")],
)
def test_times_are_removed_from_a_label(label: str, left: str) -> None:
    assert remove_times(label) == left


def test_parts_of_a_year() -> None:
    assert is_part_of_a_year("first quarter")
    assert is_part_of_a_year("march 31 2012")
    assert not is_part_of_a_year("2012")


def test_totals_are_found_by_labels_and_numbers() -> None:
    table = REGIONS.tables[0]
    assert find_total_rows(table) == {5, 9}
    assert find_summed_rows(table, 5) == (2, 3, 4)
    assert find_summed_rows(table, 11) == ()


def test_sum_without_the_word_total_is_a_total() -> None:
    grid = [["", "2012", "2011"], ["bread", "120", "110"], ["cake", "30", "45"], ["goods sold", "150", "155"]]
    assert find_total_rows(page(grid).tables[0]) == {3}


def test_total_includes_an_earlier_total() -> None:
    grid = [["", "2012"], ["cash", "120"], ["stock", "230"], ["total current assets", "350"], ["plant", "400"],
            ["total assets", "750"]]  # fmt: skip
    assert find_summed_rows(page(grid).tables[0], 5, find_total_rows(page(grid).tables[0])) == (1, 2, 4)


def test_cells_have_headings_and_years() -> None:
    cells = read_cells(REGIONS, features(REGIONS).leaves)
    first = cells[0]
    assert (first.row, first.column_label, first.year, first.total) == (
        ("net sales", "north region"),
        "2012",
        2012,
        False,
    )
    assert {cell.year for cell in cells} == {2010, 2011, 2012}
    assert [cell.row_label for cell in cells if cell.total] == ["total net sales"] * 3 + [
        "total operating expenses"
    ] * 3


@settings(max_examples=share(30), deadline=None)
@given(st.lists(st.lists(_CELL, min_size=3, max_size=3), min_size=1, max_size=7))
def test_totals_of_any_table_are_among_its_rows(grid: list[list[str]]) -> None:
    table = page([["", "2012", "2011"], *grid]).tables[0]
    assert find_total_rows(table) <= set(range(len(table.rows)))
