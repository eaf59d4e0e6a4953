"""Rows and columns of tables become lines with their printed names, without losing numbers."""

from collections.abc import Sequence

import pytest

from quaestor.core.provenance import CellRef
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.facts.lines import Moment
from quaestor.facts.table import FactTable, build_facts

COVER = ParagraphPart(("Annual report for the fiscal year ended December 31, 2024",))


def read_grid(grid: Sequence[Sequence[str]], *before: DocumentPart) -> FactTable:
    return build_facts(assemble("10-K", [COVER, HeadingPart("Debt"), *before, TablePart(grid)]))


def test_a_total_without_a_label_is_that_of_its_group() -> None:
    table = read_grid(
        [
            ["", "2024", "2023"],
            ["Inventories:", "", ""],
            ["Raw materials", "10", "9"],
            ["Finished goods", "20", "19"],
            ["", "30", "28"],
            ["Prepaid expenses", "5", "4"],
        ]
    )
    assert [(line.label, line.path) for line in table.lines] == [
        ("Raw materials", ("Inventories",)),
        ("Finished goods", ("Inventories",)),
        ("Inventories", ()),
        ("Prepaid expenses", ()),
    ]


def test_single_subject_of_a_table_is_named_by_its_title() -> None:
    lead = ParagraphPart(("Future payments of principal are as follows (in millions):",))
    table = read_grid([["2025", "$ 10"], ["2026", "20"], ["2027", "30"], ["Total", "60"]], lead)
    line, total = table.lines
    assert (line.label, line.path) == ("Debt", ("Future payments of principal are as follows (in millions):",))
    assert [(cell.amount, cell.moment) for cell in line.cells] == [
        (10e6, Moment(2025, 4, 12)),
        (20e6, Moment(2026, 4, 12)),
        (30e6, Moment(2027, 4, 12)),
    ]
    assert (total.label, total.cells[0].amount) == ("Total", 60e6)


def test_a_column_of_changes_is_marked() -> None:
    (line,) = read_grid([["", "2024", "2023", "% Change"], ["Net sales", "110", "100", "10%"]]).lines
    assert [cell.change for cell in line.cells] == [False, False, True]


def test_numbers_under_the_same_heading_are_different_series() -> None:
    table = read_grid([["", "2024", "2024"], ["Net sales", "110", "5"], ["Costs", "50", "2"]])
    assert [(series.line.label, series.repeat, series.first.amount) for series in table.series] == [
        ("Net sales", 0, 110),
        ("Net sales", 1, 5),
        ("Costs", 0, 50),
        ("Costs", 1, 2),
    ]


def test_period_words_are_not_part_of_a_heading() -> None:
    (line,) = read_grid([["", "Dec 31, 2024", "Dec 31, 2023 Level 2"], ["Net sales", "110", "100"]]).lines
    assert [cell.column for cell in line.cells] == [(), ("level",)]


@pytest.mark.parametrize(
    "headings",
    [
        [["", "Quarter ended", "Quarter ended"], ["", "March 31", "December 31"]],
        [["", "", "Quarter ended"], ["", "March 31", "December 31"]],
        [["Quarter ended", "March 31", "December 31"]],
        [["", "First fiscal quarter", "Fourth fiscal quarter"]],
    ],
    ids=["over each column", "over one column", "in the corner", "by number"],
)
def test_quarters_without_a_year_have_the_year_of_their_group(headings: list[list[str]]) -> None:
    grid = [
        *headings,
        ["2024", "", ""],
        ["Net sales", "$ 110", "$ 130"],
        ["2023", "", ""],
        ["Net sales", "$ 90", "$ 120"],
    ]
    lines = read_grid(grid).lines
    assert [(line.label, [(cell.moment, cell.column) for cell in line.cells]) for line in lines] == [
        ("Net sales", [(Moment(2024, 1, 3), ()), (Moment(2024, 4, 3), ())]),
        ("Net sales", [(Moment(2023, 1, 3), ()), (Moment(2023, 4, 3), ())]),
    ]


def test_quarters_in_rows_have_the_year_of_their_column() -> None:
    grid = [["", "2024", "2023"], ["First Quarter", "$ 38.90", "$ 37.10"], ["Fourth Quarter", "$ 40.20", "$ 36.00"]]
    assert [[cell.moment for cell in line.cells] for line in read_grid(grid).lines] == [
        [Moment(2024, 1, 3), Moment(2023, 1, 3)],
        [Moment(2024, 4, 3), Moment(2023, 4, 3)],
    ]


def test_label_that_names_only_times_is_ignored() -> None:
    table = read_grid([["Fiscal years:", "( in millions )"], ["2025", "$ 10"], ["2026", "20"], ["2027", "30"]])
    assert {line.label for line in table.lines} == {"Debt"}


