from decimal import Decimal

import pytest

from quaestor.core.periods import Period
from quaestor.core.quantity import Scale
from quaestor.documents.captions import Caption
from quaestor.documents.headers import read_table
from quaestor.documents.repairs import Repair, RepairKind, WarningKind
from quaestor.documents.table import Orientation, Table

Grid = list[list[str]]


def read(grid: Grid, leading: Caption | None = None) -> Table:
    return read_table("ACME/2008/page_1.pdf", 0, grid, leading)[0]


def warnings(grid: Grid) -> list[WarningKind]:
    return [warning.kind for warning in read_table("ACME/2008/page_1.pdf", 0, grid)[1]]


PLAIN = [["( in millions )", "2008", "2007"], ["net revenue ( 1 )", "$ 435", "$ 401"], ["loss", "-12 ( 12 )", "3"]]


def test_a_plain_table() -> None:
    table = read(PLAIN)
    assert (table.header_rows, table.orientation, table.scale) == (1, "columns", Scale.MILLION)
    assert [header.label for header in table.columns] == ["(in millions)", "2008", "2007"]
    assert [header.label for header in table.rows[1:]] == ["net revenue", "loss"]
    assert [cell.quantity and cell.quantity.value for cell in table.body()] == [435, 401, -12, 3]
    assert table.period_at(1, 2) == Period("year", 2007)
    assert table.scale_at(2, 1) is Scale.MILLION
    assert (table.cells[2][1].ref.row, table.cells[2][1].ref.column) == (2, 1)


@pytest.mark.parametrize(
    ("grid", "orientation"),
    [
        (PLAIN, "columns"),
        ([["year", "amount"], ["2008", "5"], ["2009", "7"], ["thereafter", "9"]], "rows"),
        ([["", "as of december 31 2013"], ["assets", "5"], ["debt", "7"]], "columns"),
        ([["location", "square feet"], ["boston", "500"], ["paris", "700"]], "neither"),
        ([["2008", "high", "low"], ["quarter ended march 31", "5", "4"], ["quarter ended june 30", "7", "6"]], "rows"),
    ],
)
def test_the_axis_of_the_periods(grid: Grid, orientation: Orientation) -> None:
    assert read(grid).orientation == orientation


def test_a_table_without_a_header_row() -> None:
    table = read([["2008", "$ 4935"], ["2009", "3144"], ["thereafter", "20"]])
    assert table.header_rows == 0
    assert table.orientation == "rows"
    assert [cell.quantity and cell.quantity.value for cell in table.body()] == [4935, 3144, 20]
    assert WarningKind.NO_HEADER in warnings([["2008", "$ 4935"], ["2009", "3144"]])


def test_numbers_fused_into_the_headings() -> None:
    table = read([["first quarter", "high $ 60.15", "low $ 41.30"], ["second quarter", "52.25", "39.95"]])
    assert table.header_rows == 0
    assert [header.label for header in table.columns] == ["", "high", "low"]
    assert [cell.quantity and cell.quantity.value for cell in table.body()] == [
        Decimal(text) for text in ("60.15", "41.30", "52.25", "39.95")
    ]


@pytest.mark.parametrize("heading", ["s&p 500", "december 312008", "average price paid per share2", "1-3 years"])
def test_heading_with_digits_is_not_a_fused_number(heading: str) -> None:
    assert read([["", heading], ["acme", "107"]]).header_rows == 1


def test_a_table_that_is_only_a_header_still_gives_its_numbers() -> None:
    grid = [
        [
            "separations",
            "liability at december 31 2005 $ 963",
            "2006 expense $ 496",
            "liability at december 31 2006 2014",
        ]
    ]
    table = read(grid)
    assert [cell.quantity.value for cell in table.body() if cell.quantity] == [963, 496]
    assert WarningKind.NO_ROWS in warnings(grid)


def test_several_header_rows_make_levels() -> None:
    table = read([["", "pension", "", "other"], ["", "2008", "2007", "2008"], ["cost", "1", "2", "3"]])
    assert table.header_rows == 2
    assert table.columns[2].levels == ("pension", "2007")
    assert table.columns[3].levels == ("other", "2008")
    assert table.columns[2].period == Period("year", 2007)


