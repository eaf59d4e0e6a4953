from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue
from toolboxes import CASH_FLOWS, OPTIONS, after, toolbox
from values import a_value, plain, quantity_of

from quaestor.core.answer_value import YesNo
from quaestor.errors import SolverError
from quaestor.plan.execute import execute
from quaestor.plan.operations import ARITHMETIC, OPERATIONS
from quaestor.plan.steps import Compute, Constant, Plan, Ref, RowRef
from quaestor.solvers.tools.toolbox import Toolbox


def price(box: Toolbox, year: int) -> None:
    arguments: dict[str, JsonValue] = {"entityType": "StockOption", "property": "exercisePrice"}
    assert box.call("query_kg", arguments | {"filters": {"year": year}})["success"]


def calculate(box: Toolbox, operation: str, *values: JsonValue) -> dict[str, JsonValue]:
    return box.call("calculate", {"operation": operation, "values": list(values)})


def origins(reply: dict[str, JsonValue]) -> list[JsonValue]:
    operands = reply["operands"]
    assert isinstance(operands, list)
    return [operand["from"] for operand in operands if isinstance(operand, dict)]


def result_of(plan: Plan, box: Toolbox) -> Decimal | bool:
    return plain(execute(plan, box.draft.history).result.value)


def test_retrieved_values_refer_to_their_steps() -> None:
    box = toolbox()
    price(box, 2007)
    price(box, 2006)
    reply = calculate(box, "subtract", 48.65, 33.2)
    assert (reply["result"], reply["formula"], reply["step"]) == (15.45, "48.65 - 33.20", 3)
    assert origins(reply) == ["step 1", "step 2"]
    assert box.draft.plan().steps[2] == Compute(3, "subtract", (Ref(1), Ref(2)))
    again = calculate(box, "divide", 15.45, 33.2)
    assert again["formula"] == "(48.65 - 33.20) / 33.20"
    assert origins(again) == ["step 3", "step 2"]


def test_a_result_copied_with_fewer_digits_is_still_that_result() -> None:
    box = toolbox()
    calculate(box, "divide", 48.65, 33.2)
    reply = calculate(box, "subtract", 1.465, 1)
    assert origins(reply) == ["step 3", "constant"]
    assert origins(calculate(box, "subtract", 1.47, 1))[0] == "step 3"
    assert origins(calculate(box, "subtract", 1.5, 1))[0] == "ungrounded"  # two digits are ambiguous


def test_answers_of_earlier_turns_are_referred_to() -> None:
    box = after(
        OPTIONS,
        'TOOL: query_kg({"entityType": "StockOption", "filters": {"year": 2007}, "property": "exercisePrice"})',
        'TOOL: query_kg({"entityType": "StockOption", "filters": {"year": 2006}, "property": "exercisePrice"})',
    )
    reply = calculate(box, "subtract", 48.65, 33.2)
    assert origins(reply) == ["answer 2 turns ago", "answer 1 turn ago"]
    assert box.draft.plan() == Plan((Compute(1, "subtract", (Ref(-2), Ref(-1))),))
    assert origins(calculate(box, "subtract", "#-2", "#-1")) == ["answer 2 turns ago", "answer 1 turn ago"]
    assert len(reply["sources"]) == 2  # type: ignore[arg-type]


def test_number_in_parentheses_may_be_used_without_its_sign() -> None:
    box = toolbox(CASH_FLOWS)
    reply = calculate(box, "divide", 54812, 2)
    assert reply["result"] == 27406
    (step,) = box.draft.plan().extracts
    assert (step.reading, quantity_of(step).value) == ("magnitude", Decimal(-54812))


def test_number_without_a_source_is_a_marked_constant() -> None:
    box = toolbox()
    reply = calculate(box, "add", 10, 20, 30)
    assert (reply["operation"], reply["result"], reply["ungrounded"]) == ("sum", 60, [20, 30])
    assert origins(reply) == ["constant", "ungrounded", "ungrounded"]
    (step,) = box.draft.plan().steps
    assert isinstance(step, Compute)
    assert step.operands[0] == Constant(Decimal(10), "const_10")


