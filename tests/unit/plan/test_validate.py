from decimal import Decimal

import pytest

from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity
from quaestor.errors import PlanValidationError
from quaestor.plan.steps import Compute, Constant, Extract, Operand, Plan, Ref, RowRef
from quaestor.plan.validate import require_valid, validate

TEN = Constant(Decimal(10), "10")


def compute(id: int, operation: str, *operands: Operand) -> Compute:
    return Compute(id, operation, operands)


def test_valid_plan_has_no_issues() -> None:
    plan = Plan(
        (
            Extract(1, CellRef("doc", 0, 1, 1), "", Quantity(Decimal(1))),
            compute(2, "sum", Ref(1), Ref(-2), TEN),
            compute(3, "table_sum", RowRef("sales")),
        )
    )
    assert validate(plan, 2) == ()
    require_valid(plan, 2)


@pytest.mark.parametrize(
    ("steps", "named"),
    [
        ((), ""),
        ((compute(1, "identity", TEN),) * 65, "64"),
        ((compute(1, "substract", TEN, TEN),), "'subtract'"),
        ((compute(1, "add", TEN),), "step 1 (add)"),
        ((compute(1, "identity", TEN, TEN),), "step 1 (identity)"),
        ((compute(1, "sum", TEN),), "2 to 64"),
        ((compute(1, "add", TEN, Ref(0)),), "step 0"),
        ((compute(1, "add", TEN, Ref(1)),), "step 1 (add)"),
        ((compute(1, "add", TEN, Ref(2)), compute(2, "add", TEN, Ref(1))), "step 2"),
        ((compute(1, "add", TEN, Ref(7)),), "step 7"),
        ((compute(1, "add", TEN, Ref(-4)),), "3"),
        ((compute(2, "add", TEN, TEN),), "2"),
        ((compute(1, "add", TEN, RowRef("sales")),), "'sales'"),
        ((compute(1, "table_max", TEN),), "step 1 (table_max)"),
        ((compute(1, "greater", TEN, TEN), compute(2, "add", TEN, Ref(1))), "step 2 (add)"),
        ((compute(1, "add", TEN, Constant(Decimal(5), "const_6")),), "'const_6'"),
        ((compute(1, "add", TEN, Constant(Decimal(5), "five")),), "'five'"),
        ((compute(1, "add", TEN, Constant(Decimal("sNaN"), "5")),), "step 1 (add)"),
        ((Extract(1, CellRef("doc", 0, 1, 1), "", Quantity(Decimal("Infinity"))),), "Infinity"),
    ],
)
def test_a_fault_names_its_step(steps: tuple[Compute, ...], named: str) -> None:
    (issue,) = validate(Plan(steps), 3)
    assert named in issue


def test_all_faults_are_reported_at_once() -> None:
    plan = Plan((compute(1, "add", Ref(9), Ref(-1)), compute(1, "nonsense", Ref(2)), compute(3, "divide", TEN)))
    with pytest.raises(PlanValidationError) as caught:
        require_valid(plan, 0)
    assert len(caught.value.issues) == 6
