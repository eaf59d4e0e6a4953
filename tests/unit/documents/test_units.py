"""Tables of filings: scales and units from captions, labels and printed signs."""

import pytest

from quaestor.core.quantity import Scale
from quaestor.documents.assembly import HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.document import Document
from quaestor.documents.table import Table
from quaestor.documents.unit_columns import read_unit_cell


def table(*parts: HeadingPart | ParagraphPart | TablePart) -> Table:
    return assemble("quill", parts, filing=True).tables[-1]


STATEMENT = [
    ["", "2024", "2023"],
    ["Net sales", "$1,200", "$1,100"],
    ["Net income", "50", "40"],
    ["Earnings per share:", "", ""],
    ["Basic", "$1.25", "$1.10"],
    ["Weighted-average shares outstanding:", "", ""],
    ["Basic", "40,000", "41,000"],
    ["Common stock, $0.01 par value; 90 and 80 shares issued", "4", "4"],
]


def test_shares_prices_and_money_of_one_statement() -> None:
    found = table(TablePart(STATEMENT, "(In millions, except number of shares in thousands)", header_rows=1))
    assert (found.scale_at(2, 1), found.unit_at(2, 1)) == (Scale.MILLION, "USD")
    assert (found.scale_at(4, 1), found.unit_at(4, 1)) == (Scale.ONE, "USD")
    assert (found.scale_at(6, 1), found.unit_at(6, 1)) == (Scale.THOUSAND, "shares")
    shares = [q for q in found.cells[7][0].quantities if q.unit == "shares"]
    assert [(int(q.value), q.scale) for q in shares] == [(90, Scale.THOUSAND), (80, Scale.THOUSAND)]


@pytest.mark.parametrize(
    "label",
    [
        "Dividends (per share: $1.94, $1.84 and $1.76 in 2024, 2023 and 2022, respectively)",
        "Cash dividends of $1.94, $1.84 and $1.76 per share",
        "Ordinary shares of $1.94 each",
    ],
)
def test_prices_listed_in_a_label_are_not_scaled(label: str) -> None:
    grid = [["", "2024", "2023", "2022"], ["Net income", "10,631", "10,714", "9,542"], [label, "(90)", "(80)", "(70)"]]
    found = table(TablePart(grid, "(In millions)", header_rows=1))
    assert {quantity.scale for quantity in found.cells[2][0].quantities if quantity.unit == "USD"} == {Scale.ONE}


def test_amounts_listed_in_a_label_are_in_the_scale_of_the_table() -> None:
    grid = [
        ["", "2024", "2023"],
        ["Cash", "10,631", "10,714"],
        ["Receivables, less allowances of $506 and $502", "9", "8"],
    ]
    found = table(TablePart(grid, "(In millions)", header_rows=1))
    assert {quantity.scale for quantity in found.cells[2][0].quantities} == {Scale.MILLION}


def test_columns_that_count_shares_and_prices() -> None:
    grid = [
        ["", "Number of shares", "Weighted-average exercise price"],
        ["Outstanding at January 1, 2024", "5,000", "$12.50"],
        ["Options granted", "100", "14.00"],
    ]
    found = table(TablePart(grid, "(in thousands, except per share data)", header_rows=1))
    assert (found.scale_at(2, 1), found.unit_at(2, 1)) == (Scale.THOUSAND, "shares")
    assert (found.scale_at(2, 2), found.unit_at(2, 2)) == (Scale.ONE, "USD")


def test_a_column_of_percentages_prints_its_sign_first_and_last() -> None:
    grid = [["", "2024"], ["Federal rate", "21.0%"], ["State taxes", "1.5"], ["Effective rate", "22.5%"]]
    assert table(TablePart(grid, header_rows=1)).scale_at(2, 1) is Scale.PERCENT


def test_global_caption_applies_to_tables_and_text() -> None:
    standing = "(Dollars in millions, except per share amounts)"
    document = assemble(
        "quill",
        [
            ParagraphPart(("It paid $657 for rent, $2.50 per share and $3 billion in all.",), section_caption=standing),
            TablePart([["", "2024"], ["Rent", "$5"]], header_rows=1, section_caption=standing),
        ],
        filing=True,
    )
    amounts = [(m.quantity.value, m.quantity.scale) for m in document.sentences[0].mentions]
    assert [scale for _, scale in amounts] == [Scale.MILLION, Scale.ONE, Scale.BILLION]
    assert document.tables[0].scale_at(1, 1) is Scale.MILLION


