"""Lists printed side by side, and tables that only look like them."""

import pytest

from quaestor.documents.assembly import TablePart, assemble
from quaestor.documents.restarts import width_of_parts
from quaestor.documents.table import Table

CITIES = [["Aarle", "13", "Noord", "18"], ["Beek", "1", "Oss", "3"], ["Cuijk", "28", "", ""]]


def read(grid: list[list[str]]) -> Table:
    return assemble("quill", [TablePart(grid)], filing=True).tables[0]


def test_halves_of_a_list_are_put_below_each_other() -> None:
    found = read([["City", "Shops", "City", "Shops"], *CITIES])
    assert [header.label for header in found.rows[1:]] == ["Aarle", "Beek", "Cuijk", "Noord", "Oss"]
    assert [str(row[1].quantity.value) for row in found.cells[1:] if row[1].quantity] == ["13", "1", "28", "18", "3"]


def test_halves_with_names_of_their_own_are_sections() -> None:
    found = read([["East", "Shops", "West", "Shops"], *CITIES])
    levels = [header.levels for header in found.rows if header.label in ("Aarle", "Oss")]
    assert levels == [("East", "Aarle"), ("West", "Oss")]


@pytest.mark.parametrize(
    "grid",
    [
        [["", "2024", "2023", "2022"], ["Sales", "1", "2", "3"], ["Cost", "1", "2", "3"]],
        [["Name", "Age", "Office", "Since"], ["Ann", "51", "Treasurer", "2019"], ["Bob", "60", "Chair", "2001"]],
        [["Use", "Leased", "Owned", "Place"], ["Shops", "5", "4", "East"], ["Offices", "2", "1", "West"]],
        [["", "2024", "", "2023"], ["Sales", "5", "more", "4"], ["", "", "less", "3"]],
    ],
)
def test_other_tables_are_left_as_they_are(grid: list[list[str]]) -> None:
    assert width_of_parts(grid, 1) is None
