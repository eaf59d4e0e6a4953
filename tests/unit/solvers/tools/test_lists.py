"""`calculate` on lists of steps: operations that select, count or list values."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolboxes import CASH_FLOWS, after, toolbox

from quaestor.core.answer_value import print_value
from quaestor.plan.execute import execute
from quaestor.plan.operations import OPERATIONS
from quaestor.plan.steps import CellGroup, Compute
from quaestor.solvers.tools.toolbox import Toolbox

OPERATING = "net cash from operating activities"


def box_with_a_row(row: str = OPERATING) -> Toolbox:
    """Return a toolbox after the look-up of a row, whose cells are the steps from 1 on."""
    box = toolbox(CASH_FLOWS)
    assert box.call("query_kg", {"filters": {"row": row}})["success"]
    return box


def calculate(box: Toolbox, operation: str, *values: Any) -> dict[str, Any]:
    return box.call("calculate", {"operation": operation, "values": list(values)})


def result_text(box: Toolbox) -> str:
    return print_value(execute(box.draft.plan(), box.draft.history).result.value)


@pytest.mark.parametrize(
    ("operation", "values", "expected"),
    [
        ("argmax", ["#1..#3"], "2009"),
        ("argmin", ["#1", "#2", "#3"], "2007"),
        ("rank", ["#1..#3", 2], "2008"),
        ("largest", ["#1-#3", 1], "2009: 206588"),
        ("count", ["#1..3"], "3"),
        ("labels", ["#1..#3"], "2007; 2008; 2009"),
        ("items", ["#3", "#1"], "2009: 206588; 2007: 174247"),
    ],
)
def test_steps_are_combined_into_a_list(operation: str, values: list[object], expected: str) -> None:
    box = box_with_a_row()
    first = str(execute(box.draft.plan(1)).result.value)
    reply = calculate(box, operation, *values)
    assert reply["success"], reply
    assert result_text(box) == expected.replace("174247", first)
    assert all(
        not isinstance(step, Compute) or isinstance(step.operands[0], CellGroup) for step in box.draft.plan().steps
    )


def test_earlier_answer_can_be_the_list() -> None:
    row = f'TOOL: query_kg({{"filters": {{"row": "{OPERATING}"}}}})'
    box = after(CASH_FLOWS, f'{row} TOOL: calculate({{"operation": "items", "values": ["#1..#3"]}})')
    assert calculate(box, "argmax", "#-1")["result"] == "2009"


@pytest.mark.parametrize(
    ("operation", "values", "named"),
    [
        ("argmax", ["#9..#12"], ""),
        ("argmax", ["#3..#1"], ""),
        ("above", ["#1"], ""),
        ("rank", ["#1..#3", 10**5], "3"),
        ("argmax", ["a lot"], "a lot"),
        ("count", ["#1"] * 64, ""),
        ("argmax", [5, 6], ""),
        ("items", [True], ""),
    ],
)  # fmt: skip
def test_non_list_is_refused_or_counted(operation: str, values: list[object], named: str) -> None:
    box = box_with_a_row()
    reply = calculate(box, operation, *values)
    assert "success" in reply
    assert named in str(reply.get("error", "")), reply


_VALUES = st.lists(
    st.sampled_from(["#1", "#2", "#1..#3", "#-1", "#0", "#99999", "#1..#9999", 5, 10**400, -1, 0.5, "x", "3 %"]),
    min_size=1,
    max_size=6,
)


@given(st.sampled_from([name for name, operation in OPERATIONS.items() if operation.of_list]), _VALUES)
def test_any_values_are_answered(operation: str, values: list[object]) -> None:
    box = box_with_a_row()
    reply = calculate(box, operation, *values)
    if reply["success"]:
        assert result_text(box)
    else:
        assert reply["error"]
        assert reply["suggestion"]
