import pytest

from quaestor.documents.assembly import TablePart, assemble
from quaestor.facts.lines import Moment
from quaestor.facts.table import FactTable, Series, build_facts
from quaestor.solvers.embedded.filings.composing.finding import find_parts, find_totals
from quaestor.solvers.embedded.filings.composing.formulas import FormulaTerms, spell_at

YEAR = Moment(2023, 4, 12)
INCOME = [["( in millions )", "2023", "2022"], ["net sales", "$ 800", "$ 720"], ["operating income", "136", "106"]]
SALES = [
    ["( in millions )", "2023", "2022"],
    ["europe", "$ 310", "$ 280"],
    ["americas", "460", "430"],
    ["total brand", "770", "710"],
    ["licences", "50", "25"],
    ["eliminations", "( 20 )", "( 15 )"],
    ["total", "$ 800", "$ 720"],
]


@pytest.fixture(scope="module")
def table() -> FactTable:
    """Return the facts of a made-up report whose net sales are broken down in another table."""
    return build_facts(assemble("a", [TablePart(tuple(map(tuple, rows))) for rows in (INCOME, SALES)]))


def find(table: FactTable, label: str) -> Series:
    """Return the series of a label."""
    return next(series for series in table.series if series.line.label.lower() == label)


def test_parts_are_found_where_their_sum_is_printed_again(table: FactTable) -> None:
    groups = [[part.line.label for part in parts] for parts in find_parts(find(table, "net sales"), YEAR, table)]
    assert groups == [
        ["total brand", "licences", "eliminations"],
        ["europe", "americas", "licences", "eliminations"],
    ]


def test_line_without_a_matching_sum_has_no_parts(table: FactTable) -> None:
    assert not list(find_parts(find(table, "operating income"), YEAR, table))
    assert not list(find_totals(find(table, "operating income"), YEAR, table))


def test_totals_of_a_part_are_listed_nearest_first(table: FactTable) -> None:
    assert [total.line.label for total in find_totals(find(table, "europe"), YEAR, table)] == ["total brand", "total"]


def test_number_at_another_time_is_taken_from_an_equal_line_of_another_table() -> None:
    of_beauty = [["beauty ( in millions )", "2023"], ["net sales", "$ 1,312"]]
    segments = [["( in millions )", "2023", "2022", "2021"], ["beauty sales", "$ 1,312", "$ 1,280", "$ 1,255"]]
    whole = [["( in millions )", "2023", "2022", "2021"], ["total net sales", "$ 4,800", "$ 4,720", "$ 4,660"]]
    tables = build_facts(assemble("a", [TablePart(tuple(map(tuple, rows))) for rows in (of_beauty, whole, segments)]))
    terms = FormulaTerms(tables)
    assert spell_at(find(tables, "net sales"), Moment(2021, 4, 12), terms) == "x0"
    assert terms.amounts == {"x0": 1_255_000_000}


def test_parts_of_a_balance_may_be_dated_by_a_period() -> None:
    sheet = [["( in millions )", "december 31 , 2023", "december 31 , 2022"], ["inventories", "$ 320", "$ 290"]]
    note = [["( in millions )", "2023", "2022"], ["materials", "$ 120", "$ 90"], ["goods", "200", "200"]]
    note.append(["total", "$ 320", "$ 290"])
    parts = [TablePart(tuple(map(tuple, sheet)), title="CONSOLIDATED BALANCE SHEETS")]
    table = build_facts(assemble("a", [*parts, TablePart(tuple(map(tuple, note)))]))
    groups = find_parts(find(table, "inventories"), Moment(2023, 4, 0), table)
    assert [[part.line.label for part in found] for found in groups] == [["materials", "goods"]]