def test_many_factors_are_multiplied() -> None:
    box = toolbox()
    assert calculate(box, "multiply", 48.65, 2, 100)["result"] == 9730
    assert result_of(box.draft.plan(), box) == Decimal("9730")


def test_a_percentage_change_is_from_the_old_value_to_the_new_one_and_a_fraction_in_the_plan() -> None:
    box = toolbox(CASH_FLOWS)
    reply = calculate(box, "percentage_change", 181001, 206588)
    assert round(float(str(reply["result"])), 2) == 14.14
    assert (reply["scale"], reply["formula"]) == ("percent", "(206588 - 181001) / 181001")
    assert round(result_of(box.draft.plan(), box), 5) == Decimal("0.14136")


def test_a_percentage_that_was_shown_is_used_as_it_was_shown() -> None:
    box = toolbox(CASH_FLOWS)
    calculate(box, "percentage_change", 181001, 206588)
    assert round(float(str(calculate(box, "multiply", 14.14, 2)["result"])), 2) == 28.27
    plan, traced = box.draft.plan_of(a_value("14.14"))
    assert traced
    assert traced.grounded
    assert round(result_of(plan, box), 5) == Decimal("0.14136")


def test_a_row_is_computed_by_its_label() -> None:
    box = toolbox()
    assert calculate(box, "table_average", "Exercise price")["result"] == 36.6
    (step,) = box.draft.plan().steps
    assert isinstance(step, Compute)
    assert isinstance(step.operands[0], RowRef)
    assert step.operands[0].text == "exercise price"
    assert calculate(box, "table_max", "exercise prices")["nearest"][0] == "exercise price"  # type: ignore[index]
    assert calculate(toolbox("VESK/2010/page_97.pdf"), "table_sum", "2012")["success"] is False


@pytest.mark.parametrize(
    ("operation", "values", "named"),
    [
        ("divide", [1, 0], ""),
        ("subtract", [1, 2, 3], "2"),
        ("greater", [1], "2"),
        ("identity", [1, 2], "1"),
        ("average", [1], "2"),
        ("modulo", [1, 2], "modulo"),
        ("table_sum", ["exercise price", "expected dividends"], "1"),
        ("add", ["#7", 1], "#7"),
        ("add", ["#-1", 1], "#-1"),
        ("exp", [10, 61], ""),
    ],
)
def test_impossible_calculation_is_refused_without_a_step(operation: str, values: list[JsonValue], named: str) -> None:
    box = toolbox()
    price(box, 2007)
    reply = calculate(box, operation, *values)
    assert reply["success"] is False
    assert named in str(reply["error"])
    assert len(box.draft.steps) == 1


def test_a_comparison_answers_yes_or_no() -> None:
    box = toolbox()
    assert calculate(box, "greater", 48.65, 33.2)["result"] is True
    assert isinstance(box.draft.plan_of(YesNo(True))[0].steps[-1], Compute)
    with pytest.raises(SolverError):
        box.draft.plan_of(YesNo(False))


@given(
    st.sampled_from([name for name in ARITHMETIC if not OPERATIONS[name].of_row]),
    st.lists(st.decimals(-1000, 1000, places=3), min_size=2, max_size=2),
)
def test_the_plan_gives_the_result_that_was_shown(operation: str, values: list[Decimal]) -> None:
    box = toolbox()
    reply = calculate(box, operation, *(float(value) for value in values))
    if reply["success"]:
        result = result_of(box.draft.plan(), box)
        shown = reply["fraction"] if "fraction" in reply else reply["result"]
        assert shown == (result if isinstance(result, bool) else pytest.approx(float(result)))


def test_a_rate_of_growth_is_over_years() -> None:
    box = toolbox()
    reply = calculate(box, "growth_rate", 33.2, 48.65, 2)
    assert (round(float(str(reply["result"])), 3), reply["scale"]) == (21.052, "percent")
    assert reply["formula"] == "(48.65 / 33.20) ^ (1 / 2) - 1"
    assert reply["ungrounded"] == []
    assert calculate(box, "growth_rate", 33.2, 48.65)["success"] is False
    assert calculate(box, "growth_rate", 33.2, 48.65, 0)["success"] is False