def test_dash_is_not_a_year_in_a_filing() -> None:
    found = table(TablePart([["", "Founded"], ["Quill", "2014"]], header_rows=1))
    assert found.cells[1][1].repair is None


def test_heading_of_prices_applies_to_several_rows() -> None:
    grid = [
        ["", "Underlying", "Weighted average"],
        ["", "shares", "exercise"],
        ["", "", "price"],
        ["Options outstanding, beginning of period", "15,830", "$112.15"],
    ]
    found = table(TablePart(grid, "(In thousands)", header_rows=3))
    assert found.scale_at(3, 2) is Scale.ONE


def test_counts_are_not_in_thousands_of_dollars() -> None:
    grid = [["", "2024"], ["Premiums", "$1,200"], ["Policies in force", "138,313"]]
    found = table(TablePart(grid, "(Dollar amounts in thousands)", header_rows=1))
    assert [found.scale_at(row, 1) for row in (1, 2)] == [Scale.THOUSAND, Scale.ONE]


def test_performance_of_a_hundred_dollars_is_not_in_millions() -> None:
    income = TablePart([["", "2023", "2024"], ["Net sales", "$1,100", "$1,200"]], "(In millions)", header_rows=1)
    grid = [["", "2023", "2024"], ["Quill", "$100", "$107"], ["Index", "100", "113"]]
    assert table(income, TablePart(grid, header_rows=1)).scale_at(2, 2) in (Scale.ONE, None)
    assert table(income, TablePart([*grid[:2], ["Index", "90", "113"]], header_rows=1)).scale_at(2, 2) is Scale.MILLION


def document_with(words: str, sign: str) -> Document:
    return assemble(
        "report.md",
        [
            HeadingPart("Results"),
            ParagraphPart((words,)),
            TablePart([[f"({sign} millions)", "2023", "2022"], ["Revenue", f"{sign}1,204.5", f"{sign}1,100.2"]]),
            ParagraphPart((f"The group spent {sign}45 million at home and US$12 million abroad.",)),
        ],
        filing=True,
    )


def units_read(document: Document) -> list[str | None]:
    (table,) = document.tables
    assert isinstance(table, Table)
    mentions = [mention for sentence in document.sentences for mention in sentence.mentions]
    return [table.cells[1][1].quantities[0].unit, table.unit_at(1, 1), *(m.quantity.unit for m in mentions)]


@pytest.mark.parametrize(
    ("words", "sign", "currency"),
    [
        ("All dollar amounts are in Canadian dollars unless otherwise stated.", "$", "CAD"),
        ("The financial statements are presented in Australian dollars.", "$", "AUD"),
        ("Amounts are expressed in thousands of Hong Kong dollars.", "$", "HKD"),
        ("All amounts are in RMB unless otherwise noted.", "¥", "CNY"),
        ("All amounts are in millions of U.S. dollars unless otherwise noted.", "$", "USD"),
        ("The company sells widgets in Canada.", "$", "USD"),
        ("The company sells widgets in Japan.", "¥", "JPY"),
    ],
)
def test_document_determines_the_currency_of_a_sign(words: str, sign: str, currency: str) -> None:
    assert units_read(document_with(words, sign)) == [currency, currency, currency, "USD"]


@pytest.mark.parametrize(
    ("text", "scale", "unit"),
    [
        ("EUR m", Scale.MILLION, "EUR"),
        ("TEUR", Scale.THOUSAND, "EUR"),
        ("SEK million", Scale.MILLION, "SEK"),
        ("EUR", None, "EUR"),
        ("iso4217:USD", None, "USD"),
        ("USD/shares", Scale.ONE, "USD"),
        ("EUR per tonne", Scale.ONE, "EUR"),
        ("%", Scale.PERCENT, None),
        ("bps", Scale.ONE, "basis points"),
        ("number", Scale.ONE, None),
        ("shares", Scale.ONE, "shares"),
        ("MWh", Scale.ONE, "MWh"),
        ("kt CO2e", Scale.ONE, "kt CO2e"),
        ("'000 tonnes", Scale.THOUSAND, "tonnes"),
        ("million litres", Scale.MILLION, "litres"),
        ("million", Scale.MILLION, None),
        ("\u2014", None, None),
    ],
)
def test_a_cell_of_a_column_of_units_has_scale_and_unit(text: str, scale: Scale | None, unit: str | None) -> None:
    caption = read_unit_cell(text)
    assert (caption.scale, caption.unit) == (scale, unit)


