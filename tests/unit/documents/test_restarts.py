from datetime import date

import pytest

from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Scale
from quaestor.documents.assembly import HeadingPart, TablePart, assemble
from quaestor.documents.document import Document
from quaestor.documents.facts import Fact

Grid = list[list[str]]
Q2 = Period("quarter", 2023, quarter=2)
HALF = Period("span", 2023, month=6, months=6)
HALF_BEFORE = Period("span", 2022, month=6, months=6)


def read(grid: Grid, caption: str = "", header_rows: int | None = None) -> Document:
    return assemble("file", [HeadingPart("Segments"), TablePart(grid, caption, header_rows=header_rows)])


def periods(document: Document) -> list[list[Period | None]]:
    return [[column.period for column in table.columns[1:]] for table in document.tables]


def year(number: int) -> Period:
    return Period("year", number)


def quarter(number: int, of: int = 2023) -> Period:
    return Period("quarter", of, quarter=number)


def day(number: int, month: int = 12, of_month: int = 31) -> Period:
    return Period("date", number, month=month, day=of_month)


RESTARTED: list[tuple[list[str], list[str], list[Period | None], list[Period | None]]] = [
    (
        ["Quarters Ended June 30,", "2023", "2022", "Inc/(Dec)"],
        ["Six Months Ended June 30,", "2023", "2022", "Inc/(Dec)"],
        [Q2, quarter(2, 2022), None],
        [HALF, HALF_BEFORE, None],
    ),
    (
        ["Three months to 30 September", "2023", "2022"],
        ["Nine months to 30 September", "2023", "2022"],
        [quarter(3), quarter(3, 2022)],
        [Period("span", 2023, month=9, months=9), Period("span", 2022, month=9, months=9)],
    ),
    (["", "Q1 2023", "Q2 2023"], ["", "H1 2023", "H1 2022"], [quarter(1), Q2], [HALF, HALF_BEFORE]),
    (["", "2023", "2022"], ["", "2021", "2020"], [year(2023), year(2022)], [year(2021), year(2020)]),
    (
        ["Year ended December 31,", "2023", "2022"],
        ["As of December 31,", "2023", "2022"],
        [year(2023), year(2022)],
        [day(2023), day(2022)],
    ),
    (["Q2", "2023", "2022"], ["First half", "2023", "2022"], [Q2, quarter(2, 2022)], [HALF, HALF_BEFORE]),
    (
        ["(in millions)", "FY23", "FY22"],
        ["(in thousands)", "FY21", "FY20"],
        [year(2023), year(2022)],
        [year(2021), year(2020)],
    ),
]


@pytest.mark.parametrize(("first", "again", "above", "below"), RESTARTED)
def test_headings_within_a_table_set_the_period_of_rows_below(
    first: list[str], again: list[str], above: list[Period | None], below: list[Period | None]
) -> None:
    more = [""] * (len(first) - 3)
    document = read(
        [first, ["North", "10", "9", *more], ["Total", "30", "25", *more], again, ["North", "20", "18", *more]]
    )
    assert periods(document) == [above, below]
    assert [[row[1].text for row in table.cells[table.header_rows :]] for table in document.tables] == [
        ["10", "30"],
        ["20"],
    ]
    assert not [cell for table in document.tables for cell in table.body() if cell.text.startswith("202")]


def test_scale_of_the_table_applies_below_repeated_headings() -> None:
    grid = [["(in millions)", "2023", "2022"], ["a", "1", "2"], ["b", "1", "2"], ["", "2021", "2020"], ["a", "3", "4"]]
    assert [table.scale for table in read(grid).tables] == ["million", "million"]


def test_headings_over_groups_of_years_are_repeated_or_continue() -> None:
    groups = ["", "Domestic", "", "Foreign", ""]
    years = ["2023", "2022", "2023", "2022"]
    numbers = ["1", "2", "3", "4"]
    for over in ([groups], []):
        grid = [
            groups, ["Quarters ended June 30,", *years], ["Cost", *numbers], ["Interest", *numbers],
            *over, ["Six months ended June 30,", *years], ["Cost", *numbers],
        ]  # fmt: skip
        below = read(grid).tables[1]
        assert [column.levels for column in below.columns[1:]] == [
            ("Domestic", "2023"), ("Domestic", "2022"), ("Foreign", "2023"), ("Foreign", "2022"),
        ]  # fmt: skip
        assert below.columns[1].period == HALF


def test_tags_stay_with_their_numbers() -> None:
    grid = [["", "2023"], ["a", "1"], ["b", "2"], ["", "2022"], ["a", "3"]]
    facts = [(row, 1, Fact("us-gaap:A", None, None, None, date(2023, 12, 31), place=row)) for row in (1, 2, 4)]
    document = assemble("file", [TablePart(grid, header_rows=1, facts=facts)])
    assert [document.cell(t.source).text for t in document.facts if isinstance(t.source, CellRef)] == ["1", "2", "3"]


@pytest.mark.parametrize(
    "row",
    [
        ["Year founded", "1998", "2004"],
        ["Maturity", "2027", "2030"],
        ["Plan year", "2023", "2022"],
        ["Number of stores", "2,023", "2,022"],
        ["Expires", "December 31, 2027", "June 30, 2028"],
        ["", "1", "2"],
        ["Grant", "2019", "n/a"],
    ],
)
def test_a_row_of_data_restarts_nothing(row: list[str]) -> None:
    assert len(read([["", "Alpha", "Beta"], ["Sales", "10", "9"], row, ["Costs", "4", "5"]]).tables) == 1


@pytest.mark.parametrize("label", ["", "item", "Europe"])
def test_repeated_headings_are_not_numbers(label: str) -> None:
    grid = [["item", "2023", "2022"], ["Sales", "10", "9"], [label, "2023", "2022"], ["Costs", "4", "5"]]
    (table,) = read(grid).tables
    assert not any(cell.quantities for cell in table.cells[2])
    assert table.rows[3].levels == (("Europe", "Costs") if label == "Europe" else ("Costs",))


def test_row_of_units_below_repeated_headings_is_a_heading() -> None:
    document = read(
        [
            ["", "Six months ended 30 June 2024", "Six months ended 30 June 2023"],
            ["", "HK$ million", "HK$ million"],
            ["Revenue", "4,118", "3,114"],
            ["", "30 June 2024", "31 December 2023"],
            ["", "HK$ million", "HK$ million"],
            ["Equity", "98,118", "98,000"],
            ["Debt", "9,118", "9,000"],
        ]
    )
    assert [(table.header_rows, table.scale_at(2, 1)) for table in document.tables] == [(2, Scale.MILLION)] * 2
