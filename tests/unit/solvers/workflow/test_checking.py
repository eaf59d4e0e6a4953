"""Plans are validated before they run; all faults are reported at once and name their steps."""

from typing import Any

import pytest
from solver_bench import context_of
from workflow_bench import OPERATING, compute, plan, table, text

from quaestor.core import serial
from quaestor.plan.steps import Compute, Constant
from quaestor.solvers.workflow.checking import CheckedPlan, check_workflow_plan
from quaestor.solvers.workflow.schema import WorkflowPlan

Json = dict[str, Any]


def check_plan(written: Json, question: str = "what was it?") -> CheckedPlan:
    return check_workflow_plan(serial.load(WorkflowPlan, written), question, context_of())


@pytest.mark.parametrize(
    ("written", "named"),
    [
        (plan(), ""),
        (plan(table(2, OPERATING, "2008")), "step 1"),
        (plan(compute(1, "add", 1, [1])), "step 1"),
        (plan(compute(1, "add", 2, [1]), table(2, OPERATING, "2008")), "step 2"),
        (plan(table(1, OPERATING, "2008"), compute(2, "add", 1, 7)), "step 7"),
        (plan(compute(1, "identity", -1)), "1"),
        (plan(table(1, OPERATING, "2008"), compute(2, "subtract", 1)), "step 2"),
        (plan(table(1, OPERATING, "2008"), compute(2, "identity")), "step 2"),
        (plan(table(1, OPERATING, "2008"), compute(2, "greater", 1, [1]), compute(3, "add", 1, 2)), ""),
        (plan(table(1, "goodwill", "2008")), "'goodwill'"),
        (plan(text(1, "goodwill", "goodwill of")), "'goodwill'"),
        (plan(table(1, " ", "2008")), "step 1"),
        (plan(text(1, "dividends", "paid dividends of", period="")), "step 1"),
        (plan(table(1, OPERATING, "2008"), compute(2, "divide", 1, [0])), "step 2"),
        (plan(table(1, OPERATING, "2008"), compute(2, "exp", 1, [90])), "step 2"),
        (plan(table(1, OPERATING, "2008"), compute(2, "add", 1, [1e300])), "1"),
        (plan(table(1, OPERATING, "2008"), compute(2, "add", 1, [float("nan")])), ""),
        (plan(compute(1, "subtract", [206588], [181001])), "step 1"),
    ],
)
def test_each_fault_is_named(written: Json, named: str) -> None:
    found = check_plan(written)
    assert any(named in issue for issue in found.issues), found.issues


def test_literals_are_distinguished() -> None:
    step = table(1, OPERATING, "2008")
    for fine, question in ((100, ""), (5, ""), (2008, ""), (181001, "and with 181001 shares?"), (0.125, "at 12.5 %?")):
        found = check_plan(plan(step, compute(2, "multiply", 1, [fine])), question)
        assert (found.issues, found.remarks) == ((), ()), fine
    loose = check_plan(plan(step, compute(2, "multiply", 1, [365.25])))
    assert (loose.issues, len(loose.remarks)) == ((), 1)
    assert "365.25" in loose.remarks[0]
    constant = loose.plan.steps[1]
    assert isinstance(constant, Compute)
    assert isinstance(constant.operands[1], Constant)
    assert constant.operands[1].text == "365.25"