@pytest.mark.parametrize("heading", ["Unit", "Units", "UoM", "Unit of measure", "Einheit", "Unit\u00e9", "Currency"])
@pytest.mark.parametrize("last", [False, True])
def test_a_column_of_units_may_be_first_or_last(heading: str, last: bool) -> None:
    lines = [
        ("Indicator", heading, "2023", "2022"),
        ("Revenue", "EUR m", "1250.4", "1180.0"),
        ("Energy use", "MWh", "48200", "50100"),
        ("Women in management", "%", "31.5", "29.8"),
    ]
    grid = [[a, c, d, b] if last else [a, b, c, d] for a, b, c, d in lines]
    (table,) = assemble("report.csv", [TablePart(grid)], filing=True).tables
    column = 1 if last else 2
    assert [(table.scale_at(row, column), table.unit_at(row, column)) for row in (1, 2, 3)] == [
        (Scale.MILLION, "EUR"),
        (Scale.ONE, "MWh"),
        (Scale.PERCENT, None),
    ]


def test_column_of_numbers_named_units_is_not_a_unit_column() -> None:
    grid = [["Product", "Units", "Price"], ["Pumps", "40", "$ 5"], ["Valves", "60", "$ 7"]]
    (table,) = assemble("report.csv", [TablePart(grid)], filing=True).tables
    assert table.rows[1].unit is None


RATIOS = [
    ["(dollars in thousands)", "Amount", "Ratio"],
    ["Core capital", "$1,012,440", "11.84%"],
    ["Total capital", "1,180,220", "13.80"],
]


def test_a_column_of_ratios_that_prints_the_sign_once_holds_percentages() -> None:
    assert table(TablePart(RATIOS)).scale_at(2, 2) is Scale.PERCENT


def test_a_line_of_ratios_between_percentages_is_one() -> None:
    grid = [
        ["", "2025", "2024"],
        ["Loss ratio", "61.4%", "66.0%"],
        ["Expense ratio", "28.9", "29.3"],
        ["Combined ratio", "90.3%", "95.3%"],
        ["Premiums (in millions)", "$41.2", "$38.8"],
    ]
    found = table(TablePart(grid))
    assert [found.scale_at(row, 1) for row in (2, 4)] == [Scale.PERCENT, Scale.MILLION]


def test_lines_below_100_percent_are_percentages_up_to_the_last_sign() -> None:
    grid = [
        ["", "2024", "2023", "Change"],
        ["Net sales", "100.0%", "100.0%", "19.0%"],
        ["Gross profit", "29.9", "29.7", "19.9"],
        ["Net earnings", "5.6%", "6.0%", "11.3%"],
        ["Average sale", "$48.65", "$47.87", "1.6"],
        ["Orders", "99.5", "80.1", "2.0"],
    ]
    found = table(TablePart(grid))
    assert [found.scale_at(row, 1) for row in (2, 4, 5)] == [Scale.PERCENT, None, None]


def test_the_amounts_of_money_of_a_document_do_not_count_floor_space() -> None:
    floors = [["Use", "Leased square feet", "Owned square feet"], ["Shops", "31,028", "9,160"], ["Offices", "120", "7"]]
    found = assemble(
        "quill",
        [
            ParagraphPart(("All amounts are presented in millions of dollars unless otherwise stated.",)),
            ParagraphPart(("We used the following space (in thousands):",)),
            TablePart(floors, header_rows=1),
            ParagraphPart(("(1) Without what is sublet.",)),
            TablePart([["Segment", *floors[0][1:]], *floors[1:]], header_rows=1),
        ],
        filing=True,
    )
    assert [(one.scale_at(1, 1), one.unit_at(1, 1)) for one in found.tables] == [(Scale.THOUSAND, None)] * 2


def test_heading_of_lines_gives_their_unit() -> None:
    grid = [
        ["", "1998", "1997"],
        ["Residential", "$412,330", "$398,117"],
        ["Sales (millions of kWh):", "", ""],
        ["Residential", "5,011", "4,902"],
        ["Customers at year end:", "", ""],
        ["Residential", "498,210", "489,004"],
        ["Average revenue per kWh (cents):", "", ""],
        ["Residential", "8.23", "8.12"],
        ["Gold sold (ounces)", "214,330", "201,008"],
        ["Average realized price (US$/oz)", "1,244", "1,310"],
    ]
    found = table(TablePart(grid, "(Thousands of dollars)", header_rows=1))
    assert [(found.scale_at(row, 1), found.unit_at(row, 1)) for row in (1, 3, 5, 7, 8, 9)] == [
        (Scale.THOUSAND, "USD"),
        (Scale.MILLION, "kWh"),
        (Scale.ONE, "customers"),
        (Scale.ONE, "cents"),
        (Scale.ONE, "ounces"),
        (Scale.ONE, "USD"),
    ]