def test_a_row_of_captions_belongs_to_the_header() -> None:
    table = read([["2008", "2007"], ["( in thousands )", "( in thousands )"], ["$ 23596", "$ 63003"]])
    assert table.header_rows == 2
    assert table.scale_at(2, 1) is Scale.THOUSAND
    assert [cell.quantity and cell.quantity.value for cell in table.body()] == [23596, 63003]
    assert table.orientation == "columns"


@pytest.mark.parametrize(
    ("grid", "rows"),
    [
        ([["", "March 31,", ""], ["(In millions)", "2019", "2018"], ["rent", "5", "4"]], 2),
        ([["", "2019", "2018"], ["", "$ million", "$ million"], ["rent", "5", "4"]], 2),
        ([["", "2019", "2018"], ["Rent by country", "€m", "€m"], ["Chad", "5", "4"]], 2),
        ([["", "2019", "2018"], ["", "(in millions)", ""], ["rent", "5", "4"]], 2),
        ([["", "Year", ""], ["All figures in USD '000, except rates", "2019", "2018"], ["rent", "5", "4"]], 2),
        ([["(in millions)", "2019", "2018"], ["loans", "", ""], ["rent", "5", "4"]], 1),
        ([["", "2019", "2018"], ["rent (in millions)", "5", "4"], ["oil", "3", "4"]], 1),
    ],
)
def test_row_of_units_is_a_header(grid: Grid, rows: int) -> None:
    table = read(grid)
    assert table.header_rows == rows
    assert [column.period for column in table.columns[1:]] == [Period("year", 2019), Period("year", 2018)]
    if table.rows[2].label != "oil":
        assert (
            table.scale_at(2, 1) is table.scale_at(2, 2) is (Scale.THOUSAND if "'000" in str(grid) else Scale.MILLION)
        )


@pytest.mark.parametrize(
    "grid",
    [
        [["", "2019 €m", "2018 €m"], ["rent", "16", "17"], ["wages", "5", "4"]],
        [["Group", "", ""], ["", "2019 €m", "2018 €m"], ["rent", "16", "17"], ["wages", "5", "4"]],
        [["", "", "2019", "2018"], ["", "Notes", "€m", "€m"], ["rent", "3", "16", "17"], ["wages", "", "5", "4"]],
    ],
)
def test_years_with_units_are_headers(grid: Grid) -> None:
    table = read(grid)
    assert table.header_rows == len(grid) - 2
    place = len(grid) - 2, len(grid[0]) - 1
    assert (table.period_at(*place), table.scale_at(*place)) == (Period("year", 2018), Scale.MILLION)


def test_a_header_row_may_name_the_labels_below_it() -> None:
    table = read(
        [
            ["", "", "Payments due by period (in thousands)", ""],
            ["Contractual obligations", "Total", "Less than 1 year", "2-5 years"],
            ["Leases", "30", "10", "20"],
            ["Pensions", "7", "3", "4"],
        ]
    )
    assert [header.label for header in table.columns][1:] == ["Total", "Less than 1 year", "2-5 years"]
    assert table.scale_at(2, 3) is Scale.THOUSAND
    # A first line of words is not a header if every column has a heading, or if amounts follow it.
    assert read([["", "2019", "2018"], ["auditor", "Smith", "Jones"], ["fee", "5", "4"]]).header_rows == 1
    assert read([["", "due", ""], ["rent", "5", "4"], ["wages", "5", "4"]]).header_rows == 1


def test_a_scale_alone_over_one_column_is_that_column_s() -> None:
    table = read([["", "(in millions)"], ["rent", "5"]])
    assert (table.scale, table.columns[1].scale) == (None, Scale.MILLION)


def test_a_section_heads_the_rows_below_it() -> None:
    table = read(
        [["", "amount"], ["december 31 2007 ( in millions )", ""], ["debt", "5"], ["total debt", "5"], ["cash", "6"]]
    )
    debt, cash = table.rows[2], table.rows[4]
    assert debt.levels == ("december 31 2007", "debt")
    assert (debt.period, debt.scale) == (Period("date", 2007, month=12, day=31), Scale.MILLION)
    assert cash.levels[-1] == "cash"


