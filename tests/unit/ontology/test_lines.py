import pytest
from pages import page

from quaestor.ontology.extract import property_axis, property_lines, without_period


def test_rows_are_properties_where_columns_carry_the_years() -> None:
    table = page([["", "2008", "2007"], ["net sales", "3", "2"], ["operating income", "1", "1"]]).tables[0]
    assert property_axis(table) == "rows"
    assert [(line.index, line.label) for line in property_lines(table)] == [(1, "net sales"), (2, "operating income")]


def test_columns_are_properties_where_rows_carry_the_years() -> None:
    table = page([["year", "face value", "rate"], ["2008", "300", "2%"], ["2009", "200", "3%"]]).tables[0]
    assert property_axis(table) == "columns"
    assert [line.label for line in property_lines(table)] == ["face value", "rate"]


@pytest.mark.parametrize(
    ("label", "left"),
    [
        ("2015 net revenue", "net revenue"),
        ("for the years ended december 31 , 2017", ""),
        ("cash flow for the three months ended march 31 , 2005", "cash flow"),
        ("balance at december 31 , 2013", "balance"),
        ("the first insurance company", "the first insurance company"),
    ],
)
def test_a_heading_without_its_period(label: str, left: str) -> None:
    table = page([["", "total", "parts"], [label, "5", "4"]]).tables[0]
    assert without_period(table.rows[1]) == left