def test_a_column_of_counts_is_not_in_the_scale_of_money() -> None:
    grid = [["Year", "Number of leases", "Rent"], ["1999", "14", "$2,911"], ["2000", "22", "4,870"]]
    found = table(TablePart(grid, "(dollars in thousands)", header_rows=1))
    assert [found.scale_at(1, column) for column in (1, 2)] == [Scale.ONE, Scale.THOUSAND]


def read_as(found: Table, row: int, column: int) -> tuple[str, str | None]:
    return (found.scale_at(row, column) or Scale.ONE).value, found.unit_at(row, column)


@pytest.mark.parametrize(
    "label", ["Headline earnings (cents)", "Free cash flow (€m)", "Assets (£bn)", "Oil (in millions)"]
)
def test_a_column_of_changes_in_percent_goes_before_the_unit_of_the_row(label: str) -> None:
    found = table(TablePart([["", "2025", "2024", "% change"], [label, "431.0", "421.7", "2.2"]]))
    assert read_as(found, 1, 3) == ("percent", None)


@pytest.mark.parametrize("label", ["Earnings per share", ""])
def test_a_line_of_units_inside_a_table_applies_to_the_lines_below(label: str) -> None:
    grid = [
        ["", "2025 £m", "2024 £m"],
        ["Profit", "412.3", "367.1"],
        [label, "pence", "pence"],
        ["Basic", "41.2", "45.0"],
        ["Underlying", "43.2", "44.0"],
        ["Assets", "", ""],
        ["Cash", "10.1", "9.1"],
    ]
    found = table(TablePart(grid))
    assert [read_as(found, row, 1) for row in (3, 4, 6)] == [("one", "pence"), ("one", "pence"), ("million", "GBP")]


@pytest.mark.parametrize(
    ("heading", "label", "unit"),
    [
        ("2025 £m", "Dividend (p)", ("one", "pence")),
        ("2025 £'000", "Net asset value per share \u2013 p", ("one", "pence")),
        ("2025 R'000", "Headline EPS (c)", ("one", "cents")),
        ("2025 $'000", "Dividends per share (c)", ("one", "USD")),
        ("2025 £'000", "Weighted average number of shares (m)", ("million", "shares")),
        ("2025 $'000", "Ordinary shares \u2013 fully paid", ("thousand", "USD")),
        ("2025 $'000", "Weighted average ordinary shares", ("thousand", "shares")),
    ],
)
def test_letters_for_units_and_lines_of_share_capital(heading: str, label: str, unit: tuple[str, str]) -> None:
    found = table(TablePart([["", heading], ["Revenue", "4,110"], [label, "210"]], header_rows=1))
    assert read_as(found, 2, 1) == unit


def test_a_scale_beside_numbers_of_items_and_prices_is_that_of_its_column() -> None:
    grid = [["Details", "Shares", "Issue price", "No.", "$'000"], ["Placement", "6,300,880", "$2.10", "12", "13,232"]]
    found = table(TablePart(grid))
    assert [read_as(found, 1, place) for place in range(1, 5)] == [
        ("one", "shares"),
        ("one", "USD"),
        ("one", "number"),
        ("thousand", "USD"),
    ]


@pytest.mark.parametrize(("heading", "scale"), [(["", "2025 $", "2024 $"], "one"), (["", "2025", "2024"], "thousand")])
def test_a_currency_without_scale_is_an_exception_to_the_rounding_of_a_report(heading: list[str], scale: str) -> None:
    rule = ParagraphPart(("Amounts are rounded to the nearest thousand dollars, unless otherwise stated.",))
    revenue = TablePart([["", "2025 $'000", "2024 $'000"], ["Revenue", "410,220", "390,110"]])
    pay = TablePart([heading, ["Salaries", "2,104,330", "1,990,220"]])
    found = table(rule, revenue, ParagraphPart(("Managers were paid.", "They are few.")), pay)
    assert read_as(found, 1, 1) == (scale, "USD")