def test_section_of_items_ends_with_its_total() -> None:
    table = read([["", "2008"], ["short-term debt:", ""], ["bank", "5"], ["total short-term debt", "5"], ["cash", "6"]])
    assert [row.levels for row in table.rows[2:]] == [
        ("short-term debt", "bank"),
        ("short-term debt", "total short-term debt"),
        ("cash",),
    ]


def test_a_year_over_the_rows_gives_them_their_quarters() -> None:
    table = read(
        [
            ["2008", "high", "low"],
            ["quarter ended march 31", "5", "4"],
            ["2007", "high", "low"],
            ["quarter ended march 31", "3", "2"],
        ]
    )
    assert table.rows[1].period == Period("quarter", 2008, quarter=1)
    assert table.rows[3].period == Period("quarter", 2007, quarter=1)


def test_a_quarter_with_a_year_dates_those_after_it() -> None:
    table = read([["2001 first quarter", "5", "4"], ["second quarter", "3", "2"]])
    assert table.rows[1].period == Period("quarter", 2001, quarter=2)


def test_a_year_with_a_footnote_among_years() -> None:
    table = read([["2007", "2.6"], ["20081", "2.8"], ["2009", "3.0"]])
    assert table.rows[1].label == "2008"
    assert table.rows[1].period == Period("year", 2008)
    assert read([["a", "x"], ["20081", "2.8"]]).rows[1].period is None


@pytest.mark.parametrize(
    ("rows", "dashes"),
    [
        ([["a", "2014", "5"], ["b", "$ 2014", "6"]], 2),
        ([["a", "2013", "2013"], ["b", "7", "6"]], 2),
        ([["shares", "1978", "2014"], ["b", "7", "6"]], 0),
        ([["maturity", "2014", "5"], ["b", "2031", "6"]], 0),
        ([["a", "2015", "5"], ["b", "7", "6"]], 0),
        ([["a", "$ 2014.5", "5"], ["b", "7", "6"]], 0),
    ],
)
def test_a_dash_printed_as_a_year(rows: Grid, dashes: int) -> None:
    table = read([["", "2016", "2015"], *rows])
    repaired = [cell for cell in table.body() if cell.repair]
    assert len(repaired) == dashes
    kinds = {cell.repair.kind for cell in repaired if cell.repair}
    assert kinds == ({RepairKind.DASH_AS_YEAR} if dashes else set())
    assert all(cell.quantities == () and cell.repair.detail in cell.text for cell in repaired if cell.repair)
    assert (WarningKind.REPAIRED in warnings([["", "2016", "2015"], *rows])) is bool(dashes)


def test_a_header_repeated_in_mid_table_holds_no_numbers() -> None:
    table = read(
        [["30 september", "2016", "2015"], ["debt", "5", "4"], ["30 september", "2016", "2015"], ["cash", "1", "2"]]
    )
    assert [cell.quantity and cell.quantity.value for cell in table.body()] == [5, 4, None, None, 1, 2]
    assert table.cells[2][1].repair == Repair(RepairKind.REPEATED_HEADER)


def test_a_row_per_share_is_not_in_millions() -> None:
    table = read([["( in millions , except per share )", "2008"], ["earnings per share", "2.72"], ["income", "770"]])
    assert table.scale_at(1, 1) is Scale.ONE
    assert table.scale_at(2, 1) is Scale.MILLION


def test_a_fused_heading_keeps_its_scale() -> None:
    table = read(
        [["x", "revenues ( in millions ) $ 652.3", "customers 648066"], ["y", "5.4", "7"]], Caption(Scale.MILLION)
    )
    assert [(header.label, header.scale) for header in table.columns[1:]] == [
        ("revenues", Scale.MILLION),
        ("customers", None),
    ]
    assert table.scale is None


def test_the_sentences_before_the_table_give_its_scale_where_the_corner_does_not() -> None:
    grid = [["", "2008"], ["income", "770"]]
    assert read(grid, Caption(Scale.THOUSAND, "USD")).scale is Scale.THOUSAND
    assert read(PLAIN, Caption(Scale.THOUSAND, "USD")).scale is Scale.MILLION