def test_balances_are_lines_by_column_and_flows_continue_in_the_next_block() -> None:
    table = read_grid(
        [
            ["", "Retained Earnings", "Total"],
            ["Balance, December 31, 2022", "18", "71"],
            ["Dividends", "(2)", "(2)"],
            ["Net income", "8", "8"],
            ["Balance, December 31, 2023", "24", "77"],
            ["Dividends", "(1)", "(1)"],
            ["Net loss", "(2)", "(2)"],
            ["Balance, December 31, 2024", "21", "74"],
        ],
        HeadingPart("Consolidated Statements of Stockholders' Equity"),
    )
    lines = {line.label: [cell.amount for cell in line.cells] for line in table.lines}
    assert lines["Retained Earnings"] == [18, 24, 21]
    assert lines["Total"] == [71, 77, 74]
    assert lines["Dividends"] == [-2, -2, -1, -1]
    assert "Balance, December 31, 2022" not in lines


def test_opening_balance_belongs_to_the_end_of_the_previous_year() -> None:
    grid = [["", "2024", "2023"], ["Balance at beginning of year", "9", "8"], ["Additions", "3", "1"]]
    opening, flow, closing = read_grid([*grid, ["Balance at end of year", "12", "9"]]).lines
    assert opening.moments == (Moment(2023, 4, 0), Moment(2022, 4, 0))
    assert flow.moments == (Moment(2024, 4, 12), Moment(2023, 4, 12))
    assert closing.moments == (Moment(2024, 4, 0), Moment(2023, 4, 0))


def test_numbers_of_a_label_are_lines_of_their_own() -> None:
    grid = [
        ["(in millions)", "2024", "2023"],
        ["Parts, and fuel, less allowances of $276 and $360", "604", "637"],
        ["Common stock, $0.01 par value; authorized: 900 shares; 1,601 and 1,605 shares issued", "6", "6"],
    ]
    lines = [line for line in read_grid(grid).lines if isinstance(ref := line.cells[0].ref, CellRef) and not ref.column]
    assert [(line.label, [(cell.amount, cell.moment) for cell in line.cells]) for line in lines] == [
        ("Parts, and fuel, less allowances", [(276e6, Moment(2024, 4, 12)), (360e6, Moment(2023, 4, 12))]),
        ("Common stock, par value", [(0.01, Moment(2024, 4, 12))]),
        ("Common stock, authorized shares", [(900e6, Moment(2024, 4, 12))]),
        ("Common stock, shares issued", [(1601e6, Moment(2024, 4, 12)), (1605e6, Moment(2023, 4, 12))]),
    ]


def test_numbers_with_one_label_are_distinguished_by_value() -> None:
    table = read_grid([["", "2024", "2023"], ["Common stock; authorized: 900 shares; 601 and 605 issued", "6", "6"]])
    for series in table.series:
        for moment, cell in series.cells.items():
            assert table.find_number(cell.ref, cell.quantity.value) == (series, moment)


def test_counts_named_in_headings_have_no_currency() -> None:
    lead = ParagraphPart(("Leases are as follows (dollars in thousands):",))
    grid = [["", "Number of Leases", "Square Feet", "Annual Rent"], ["Boston", "12", "1,200,000", "3,400"]]
    (line,) = read_grid(grid, lead).lines
    assert [cell.unit for cell in line.cells] == [None, "square feet", "USD"]
    assert line.cells[1].amount == 1.2e6


def test_a_heading_between_rows_scales_those_below_it() -> None:
    grid = [["", "2024", "2023"], ["Customers", "40", "30"], ["Revenues (in millions):", "", ""], ["Gas", "$ 5", "$ 4"]]
    table = read_grid([*grid, ["Other", "2", "1"], ["Statistics:", "", ""], ["Usage", "38", "37"]])
    assert [line.cells[0].scale.value for line in table.lines] == ["one", "million", "million", "one"]


def test_a_loss_is_called_income_too() -> None:
    (line,) = read_grid([["", "2024", "2023"], ["Net loss", "$ (5)", "$ (4)"]]).lines
    assert "incom" in line.label_terms
    assert line.label == "Net loss"


def test_a_rendering_of_tags_names_the_member_above_its_line_items() -> None:
    table = read_grid(
        [
            ["", "2024", "2023"],
            ["Disaggregation of Revenue [Line Items]", "", ""],
            ["Net sales", "9", "8"],
            ["Phones", "", ""],
            ["Disaggregation of Revenue [Line Items]", "", ""],
            ["Net sales", "5", "4"],
        ]
    )
    assert [(line.label, line.path) for line in table.lines] == [("Net sales", ()), ("Net sales", ("Phones",))]


