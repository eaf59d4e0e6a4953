from decimal import Decimal

import pytest

from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Scale
from quaestor.errors import OperandError
from quaestor.plan.execute import execute
from quaestor.plan.program import parse_program
from quaestor.plan.rows import benchmark_rows, bind_labels


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


def test_of_duplicate_labels_the_last_counts() -> None:
    assert [quantity.value for quantity, _ in ROWS["sales"]] == [9, 8]
    assert [source for _, source in ROWS["sales"]] == [CellRef("doc", 0, 4, 1), CellRef("doc", 0, 4, 2)]


@pytest.mark.parametrize("label", ["loss", "tax", "empty", "unknown", "SALES"])
def test_one_bad_cell_leaves_the_row_out(label: str) -> None:
    with pytest.raises(OperandError, match=label):
        bind_labels(parse_program(f"table_sum({label}, none)"), ROWS)


def test_a_bound_plan_executes_with_its_cells_as_sources() -> None:
    result = execute(bind_labels(parse_program("table_average(sales, none), multiply(#0, 2)"), ROWS)).result
    assert result.value == 17
    assert result.sources == (CellRef("doc", 0, 4, 1), CellRef("doc", 0, 4, 2))