@pytest.mark.parametrize("later", [True, False])
def test_dollars_are_those_that_the_report_names(later: bool) -> None:
    texts = [
        "The statements are presented in Australian dollars.",
        "Amounts are rounded to the nearest thousand dollars.",
    ]
    parts = [ParagraphPart((text,)) for text in (texts if later else reversed(texts))]
    found = table(*parts, TablePart([["", "2025", "2024"], ["Revenue", "410,220", "390,110"]]))
    assert read_as(found, 1, 1) == ("thousand", "AUD")


def test_a_sign_is_the_dollar_of_its_table() -> None:
    found = table(TablePart([["NZ$ million", "2025", "2024", "Change $"], ["Revenue", "990", "880", "110"]]))
    assert read_as(found, 1, 3) == ("million", "NZD")


@pytest.mark.parametrize(
    "text", ["A fully franked dividend was declared.", "Currency AUD", "Dollar amounts are Australian dollars."]
)
def test_a_report_without_us_dollars_is_in_the_dollars_of_its_country(text: str) -> None:
    grid = [["$m", "2025", "2024"], ["Revenue", "410", "390"]]
    assert read_as(table(ParagraphPart((text,)), TablePart(grid)), 1, 1) == ("million", "AUD")
    assert read_as(table(ParagraphPart((text, "We borrowed US$4m.")), TablePart(grid)), 1, 1)[0] == "million"


def test_a_column_of_units_needs_no_heading() -> None:
    grid = [["", "", "2025"], ["Revenue", "Rm", "41,022"], ["Margin", "%", "12.1"], ["Earnings", "cents", "412.1"]]
    grid += [["Output", "boepd", "58,420"], ["Gearing", "times", "1.3"]]
    found = table(TablePart(grid, header_rows=1))
    assert [read_as(found, row, 2) for row in (1, 2, 3)] == [("million", "ZAR"), ("percent", None), ("one", "cents")]
    assert [read_as(found, row, 2) for row in (4, 5)] == [("one", "boepd"), ("one", "times")]


def test_a_column_of_units_may_count_thousands() -> None:
    grid = [["", "UoM", "2025"], ["Volume", "'000 MT", "168"], ["Output", "1,000 t", "20"], ["Price", "₹/t", "1,771"]]
    found = table(TablePart(grid, header_rows=1))
    assert [read_as(found, row, 2) for row in (1, 2, 3)] == [("thousand", "MT"), ("thousand", "t"), ("one", "INR")]


def test_a_column_is_not_one_of_percentages_because_of_its_first_and_last_number() -> None:
    grid = [["", "2025"], ["Return on sales", "12.1%"], ["Number of stores", "412"], ["Tax rate", "21.0%"]]
    assert read_as(table(TablePart(grid)), 2, 1) == ("one", "stores")


@pytest.mark.parametrize(
    ("label", "numbers", "kind"),
    [
        ("Net interest income (FTE)", "36,702", ("thousand", "USD")),
        ("Return on average assets", "1.04", ("one", None)),
        ("Return on plan assets", "61.2", ("thousand", "USD")),
        ("Loans to customers", "61.2", ("thousand", "USD")),
        ("Occupancy", "61.2", ("thousand", "USD")),
        ("Impact of the effective tax rate", "61.2", ("thousand", "USD")),
        ("Loss ratio", "61.2", ("one", None)),
        ("Net interest margin (FTE)", "3.41", ("one", None)),
        ("Earnings/share, EUR", "3.41", ("one", "EUR")),
        ("EBIT per kg (NOK)", "19.00", ("one", "NOK")),
        ("Noodles sold (thousand cases)", "1,204", ("thousand", "cases")),
        ("Sales area '000 sq. ft.", "1,204", ("thousand", "sq. ft.")),
        ("Off-hire days", "187", ("one", None)),
        ("Closed stores", "7", ("one", None)),
        ("Users (NOK per month)", "345", ("one", "NOK")),
        ("Effective tax rate", "21.4", ("one", None)),
        ("Income tax at the federal statutory rate", "21.4", ("thousand", "USD")),
        ("Gross margin", "412.3", ("thousand", "USD")),
        ("Net debt to EBITDA (x)", "1.9", ("one", None)),
        ("Oil (MBbls)", "1,204", ("one", "MBbls")),
        ("Full-time equivalent employees", "612", ("one", None)),
        ("Customers, net of allowance", "188,220", ("thousand", "USD")),
        ("Securities held to maturity", "12,110", ("thousand", "USD")),
        ("Staff costs", "12,110", ("thousand", "USD")),
        ("Unit sales (Thousand units)", "1,204", ("thousand", "units")),
        ("Sales volume (million tonnes)", "14.1", ("million", "tonnes")),
        ("Exchange rate (JPY/USD)", "141.0", ("one", "JPY")),
        ("Average price (EUR/MWh)", "14.1", ("one", "EUR")),
        ("Weighted average diluted shares", "16,392,118", ("one", "shares")),
        ("Weighted average diluted shares", "16,392", ("thousand", "shares")),
    ],
)
def test_ratios_counts_and_money_of_a_table_in_thousands(
    label: str, numbers: str, kind: tuple[str, str | None]
) -> None:
    caption = "(Dollars in thousands, except per share data)"
    found = table(TablePart([["", "2025"], ["Revenue", "36,702"], [label, numbers]], caption, header_rows=1))
    assert read_as(found, 2, 1) == kind


