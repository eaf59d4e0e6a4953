import pytest

from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity
from quaestor.plan.program import parse_program
from quaestor.plan.steps import Compute, Extract, Plan, Ref, fold_plan, program_tree


def test_a_program_is_its_last_step_with_all_that_it_rests_on() -> None:
    five, four = ("number", 5.0, "5"), ("number", 4.0, "4")
    assert program_tree(parse_program("subtract(5, 4), divide(#0, const_100)")) == (
        "divide",
        ("subtract", five, four),
        ("constant", 100.0, "const_100"),
    )
    assert program_tree(parse_program("5")) == five
    assert program_tree(parse_program("table_sum(net sales, none)")) == ("table_sum", ("row", "net sales"))


def test_malformed_programs_have_no_tree() -> None:
    taken = Extract(1, CellRef("page", 0, 1, 1), "sales", Quantity(5))  # type: ignore[arg-type]
    for plan in (Plan((taken,)), Plan((Compute(1, "identity", (Ref(-1),)),))):
        with pytest.raises(TypeError):
            program_tree(plan)


def test_a_fold_gives_each_step_what_its_operands_became() -> None:
    plan = parse_program("add(1, 2), add(#0, #0)")
    assert fold_plan(plan, lambda leaf: 1, lambda step, operands: sum(operands)) == (2, 4)
