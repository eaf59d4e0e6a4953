"""Row names in several columns as the readers return them: nested labels and long tables."""

from pathlib import Path

import pytest

from quaestor.core.periods import Period
from quaestor.documents.table import Table
from quaestor.readers.content import FileContent
from quaestor.readers.delimited import DelimitedReader
from quaestor.readers.html.reader import HtmlReader
from quaestor.readers.markdown import MarkdownReader


def read_csv(text: str) -> Table:
    (table,) = DelimitedReader().read(FileContent(Path("a.csv"), text.encode())).tables
    return table


def read_markdown(text: str) -> Table:
    head, *rows = text.splitlines()
    rule = "|".join("---" for _ in head.split(","))
    lines = [head.replace(",", "|"), rule, *(row.replace(",", "|") for row in rows)]
    (table,) = (
        MarkdownReader().read(FileContent(Path("a.md"), "\n".join(f"|{line}|" for line in lines).encode())).tables
    )
    return table


def read_html(rows: str) -> Table:
    (table,) = HtmlReader().read(FileContent(Path("a.html"), f"<html><table>{rows}</table></html>".encode())).tables
    return table


def names(table: Table) -> list[tuple[str, ...]]:
    return [row.levels for row in table.rows[table.header_rows :]]


NESTED = [("Pumps", "Europe"), ("Pumps", "Asia"), ("Valves", "Europe"), ("Valves", "Asia"), ("Total",)]
BLANK = "Product,Region,2023,2022\nPumps,Europe,120,110\n,Asia,80,95\nValves,Europe,45,40\n,Asia,30,35\nTotal,,275,280"
REPEATED = BLANK.replace("\n,Asia,8", "\nPumps,Asia,8").replace("\n,Asia,3", "\nValves,Asia,3")


@pytest.mark.parametrize("text", [BLANK, REPEATED])
def test_label_applies_to_all_rows_that_it_spans(text: str) -> None:
    for table in (read_csv(text), read_markdown(text)):
        assert names(table) == NESTED
        assert [column.period and column.period.year for column in table.columns] == [None, None, 2023, 2022]
        assert [row[1].quantities for row in table.cells[1:]] == [()] * 5
        assert table.orientation == "columns"


def test_html_label_applies_to_all_rows_that_it_spans() -> None:
    table = read_html(
        "<tr><th>Product</th><th>Region</th><th>2023</th><th>2022</th></tr>"
        "<tr><td rowspan='7'>Pumps</td><td>Europe</td><td>120</td><td>110</td></tr>"
        + "".join(f"<tr><td>{place}</td><td>80</td><td>95</td></tr>" for place in ("Asia", "Africa", "Oceania"))
        + "".join(f"<tr><td>{place}</td><td>7</td><td>9</td></tr>" for place in ("Peru", "Chile", "Cuba"))
    )
    assert names(table)[0] == ("Pumps", "Europe")
    assert names(table)[-1] == ("Pumps", "Cuba")


def test_labels_of_three_columns() -> None:
    table = read_csv(
        "Region,Product,Channel,Sales\nNorth,Pumps,Web,5\n,,Shop,6\n,Valves,Web,7\n,,Shop,8\nSouth,Pumps,Web,1\n,,Shop,2"
    )
    assert names(table)[1:5] == [
        ("North", "Pumps", "Shop"), ("North", "Valves", "Web"), ("North", "Valves", "Shop"), ("South", "Pumps", "Web"),
    ]  # fmt: skip


def test_empty_column_between_labels_is_ignored() -> None:
    table = read_csv("Segment,,Line,2024,2023\nNorth,,Pumps,11,10\n,,Valves,7,6\nSouth,,Pumps,5,4\n,,Valves,3,2")
    assert names(table)[1:3] == [("North", "Valves"), ("South", "Pumps")]