def test_lines_below_a_number_of_shares_are_money_again() -> None:
    grid = [["", "2025"], ["Revenue", "36,702"], ["Average shares outstanding", "16,392"], ["Goodwill", "70,118"]]
    assert read_as(table(TablePart(grid, "($ in thousands)", header_rows=1)), 3, 1) == ("thousand", "USD")


def test_columns_of_earnings_shares_and_amounts_per_share() -> None:
    grid = [
        ["", "Net Income", "Weighted Average Shares", "Per Share"],
        ["Basic earnings per share", "$46,332", "16,302", "$2.84"],
    ]
    found = table(TablePart(grid, "(in thousands, except per share data)"))
    assert [read_as(found, 1, place)[0] for place in (1, 2, 3)] == ["thousand", "thousand", "one"]
    grid[1] = ["Weighted average fair value per share of options", "", "$2.84", ""]
    assert read_as(table(TablePart(grid, "(in thousands)")), 1, 2)[0] == "one"


def test_lines_below_a_heading_of_percentages_are_percentages() -> None:
    grid = [["", "2025"], ["Revenue", "36,702"], ["As a percentage of revenue:", ""], ["Cost of revenue", "61.2"]]
    assert read_as(table(TablePart(grid, "($ in thousands)", header_rows=1)), 3, 1)[0] == "percent"


def test_treasury_shares_beside_retained_earnings_are_money() -> None:
    grid = [["", "2025"], ["Treasury shares", "(45)"], ["Retained earnings", "1,204"]]
    assert read_as(table(TablePart(grid, "(€ million)", header_rows=1)), 1, 1) == ("million", "EUR")


def test_a_heading_with_the_number_of_a_note_applies_to_the_lines_below() -> None:
    grid = [["", "Note", "2025"], ["Revenue", "3", "4,118"], ["Earnings per share", "8", ""], ["Basic", "", "0.11"]]
    assert read_as(table(TablePart(grid, "(HK$'000)", header_rows=1)), 3, 2) == ("one", "HKD")


def test_a_caption_may_have_a_scale_for_each_currency() -> None:
    grid = [["", "2025", "2025"], ["", "KRW", "USD"], ["Revenue", "4,118", "3,204"]]
    found = table(TablePart(grid, "(In millions of Korean won, in thousands of U.S. dollars)"))
    assert [read_as(found, 2, place) for place in (1, 2)] == [("million", "KRW"), ("thousand", "USD")]


@pytest.mark.parametrize(
    "heads", [[["", "2025", "2024"], ["", "EUR", "TEUR"]], [["", "31.12.2025 €", "31.12.2024 € thousand"]]]
)
def test_a_currency_alone_beside_one_with_a_scale_counts_ones(heads: list[list[str]]) -> None:
    found = table(TablePart([*heads, ["Gross profit", "12,345,678", "11,234"]], header_rows=len(heads)))
    assert [read_as(found, len(heads), place) for place in (1, 2)] == [("one", "EUR"), ("thousand", "EUR")]


def test_a_caption_before_the_title_of_a_statement_applies_to_its_table() -> None:
    caption = ParagraphPart(("(Expressed in thousands of Canadian dollars, except share data)",))
    grid = TablePart([["", "2025"], ["Revenue", "$ 4,118"]])
    assert read_as(table(HeadingPart("Quill"), caption, HeadingPart("Income"), grid), 1, 1) == ("thousand", "CAD")
    assert (
        read_as(table(caption, grid, HeadingPart("Other"), TablePart([["", "2025"], ["Rent", "$ 7"]])), 1, 1)[0]
        == "one"
    )