def test_a_row_called_by_a_year_to_come_is_of_that_year_under_the_day_of_the_report() -> None:
    grid = [["", "As of December 31, 2024"], ["2025", "10"], ["2026", "20"], ["Total payments", "30"]]
    due, total = read_grid(grid).lines
    assert [(cell.amount, cell.moment) for cell in due.cells] == [(10, Moment(2025, 4, 12)), (20, Moment(2026, 4, 12))]
    assert total.cells[0].moment == Moment(2024, 4, 0)


def test_a_line_called_by_a_year_has_it() -> None:
    (line,) = read_grid([["", "2024", "2023"], ["5.50% senior notes due 2064", "1,500", "1,400"]]).lines
    assert line.years == {2064}
    assert [cell.moment and cell.moment.year for cell in line.cells] == [2024, 2023]


def test_a_line_is_not_called_by_a_year_that_is_over() -> None:
    (line,) = read_grid([["", "2024", "2023"], ["Restructuring plan of 2019", "15", "14"]]).lines
    assert line.years == frozenset()


def test_an_amount_for_one_of_something_is_not_scaled() -> None:
    lead = ParagraphPart(("Our costs were as follows (in millions):",))
    rows = [["", "2024"], ["Fuel", "$ 310"], ["Cost per kWh", "$ 0.168"]]
    table = read_grid(rows, lead)
    assert [line.cells[0].amount for line in table.lines] == [310e6, 0.168]


def test_a_column_that_prints_its_sign_once_is_of_percentages_or_prices() -> None:
    lead = ParagraphPart(("The notes are as follows (in millions):",))
    grid = [
        ["Notes due 2028", "3.25 %", "$ 1,000", "$ 29.02"],
        ["Notes due 2031", "1.95", "1,500", "$ 50.95"],
        ["Notes due 2041", "2.70", "1,250", "$ 28.78"],
    ]
    line = read_grid(grid, lead).lines[1]
    assert [cell.amount for cell in line.cells] == [0.0195, 1500e6, 50.95]


def test_a_table_of_another_time_has_the_scale_of_the_one_before_it() -> None:
    rows = [["Sales", "$ 410.5"], ["Costs", "300.5"], ["Profit", "110.0"]]
    first = TablePart([["(in millions)", "Quarter ended June 30, 2024"], *rows])
    table = read_grid([["", "Six months ended June 30, 2024"], *rows], first)
    assert [line.cells[0].amount for line in table.lines] == [410.5e6, 300.5e6, 110e6] * 2


def test_rows_that_differ_in_their_time_alone_are_one_line() -> None:
    table = read_grid(
        [
            ["", "Units", "Price"],
            ["Unvested at December 31, 2023", "10", "$ 5"],
            ["Granted", "7", "6"],
            ["Vested", "2", "4"],
            ["Forfeited", "1", "4"],
            ["Unvested at December 31, 2024", "14", "7"],
        ]
    )
    line = table.lines[0]
    assert [one.label for one in table.lines] == ["Unvested", "Granted", "Vested", "Forfeited"]
    assert [(cell.amount, cell.moment) for cell in line.cells if cell.column == ("unit",)] == [
        (10, Moment(2023, 4, 0)),
        (14, Moment(2024, 4, 0)),
    ]


def test_debts_that_are_called_by_a_year_are_different_lines() -> None:
    table = read_grid([["", "Amount"], ["Notes due 2022", "10"], ["Notes due 2024", "14"]])
    assert [line.label for line in table.lines] == ["Notes due 2022", "Notes due 2024"]


@pytest.mark.parametrize("label", ["Total assets", "Stores at period end", "Employees (as of December 31)"])
def test_a_balance_in_a_column_of_a_year_is_of_its_end(label: str) -> None:
    found = read_grid([["", "2024", "2023"], ["Revenue", "900", "800"], [label, "70", "60"]])
    assert [cell.moment for line in found.lines if line.label == label for cell in line.cells] == [
        Moment(2024, 4, 0),
        Moment(2023, 4, 0),
    ]


def test_days_over_an_income_statement_are_the_year_to_date() -> None:
    grid = [
        ["", "31 Mar 2024", "31 Mar 2023"],
        ["Revenue", "9", "8"],
        ["Cost of sales", "5", "4"],
        ["Income before taxes", "4", "4"],
        ["Income taxes", "1", "1"],
        ["Net income", "3", "3"],
    ]
    balances = [["", "31 Mar 2024", "31 Dec 2023"], ["Total assets", "90", "80"], ["Total liabilities", "50", "40"]]
    parts: list[DocumentPart] = [HeadingPart("Consolidated income statement"), TablePart(grid), TablePart(balances)]
    found = build_facts(assemble("q", parts, filing=True))
    assert {moment for line in found.lines if line.table == 0 for moment in line.moments} == {
        Moment(2024, 1, 3),
        Moment(2023, 1, 3),
    }
