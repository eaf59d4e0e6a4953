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


def test_a_sound_plan_has_no_issues() -> None:
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
    ("steps", "words"),
    [
        ((), "no steps"),
        ((compute(1, "identity", TEN),) * 65, "more than 64"),
        ((compute(1, "substract", TEN, TEN),), "did you mean 'subtract'"),
        ((compute(1, "add", TEN),), "takes 2 operands, not 1"),
        ((compute(1, "identity", TEN, TEN),), "takes 1 operand, not 2"),
        ((compute(1, "sum", TEN),), "takes 2 to 64 operands"),
        ((compute(1, "add", TEN, Ref(0)),), "step 0"),
        ((compute(1, "add", TEN, Ref(1)),), "itself"),
        ((compute(1, "add", TEN, Ref(2)), compute(2, "add", TEN, Ref(1))), "forward to step 2"),
        ((compute(1, "add", TEN, Ref(7)),), "the plan has 1"),
        ((compute(1, "add", TEN, Ref(-4)),), "there are 3 turns"),
        ((compute(2, "add", TEN, TEN),), "has the id 2"),
        ((compute(1, "add", TEN, RowRef("sales")),), "row label 'sales'"),
        ((compute(1, "table_max", TEN),), "label of a table row"),
        ((compute(1, "greater", TEN, TEN), compute(2, "add", TEN, Ref(1))), "yes or no"),
        ((compute(1, "add", TEN, Constant(Decimal(5), "const_6")),), "does not read as 5"),
        ((compute(1, "add", TEN, Constant(Decimal(5), "five")),), "does not read as 5"),
        ((compute(1, "add", TEN, Constant(Decimal("sNaN"), "5")),), "no finite number"),
        ((Extract(1, CellRef("doc", 0, 1, 1), "", Quantity(Decimal("Infinity"))),), "no finite number"),
    ],
)
def test_each_fault_has_its_sentence(steps: tuple[Compute, ...], words: str) -> None:
    (issue,) = validate(Plan(steps), 3)
    assert words in issue


def test_all_faults_are_told_at_once() -> None:
    plan = Plan((compute(1, "add", Ref(9), Ref(-1)), compute(1, "nonsense", Ref(2)), compute(3, "divide", TEN)))
    with pytest.raises(PlanValidationError) as caught:
        require_valid(plan, 0)
    assert len(caught.value.issues) == 6
