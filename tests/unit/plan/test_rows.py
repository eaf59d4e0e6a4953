from dataclasses import replace
from decimal import Decimal

import pytest
from values import number_in

from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.core.serial import dump, load
from quaestor.errors import OperandError
from quaestor.plan.execute import execute
from quaestor.plan.expressions import TableRows, benchmark_rows, bind_labels
from quaestor.plan.program import parse_program
from quaestor.plan.steps import Compute, Extract, Plan, RowRef, Step


def grid(*rows: list[str]) -> list[list[tuple[str, CellRef]]]:
    return [[(text, CellRef("doc", 0, r, c)) for c, text in enumerate(row)] for r, row in enumerate(rows)]


ROWS = benchmark_rows(
    grid(
        ["( in millions )", "2014", "2013"],
        ["sales", "$ 1,200", "1100"],
        ["loss", "-435 ( 435 )", "( 12 )"],
        ["margin", "13.7% ( 13.7 % )", "10%"],
        ["sales", "$ 9", "8"],
        ["tax", "-3 ( 3 )", "2"],
        ["tax", "4", "n/a"],
        ["empty"],
    )
)


def test_cells_read_by_the_benchmark_s_rule() -> None:
    assert [quantity.value for quantity, _ in ROWS["( in millions )"]] == [2014, 2013]
    assert [(q.value, q.scale) for q, _ in ROWS["margin"]] == [(Decimal("13.7"), Scale.PERCENT), (10, Scale.PERCENT)]


def test_last_of_duplicate_labels_is_used() -> None:
    assert [quantity.value for quantity, _ in ROWS["sales"]] == [9, 8]
    assert [source for _, source in ROWS["sales"]] == [CellRef("doc", 0, 4, 1), CellRef("doc", 0, 4, 2)]


@pytest.mark.parametrize("label", ["loss", "tax", "empty", "unknown", "SALES"])
def test_row_with_an_invalid_cell_is_omitted(label: str) -> None:
    with pytest.raises(OperandError, match=label):
        bind_labels(parse_program(f"table_sum({label}, none)"), [ROWS])


ONE = benchmark_rows(grid(["", "2008", "2007"], ["total", "1", "2"], ["debt", "3", "4"]))
OTHER = benchmark_rows(
    [[(text, CellRef("doc", 1, r, c)) for c, text in enumerate(row)] for r, row in enumerate([["total", "30", "4"]])]
)
UNREADABLE = benchmark_rows(grid(["total", "n/a"]))


def total_of(label: RowRef, *tables: TableRows, before: tuple[Step, ...] = ()) -> Decimal:
    plan = Plan((*before, Compute(len(before) + 1, "table_sum", (label,))))
    return number_in(execute(bind_labels(plan, tables)).result.value)


def test_a_row_of_several_tables_is_refused() -> None:
    with pytest.raises(OperandError, match=r"0, 1 .*'total'"):
        total_of(RowRef("total"), ONE, OTHER)
    with pytest.raises(OperandError, match="0, 1"):
        total_of(RowRef("total"), UNREADABLE, OTHER)


def test_a_row_with_its_table() -> None:
    assert total_of(RowRef("total", table=0), ONE, OTHER) == 3
    assert total_of(RowRef("total", table=1), ONE, OTHER) == 34
    for table, label in ((1, "debt"), (2, "total"), (-1, "total")):
        with pytest.raises(OperandError, match=f"{table} .*'{label}'"):
            total_of(RowRef(label, table=table), ONE, OTHER)
    with pytest.raises(OperandError, match="0"):
        total_of(RowRef("total", table=0), UNREADABLE, OTHER)


def test_a_row_is_of_the_table_that_other_steps_read() -> None:
    taken = Extract(1, CellRef("doc", 1, 0, 1), "total", Quantity(Decimal(30)))
    assert total_of(RowRef("total"), ONE, OTHER, before=(taken,)) == 34
    certain = Compute(1, "table_sum", (RowRef("debt"),))
    assert total_of(RowRef("total"), ONE, OTHER, before=(certain,)) == 3
    with pytest.raises(OperandError):
        total_of(RowRef("total"), ONE, OTHER, before=(certain, replace(taken, id=2)))


def test_label_without_a_table_is_stored_unchanged() -> None:
    plain = Plan((Compute(1, "table_sum", (RowRef("total"),)),))
    named = Plan((Compute(1, "table_sum", (RowRef("total", table=1),)),))
    assert dump(plain)["steps"][0]["operands"] == [{"text": "total", "values": [], "sources": [], "kind": "label"}]
    assert [load(Plan, dump(plan)) for plan in (plain, named)] == [plain, named]