def test_headings_of_sections_and_totals_span_no_rows() -> None:
    table = read_csv("Group,Line,2023\nEurope,,\nPumps,new,5\n,old,6\nTotal pumps,,11\n,memo,2")
    assert names(table)[1:] == [
        ("Europe", "Pumps", "new"), ("Europe", "Pumps", "old"), ("Europe", "Total pumps"), ("Europe", "memo"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Line,Note,2023\nSales,see A,5\nCosts,see B,4\nResult,see B,1",
        "Line,Place,2023\nAssets,,\nLeases,Other assets,5\nLiabilities,,\nLeases,Other liabilities,4",
        "Line,Mark,2023\nSales,,5\nSales,a,4\nResult,,1\nTax,,2",
    ],
)
def test_column_with_equal_values_is_not_a_row_name(text: str) -> None:
    assert all(len(levels) < 3 and levels[-1] in ("Sales", "Costs", "Result", "Tax", "Assets", "Leases", "Liabilities")
               for levels in names(read_csv(text)))  # fmt: skip


def test_a_year_beside_a_name_is_the_row_s_period() -> None:
    table = read_csv("Company,Fiscal year,Sales,Profit\nAlder,2024,500,40\nAlder,2023,450,-12\nBirch,2024,30,2")
    assert [(row.levels, row.period) for row in table.rows[1:]] == [
        (("Alder",), Period("year", 2024)), (("Alder",), Period("year", 2023)), (("Birch",), Period("year", 2024)),
    ]  # fmt: skip
    assert table.orientation == "rows"
    assert not any(row[1].quantities for row in table.cells)


LONG = [
    ("metric,fiscal_year,value", "Revenue,2023,640", ("Revenue",), Period("year", 2023)),
    ("fiscal_year,company,metric,value", "2023,Alder,Revenue,640", ("Alder", "Revenue"), Period("year", 2023)),
    ("value,line_item,year,quarter", "640,Revenue,2023,Q2", ("Revenue",), Period("quarter", 2023, quarter=2)),
    ("Quarter,Year,Measure,Amount", "Q2,2023,Revenue,640", ("Revenue",), Period("quarter", 2023, quarter=2)),
    ("concept,label,fy,val", "us-gaap:NetSales,Revenue,2023,640", ("Net Sales", "Revenue"), Period("year", 2023)),
    ("concept,period,value", "us-gaap_NetSales,FY2023,640", ("Net Sales",), Period("year", 2023)),
    ("Segment,Period,Item,Figure,Source", "Pumps,FY2023,Sales,640,p. 3", ("Pumps", "Sales"), Period("year", 2023)),
    ("Metric,Date,Value", "Cash,\"June 30, 2023\",640", ("Cash",), Period("date", 2023, month=6, day=30)),
    (
        "tag,start,end,value", "NetSales,\"April 1, 2023\",\"June 30, 2023\",640",
        ("Net Sales",), Period("quarter", 2023, quarter=2),
    ),
    (
        "tag,start,end,value", "NetSales,\"January 1, 2023\",\"June 30, 2023\",640",
        ("Net Sales",), Period("span", 2023, month=6, months=6),
    ),
    (
        "tag,start,end,value", "NetSales,\"January 1, 2023\",\"December 31, 2023\",640",
        ("Net Sales",), Period("year", 2023),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("head", "row", "levels", "period"), LONG)
def test_long_table_is_read_by_item_and_period(head: str, row: str, levels: tuple[str, ...], period: Period) -> None:
    earlier = row.replace("2023", "2022").replace("640", "600")
    other = row.replace("Sales", "Costs").replace("Revenue", "Costs").replace("Cash", "Costs").replace("640", "410")
    table = read_csv("\n".join((head, row, earlier, other)))
    assert (table.rows[1].levels, table.rows[1].period) == (levels, period)
    numbers = [
        [(cell.ref.row, quantity.value) for cell in cells for quantity in cell.quantities] for cells in table.cells
    ]
    assert [[value for _, value in row] for row in numbers[1:]] == [[640], [600], [410]]
    assert table.orientation == "rows"


@pytest.mark.parametrize(
    "text",
    [
        "Security,Maturity date,Amount\nNotes A,June 2031,500\nNotes B,June 2033,450",
        "Line,2023,2022\nSales,5,4\nValue,3,2",
        "Line,Value,Share\nSales,500,5%\nCosts,400,4%",
    ],
)
def test_column_named_value_does_not_make_a_long_table(text: str) -> None:
    table = read_csv(text)
    assert all(row.period is None for row in table.rows)
    assert names(table)[0] == (table.cells[1][0].text,)
