"""Tables of filings: scales and units from captions, labels and printed signs."""

import pytest

from quaestor.core.quantity import Scale
from quaestor.documents.assembly import HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.table import Table


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
    ],
)
def test_prices_listed_in_a_label_are_none_in_the_scale_of_the_table(label: str) -> None:
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


def test_a_standing_caption_holds_for_tables_and_amounts_in_text() -> None:
    standing = "(Dollars in millions, except per share amounts)"
    document = assemble(
        "quill",
        [
            ParagraphPart(("It paid $657 for rent, $2.50 per share and $3 billion in all.",), standing=standing),
            TablePart([["", "2024"], ["Rent", "$5"]], header_rows=1, standing=standing),
        ],
        filing=True,
    )
    amounts = [(m.quantity.value, m.quantity.scale) for m in document.sentences[0].mentions]
    assert [scale for _, scale in amounts] == [Scale.MILLION, Scale.ONE, Scale.BILLION]
    assert document.tables[0].scale_at(1, 1) is Scale.MILLION


def test_a_dash_is_no_year_in_a_filing() -> None:
    found = table(TablePart([["", "Founded"], ["Quill", "2014"]], header_rows=1))
    assert found.cells[1][1].repair is None


def test_a_heading_of_prices_goes_on_over_several_rows() -> None:
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


def test_what_became_of_a_hundred_dollars_is_not_in_millions() -> None:
    income = TablePart([["", "2023", "2024"], ["Net sales", "$1,100", "$1,200"]], "(In millions)", header_rows=1)
    grid = [["", "2023", "2024"], ["Quill", "$100", "$107"], ["Index", "100", "113"]]
    assert table(income, TablePart(grid, header_rows=1)).scale_at(2, 2) in (Scale.ONE, None)
    assert table(income, TablePart([*grid[:2], ["Index", "90", "113"]], header_rows=1)).scale_at(2, 2) is Scale.MILLION