@pytest.mark.parametrize(
    ("grid", "kind"),
    [
        ([["", "2008", "2008"], ["a", "1", "2"]], WarningKind.SAME_COLUMNS),
        ([["", "2008"], ["a", "1"], ["a", "2"]], WarningKind.SAME_ROWS),
        ([["type", "", "2008"], ["a", "1", "2"]], WarningKind.NO_HEADING),
        ([["", "2008"], ["working capital2", "1"]], WarningKind.FUSED_FOOTNOTE),
        ([["", "kind"], ["a", "leased"]], WarningKind.NO_NUMBER),
    ],
)
def test_irregularities_are_reported(grid: Grid, kind: WarningKind) -> None:
    assert kind in warnings(grid)


@pytest.mark.parametrize("grid", [[[""]], [["", ""]], [["a"], ["b"]], [["1", "2"], ["3", "4"]], [["2014"]]])
def test_odd_grids_are_tables_too(grid: Grid) -> None:
    table = read(grid)
    assert (len(table.rows), len(table.columns)) == (len(grid), len(grid[0]))


@pytest.mark.parametrize(
    ("heading", "period"),
    [("payments due by period 2008", Period("year", 2008)), ("notes due 2008", None), ("2003 program", None)],
)
def test_year_in_a_name_is_not_a_period(heading: str, period: Period | None) -> None:
    table = read([["( in millions )", heading, "total"], ["leases", "3", "5"]])
    assert table.columns[1].period == period


def test_a_caption_over_the_middle_one_of_several_periods_is_of_all() -> None:
    table = read([["", "2015", "2014 ( in millions )", "2013"], ["expense", "$ 21.1", "$ 29.8", "$ 18.4"]])
    assert [table.scale_at(1, column) for column in (1, 2, 3)] == [Scale.MILLION] * 3
    apart = read([["", "change", "2014 ( in millions )"], ["expense", "21.1", "29.8"]])
    assert apart.scale_at(1, 1) is None


def test_a_column_counts_dollars_from_its_first_sign_to_its_total() -> None:
    leases = read([["2008", "$ 317"], ["2009", "275"], ["later years", "597"], ["total payments required", "$ 1830"]])
    assert [leases.unit_at(row, 1) for row in range(4)] == [None, "USD", "USD", None]
    results = read(
        [
            ["( in millions )", "2009"],
            ["net sales", "$ 120"],
            ["weighted average shares", "7"],
            ["costs", "80"],
            ["margin", "33%"],
            ["taxes", "9"],
            ["net income", "$ 31"],
            ["diluted shares", "5"],
        ]
    )
    assert [results.unit_at(row, 1) for row in range(1, 8)] == [None, None, None, None, None, None, None]
    plain = read([["", "2009"], ["net sales", "$ 120"], ["costs", "80"], ["rooms", "500"], ["price", "$ 31"]])
    assert plain.unit_at(2, 1) is None
    notes = read([["", "2009"], ["3% notes", "$ 750"], ["6.25% ( 6.25 % ) notes due 2017", "700"], ["total", "$ 1450"]])
    assert notes.unit_at(2, 1) == "USD"


def test_lease_term_is_not_a_heading() -> None:
    table = read([["", "2024", "2023"], ["Remaining term", "10.6 years", "7 years"], ["Rate", "3.5%", "3.0%"]])
    assert (table.header_rows, [header.label for header in table.columns[1:]]) == (1, ["2024", "2023"])
    assert [quantity.unit for quantity in table.cells[1][1].quantities] == ["years"]


def test_first_row_with_a_duration_is_not_a_header() -> None:
    assert read([["Remaining term", "8 years"], ["Rate", "3.7%"]]).header_rows == 0


def test_unit_with_a_footnote_mark_is_recognised() -> None:
    table = read([["", "2024", "2024"], ["", "US$ million(1)", "\u20ac million"], ["Sales", "14", "13"]])
    assert [header.unit for header in table.columns[1:]] == ["USD", "EUR"]


def test_line_of_large_numbers_below_percentages_is_not_a_percentage() -> None:
    table = read([["", "2024"], ["Percentage of sales:", ""], ["Costs", "12"], ["Floor space at year end", "1,053"]])
    assert [table.scale_at(row, 1) for row in (2, 3)] == [Scale.PERCENT, None]