def test_the_default_of_a_report_does_not_apply_to_exchange_rates() -> None:
    default = ParagraphPart(("Amounts are in millions of euros unless otherwise stated.",))
    revenue = TablePart([["", "2025", "2024"], ["Revenue", "36,702", "35,110"]])
    rates = TablePart([["", "2025", "2024"], ["JPY", "156.33", "150.10"]])
    found = table(default, revenue, ParagraphPart(("These exchange rates were used:",)), rates)
    assert read_as(found, 1, 1)[0] == "one"


def test_lines_of_awards_below_a_number_of_shares_are_shares() -> None:
    grid = [["", "2025"], ["Average shares outstanding", "16,392"], ["Restricted stock", "118"]]
    grid.append(["Less: participating securities", "(3)"])
    found = table(TablePart(grid, "($ in thousands)", header_rows=1))
    assert [read_as(found, row, 1) for row in (2, 3)] == [("thousand", "shares")] * 2


def test_dollars_of_the_us_that_a_caption_names_are_not_those_of_the_report() -> None:
    default = ParagraphPart(("The statements are presented in Canadian dollars.",))
    pay = TablePart([["", "2025"], ["Revenue", "$ 410"]], "(in thousands of US dollars)")
    found = table(default, pay)
    assert [q.unit for q in found.cells[1][1].quantities] == ["USD"]


def test_a_ratio_in_a_column_of_percentages_is_one() -> None:
    grid = [["", "Rate"], ["Loans", "5.20%"], ["Net interest spread", "2.71"], ["Deposits", "3.40%"]]
    assert read_as(table(TablePart(grid, "(in thousands)")), 2, 1)[0] == "percent"


def test_dollars_of_the_us_in_a_heading_are_not_those_of_the_table() -> None:
    title = ParagraphPart(("The effects are as follows (HK$ million):",))
    grid = [["", "2025", "2025"], ["", "HK$m", "US$m"], ["Effect", "1,204", "330"], ["Sum", "1,204", "330"]]
    found = table(title, TablePart(grid))
    assert [found.unit_at(2, place) for place in (1, 2)] == ["HKD", "USD"]


def test_prices_beside_amounts_are_in_their_currency() -> None:
    grid = [["", "€ per share", "€ million"], ["Final dividend", "0.80", "96"]]
    found = table(TablePart(grid))
    assert [read_as(found, 1, place) for place in (1, 2)] == [("one", "EUR"), ("million", "EUR")]


@pytest.mark.parametrize(("number", "scale"), [("251,330", Scale.ONE), ("1,733", Scale.MILLION)])
def test_shares_in_a_label_are_not_more_than_a_company_has(number: str, scale: Scale) -> None:
    grid = [["", "2025"], ["Cash", "(2,204)"], [f"Treasury stock, at cost: {number} shares", "(2,204)"]]
    found = table(TablePart(grid, "(Millions of yen)", header_rows=1))
    assert [q.scale for q in found.cells[2][0].quantities] == [scale]


def _numbers(grid: list[list[str]], caption: str = "(In millions)", rows: int = 1) -> Table:
    return table(TablePart([["", "2024", "2023"]] * rows + grid, caption, header_rows=rows))


@pytest.mark.parametrize("printed", ["6.0 years", "6.0"])
def test_years_below_a_heading_of_terms_are_not_in_the_scale_of_money(printed: str) -> None:
    found = _numbers(
        [
            ["Total lease liabilities", "$956", "$909"],
            ["Weighted average remaining lease term:", "", ""],
            ["Operating leases", printed, printed],
            ["Other:", "", ""],
            ["Lease cost", "255", "243"],
        ]
    )
    assert (found.scale_at(3, 1), found.scale_at(5, 1)) == (Scale.ONE, Scale.MILLION)


def test_bare_numbers_of_a_section_of_percentages_are_percentages() -> None:
    found = _numbers(
        [
            ["Net sales:", "", ""],
            ["Home", "$1,200", "$1,100"],
            ["Abroad", "140", "130"],
            ["Percentage growth:", "", ""],
            ["Home", "9%", "8%"],
            ["Abroad", "7", "6"],
            ["Stores", "599", "598"],
            ["Mix:", "", ""],
            ["Home", "90%", "89%"],
            ["Abroad", "10", "11"],
            ["Total", "100%", "100%"],
        ]
    )
    scales = [found.scale_at(row, 1) for row in (3, 6, 10)]
    assert scales == [Scale.MILLION, Scale.PERCENT, Scale.PERCENT]
    assert found.scale_at(7, 1) is not Scale.PERCENT


