"""A column called "Unit" gives each row its scale and its unit."""

import pytest

from quaestor.core.quantity import Scale
from quaestor.documents.assembly import TablePart, assemble
from quaestor.documents.units import read_unit_cell


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
def test_what_a_cell_of_it_says(text: str, scale: Scale | None, unit: str | None) -> None:
    caption = read_unit_cell(text)
    assert (caption.scale, caption.unit) == (scale, unit)


@pytest.mark.parametrize("heading", ["Unit", "Units", "UoM", "Unit of measure", "Einheit", "Unit\u00e9", "Currency"])
@pytest.mark.parametrize("last", [False, True])
def test_a_column_of_units_wherever_it_stands(heading: str, last: bool) -> None:
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


def test_a_column_of_numbers_called_units_is_none() -> None:
    grid = [["Product", "Units", "Price"], ["Pumps", "40", "$ 5"], ["Valves", "60", "$ 7"]]
    (table,) = assemble("report.csv", [TablePart(grid)], filing=True).tables
    assert table.rows[1].unit is None