def test_letter_spaced_years_are_headers() -> None:
    table = read([["", "2019", "2 0 1 8"], ["", "U.S. $ in thousands", ""], ["rent", "73,260", "57,768"]])
    assert (table.header_rows, table.scale) == (2, Scale.THOUSAND)
    assert [header.period for header in table.columns[1:]] == [Period("year", 2019), Period("year", 2018)]


def test_scale_of_a_heading_over_all_columns_applies_to_all() -> None:
    over = ["", "", "payments due by period (in millions)", ""]
    table = read(
        [over, ["obligations", "less than 1 year", "2-5 years", "total"], ["leases", "$ 773", "$ 55", "$ 828"]]
    )
    assert [table.scale_at(2, column) for column in (1, 2, 3)] == [Scale.MILLION] * 3


def test_comparison_in_dollars_has_the_scale_of_the_table() -> None:
    corner = ["(in millions)", "2019", "2018", "variance in dollars", "variance in percent"]
    table = read([corner, ["product", "$ 39,005", "$ 36,709", "$ 2,296", "6%"]])
    assert table.scale_at(1, 3) is Scale.MILLION


def test_column_of_dollars_is_not_in_percent() -> None:
    header = [["", "", "percent change", ""], ["(in millions)", "2019", "actual", "2018"]]
    sales = ["sales", "$ 18,410", "2%", "$ 18,030"], ["costs", "$ 8,410", "3%", "$ 8,030"]
    table = read([*header, *sales, ["margin", "66%", "", "67%"]])
    assert table.scale_at(2, 3) is Scale.MILLION


def test_heading_of_a_percentage_over_the_labels_is_not_the_scale_of_the_table() -> None:
    header = [["% change", "2018", "2017", "amount"], ["", "", "(dollars in thousands)", ""]]
    table = read([*header, ["interest income", "$ 1,310", "$ 510", "$ 800"]])
    assert [table.scale_at(2, column) for column in (1, 2, 3)] == [Scale.THOUSAND] * 3


@pytest.mark.parametrize(("heading", "numbers"), [("Notes", 0), ("Note ref.", 0), ("Notes payable", 1)])
def test_numbers_of_notes_are_not_amounts(heading: str, numbers: int) -> None:
    table = read([["", heading, "2025", "2024"], ["revenue", "2", "412", "367"], ["costs", "3, 4(a)", "(12)", "(13)"]])
    assert sum(bool(row[1].quantities) for row in table.cells[1:]) == numbers


@pytest.mark.parametrize(
    ("unit", "scale", "read_unit"),
    [("%", Scale.PERCENT, None), ("£", None, "GBP"), ("Shares", None, "shares"), ("Years", Scale.ONE, "years")],
)
def test_unit_beside_a_year_is_that_of_the_column(unit: str, scale: Scale | None, read_unit: str | None) -> None:
    table = read([["", f"2025 {unit}", f"2024 {unit}"], ["growth", "3.1", "3.0"], ["discount", "5.5", "4.8"]])
    assert table.header_rows == 1
    assert [column.period for column in table.columns[1:]] == [Period("year", 2025), Period("year", 2024)]
    assert (table.columns[1].scale, table.columns[1].unit) == (scale, read_unit)


def test_units_below_six_lines_of_headings_are_read() -> None:
    heads = [("Six months", "Year"), ("ended", "ended"), ("30 June", "31 May"), ("2025", "2024"), ("(unaudited)", "")]
    table = read([*(["", *head] for head in heads), ["", "£000", "£000"], ["revenue", "797", "753"]])
    assert (table.header_rows, table.scale_at(6, 1)) == (6, Scale.THOUSAND)


def test_headings_repeated_below_another_date_are_not_numbers() -> None:
    heads = ["Less than 1 year £m", "Between 1 and 2 years £m"]
    table = read([["At 31 March 2025", *heads], ["debt", "3", "2"], ["At 31 March 2024", *heads], ["debt", "4", "5"]])
    assert not any(cell.quantities for cell in table.cells[2][1:])
    assert table.period_at(3, 1) == Period("date", 2024, month=3, day=31)