def test_columns_of_exchange_rates_lives_and_years_are_in_ones() -> None:
    heads = ["", "Notional amount", "Average exchange rate", "Weighted average life remaining", "Maturities"]
    grid = [heads, ["Euro", "$1,200", "1.094", "5.2", "2028"], ["Yen", "300", "148.386", "3.1", "2031"]]
    found = table(TablePart(grid, "(In millions)", header_rows=1))
    assert [found.scale_at(2, column) for column in (1, 2, 3, 4)] == [Scale.MILLION, *[Scale.ONE] * 3]


def test_quantities_and_units_are_not_in_the_scale_of_the_report() -> None:
    statement = TablePart(STATEMENT, "(In millions, except per share data)", header_rows=1)
    grid = [["", "Jet", "Van"], ["Production quantities", "1,200", "180"], ["Units under firm orders", "4,372", "941"]]
    found = table(statement, HeadingPart("Production", 1), TablePart(grid, header_rows=1))
    assert {found.scale_at(row, 1) for row in (1, 2)} == {Scale.ONE}


def test_a_line_that_a_caption_excepts_has_the_scale_that_it_gives() -> None:
    found = _numbers(
        [["Cash", "12,508", "10,537"], ["Backlog", "48.6", "43.7"]],
        "(in millions, except backlog, which is presented in billions)",
    )
    assert (found.scale_at(1, 1), found.scale_at(2, 1)) == (Scale.MILLION, Scale.BILLION)


@pytest.mark.parametrize(
    ("grid", "caption", "place", "expected"),
    [
        # Shares for more than a trillion dollars are printed in full.
        (
            [
                ["Period", "Total number of shares purchased", "Average price paid per share"],
                ["April", "1,784,964", "$1,050.11"],
                ["May", "390,471", "$1,160.20"],
            ],
            "(In thousands)",
            (1, 1),
            (Scale.ONE, "shares"),
        ),
        # Items between two amounts per share are amounts per share.
        (
            [
                ["", "2024"],
                ["Diluted income per share", "$0.90"],
                ["Patent settlement", "0.05"],
                ["Adjusted income per share", "$0.95"],
            ],
            "(In millions, except per share amounts)",
            (2, 1),
            (Scale.ONE, "USD"),
        ),
        # Ratios between two amounts per share are not.
        (
            [
                ["", "2024"],
                ["Net income per share", "$0.90"],
                ["Return on average equity", "12.11"],
                ["Book value per share", "$23.11"],
            ],
            "(In millions, except per share amounts)",
            (2, 1),
            (Scale.ONE, None),
        ),
        # A change of a count is a percentage, as the numbers above and below it.
        (
            [["", "2025"], ["Sales", "1.1%"], ["Number of transactions", "(2.2)"], ["Average ticket", "1.0%"]],
            "",
            (2, 1),
            (Scale.PERCENT, None),
        ),
        # Letters are scales if money has them, too.
        (
            [["", "2024"], ["Payments volume ($B)", "12,340"], ["Cards (M)", "4,484"]],
            "",
            (2, 1),
            (Scale.MILLION, None),
        ),
        (
            [["", "2024"], ["Vehicles and trailers", "719"], ["Customers (net of allowance of $56)", "350"]],
            "(In millions)",
            (2, 1),
            (Scale.MILLION, None),
        ),
    ],
)
def test_amounts_that_a_caption_is_about(
    grid: list[list[str]], caption: str, place: tuple[int, int], expected: tuple[Scale, str | None]
) -> None:
    found = table(TablePart(grid, caption, header_rows=1))
    assert (found.scale_at(*place) or Scale.ONE, found.unit_at(*place)) == expected


def test_a_row_of_units_below_the_headings_is_one_of_headings() -> None:
    grid = [
        ["", "Total assets", "Ratio of equity", "Book value per share"],
        ["As of", "Millions of yen", "%", "Yen"],
        ["March 31, 2024", "341,280", "51.6", "1,697.30"],
        ["March 31, 2023", "318,744", "50.3", "1,530.55"],
    ]
    found = table(TablePart(grid))
    assert [(found.scale_at(2, column), found.unit_at(2, column)) for column in (1, 3)] == [
        (Scale.MILLION, "JPY"),
        (Scale.ONE, "JPY"),
    ]
    assert found.scale_at(2, 2) is Scale.PERCENT