def test_caption_over_amounts_and_percentages_is_about_the_amounts() -> None:
    caption = "(dollars in thousands)"
    table = read([["", "Amount", "Percent"], ["", caption, caption], ["demand", "612", "21.1"], ["other", "904", "4"]])
    assert [(table.scale_at(2, n), table.unit_at(2, n)) for n in (1, 2)] == [
        (Scale.THOUSAND, "USD"),
        (Scale.PERCENT, None),
    ]


@pytest.mark.parametrize(
    ("headings", "year"),
    [
        (["", "2024 compared to 2023"], 2024),
        (["2024 compared to", "2023"], 2024),
        (["Loans by origination year", "2023"], None),
    ],
)
def test_year_compared_with_is_not_the_period(headings: list[str], year: int | None) -> None:
    table = read([*[["", heading, "Total"] for heading in headings], ["loans", "5", "7"], ["leases", "3", "4"]])
    assert table.columns[1].period == (Period("year", year) if year else None)


def test_change_of_rates_is_a_label() -> None:
    table = read([["rates (bps)", "change"], ["+200", "4,118"], ["-100", "(2,880)"]])
    assert [row.label for row in table.rows[1:]] == ["+200", "-100"]


def test_amount_among_ratios_has_the_scale_of_the_table() -> None:
    table = read(
        [["(in millions)", "2024"], ["NPA ratios", ""], ["gross NPAs", "31,011.6"], ["gross NPAs (ratio)", "1.2"]]
    )
    assert [table.scale_at(row, 1) for row in (2, 3)] == [Scale.MILLION, Scale.ONE]


def test_number_of_a_note_does_not_hide_the_heading_of_a_section() -> None:
    table = read([["", "Note", "2025"], ["sales", "3", "412"], ["Earnings per share", "9", ""], ["basic", "", "1.2"]])
    assert (table.rows[3].levels, table.scale_at(3, 2)) == (("Earnings per share", "basic"), Scale.ONE)


@pytest.mark.parametrize("label", ["Earnings per share", ""])
def test_row_of_units_is_about_the_rows_below_it(label: str) -> None:
    table = read([["", "2025", "2024"], ["sales", "412", "367"], [label, "pence", "pence"], ["basic", "41", "45"]])
    assert (table.scale_at(3, 1), table.unit_at(3, 1)) == (Scale.ONE, "pence")


def test_numbers_of_lines_are_not_their_labels() -> None:
    rows = [["5", "Earnings per share", ""], ["", "(a) basic", "2.47"], ["6", "Share capital", "104.1"]]
    table = read([["Sr. No.", "Particulars (in lakhs)", "2024"], ["1", "Revenue", "9,118.20"], *rows])
    assert [row.levels for row in table.rows[1:]] == [
        ("Revenue",),
        ("Earnings per share",),
        ("Earnings per share", "(a) basic"),
        ("Share capital",),
    ]
    assert table.rows[4].scale is None


def test_row_of_dashes_heads_no_section() -> None:
    table = read([["", "2025", "2024"], ["fixed", "91%", "90%"], ["variable", "—%", "—%"], ["total", "91", "90"]])
    assert table.rows[3].levels == ("total",)


@pytest.mark.parametrize(
    ("numbers", "kept"), [(("2", "5, 12", "7(a)"), 0), (("7", "2", "5"), 3), (("2", "", "71.5"), 2)]
)
def test_ascending_numbers_without_a_heading_are_those_of_notes(numbers: tuple[str, ...], kept: int) -> None:
    table = read([["", "", "2025", "2024"], *[[f"line {n}", number, "412", "367"] for n, number in enumerate(numbers)]])
    assert sum(bool(row[1].quantities) for row in table.cells[1:]) == kept


def test_cents_of_a_heading_apply_below_a_second_heading() -> None:
    rows = [["Earnings per share (pence)", ""], ["Continuing operations", ""], ["basic", "41.2"]]
    table = read([["", "2025 £m"], ["sales", "412"], *rows])
    assert (table.scale_at(4, 1), table.unit_at(4, 1)) == (Scale.ONE, "pence")
