"""Conversion of a model's claim to the plan of the answer."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue
from solver_bench import context_of
from toolboxes import CASH_FLOWS, after, toolbox
from values import plain

from quaestor.errors import ModelReplyError
from quaestor.plan.execute import execute
from quaestor.plan.steps import Constant
from quaestor.solvers.agent.claims import GroundedAnswer, ground_answer, ground_words, read_final
from quaestor.solvers.tools.plan_builder import PlanBuilder
from quaestor.solvers.tools.toolbox import Toolbox

CASH = "net_cash_from_operating_activities"


@pytest.fixture
def box() -> Toolbox:
    """Return a toolbox with the steps 181001, 206588 and their change of 14.14 percent."""
    box = toolbox(CASH_FLOWS)
    for year in ("2008", "2009"):
        box.call("query_kg", {"entityType": "CashFlow", "filters": {"year": year}, "property": CASH})
    box.call("calculate", {"operation": "percentage_change", "values": [181001, 206588]})
    return box


def ground(box: Toolbox, value: object) -> GroundedAnswer:
    return ground_answer(box.draft, *read_final(value))


def value(found: GroundedAnswer) -> Decimal | bool:
    return plain(execute(found.plan).result.value)


CHANGE = Decimal(25587) / 181001


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"answer": 14.14, "scale": "percent", "steps": [3]}, CHANGE),
        ({"answer": 14.136385986817752}, CHANGE),
        ({"answer": 0.1413638598681775}, CHANGE),
        ({"answer": "14.1%"}, CHANGE),
        ({"answer": "14 %"}, CHANGE),
        ({"answer": 14}, CHANGE),
        ("14.14", CHANGE),
        ("**ANSWER: 14.14%**", CHANGE),
        ("The answer is 14.1 %.", CHANGE),
        ('```json\n{"answer": 14.14, "scale": "percent"}\n```', CHANGE),
        ("approximately $14.1 million (14.1%)", CHANGE),
        ({"answer": "$ 206,588 thousand", "steps": [2]}, Decimal(206588)),
        ({"answer": 206588, "unit": "USD"}, Decimal(206588)),
        ("181,001", Decimal(181001)),
        ({"answer": 181001, "steps": [1, 2, 3]}, Decimal(181001)),
    ],
)
def test_number_returned_by_a_tool_refers_to_its_step(box: Toolbox, answer: object, expected: Decimal) -> None:
    found = ground(box, answer)
    assert (found.grounded, found.remarks) == (True, ())
    number = value(found)
    assert isinstance(number, Decimal)
    assert round(number, 8) == round(expected, 8)


def test_result_of_the_plan_overrides_a_different_number(box: Toolbox) -> None:
    found = ground(box, {"answer": 15.2, "scale": "percent", "steps": [3]})
    assert round(Decimal(value(found)), 5) == Decimal("0.14136")
    (remark,) = found.remarks
    assert "15.2 percent" in remark
    assert "0.14136" in remark
    assert found.grounded


@pytest.mark.parametrize("answer", [{"answer": 15.2}, {"answer": 15.2, "steps": [9, 0, -1]}, "15.2"])
def test_a_number_that_no_tool_returned_is_ungrounded(box: Toolbox, answer: object) -> None:
    found = ground(box, answer)
    assert not found.grounded
    (remark,) = found.remarks
    assert "15.2" in remark
    assert value(found) == Decimal("15.2")


def test_a_number_that_only_the_page_prints_is_ungrounded_but_has_its_source(box: Toolbox) -> None:
    found = ground(box, {"answer": 158529})
    assert not found.grounded
    assert found.remarks == (
        "ungrounded: no tool returned 158529; the page prints it (net cash from operating activities, 2007)",
    )
    assert len(execute(found.plan).result.sources) == 1


def test_a_printed_minus_may_be_left_out() -> None:
    box = toolbox(CASH_FLOWS)
    wanted = {"entityType": "CashFlow", "filters": {"year": "2008"}, "property": "net_cash_from_investing_activities"}
    reply = box.call("query_kg", json.dumps(wanted))
    assert isinstance(reply["value"], int)
    assert reply["value"] < 0
    found = ground(box, {"answer": -reply["value"], "steps": [1]})
    assert value(found) == -reply["value"]
    assert (found.grounded, len(found.remarks)) == (True, 1)


def test_number_of_an_earlier_answer_refers_to_it() -> None:
    call = 'TOOL: query_kg({"entityType": "CashFlow", "filters": {"year": "2008"}, "property": "' + CASH + '"})'
    box = after(CASH_FLOWS, call)
    found = ground(box, "181001")
    assert found.grounded
    assert found.remarks == ()
    assert not any(isinstance(step, Constant) for step in found.plan.steps)


@pytest.mark.parametrize(
    ("answer", "expected"), [("Yes, it was.", True), ({"answer": "no"}, False), ({"answer": True}, True)]
)
def test_yes_and_no_need_a_comparison(box: Toolbox, answer: object, expected: bool) -> None:
    with pytest.raises(ModelReplyError):
        ground(box, answer)
    box.call("calculate", {"operation": "greater", "values": ["#2", "#1"] if expected else ["#1", "#2"]})
    assert value(ground(box, answer)) is expected


def test_contradicting_numbers_are_rejected(box: Toolbox) -> None:
    with pytest.raises(ModelReplyError, match="14"):
        ground(box, "14 million or 15 million")


def test_scale_that_is_not_printed_is_doubted(box: Toolbox) -> None:
    assert ground(box, {"answer": 206588, "scale": "thousand", "steps": [2]}).remarks == ()
    (other,) = ground(box, {"answer": 206588, "scale": "million", "steps": [2]}).remarks
    assert "206588 million" in other
    assert "206588 thousand USD" in other
    unscaled = toolbox()
    filters: dict[str, JsonValue] = {"year": 2007}
    result = unscaled.call("query_kg", {"entityType": "StockOption", "filters": filters, "property": "exercisePrice"})
    assert result["scale"] == "unknown"
    (doubt,) = ground(unscaled, {"answer": 48.65, "scale": "million", "steps": [1]}).remarks
    assert "48.65" in doubt


WORDS = st.lists(
    st.text(max_size=20) | st.sampled_from(["2008", "181001", "net cash", "\ud800", "x" * 5000]), max_size=5
)


@given(WORDS, st.sampled_from([None, "#1", 5, True]), st.sampled_from([None, "other", "ambiguous"]))
def test_any_words_are_quoted_from_the_page_or_refused(words: list[str], answer: object, no_answer: str | None) -> None:
    claim = {"words": words, "answer": answer, "no_answer": no_answer, "assumption": "x"}
    context = context_of()
    try:
        final, claims = read_final(claim)
        if not final.words:
            return
        draft = PlanBuilder(context.graph, context.memory)
        grounded = ground_words(draft, final.words, claims, context.document, "what was it?")
    except ModelReplyError:
        return
    assert bool(claims) == (answer is True)
    assert execute(grounded.plan).result.value == grounded.claim.value
    assert execute(grounded.plan).result.sources


def test_numbers_of_the_question_are_grounded(box: Toolbox) -> None:
    half: dict[str, JsonValue] = {"operation": "multiply", "values": ["#1", 365]}
    assert box.call("calculate", half)["ungrounded"] == [365]
    assert not ground(box, {"answer": "#4"}).grounded
    box.draft.accept_numbers_of("what is it over 365 days, less 2.5 %?")
    assert box.call("calculate", half)["ungrounded"] == []
    assert ground(box, {"answer": "#5"}).grounded
    assert box.call("calculate", half | {"values": ["#1", "2.5%"]})["ungrounded"] == []


@pytest.mark.parametrize(("exponent", "grounded"), [(0.5, True), (0.27, False)])
def test_the_exponent_of_growth_over_years_needs_no_source(box: Toolbox, exponent: float, grounded: bool) -> None:
    steps: list[tuple[str, list[JsonValue]]] = [("divide", ["#2", "#1"]), ("exp", ["#4", exponent])]
    steps.append(("percentage_change", [1, "#5"]))
    for operation, values in steps:
        box.call("calculate", {"operation": operation, "values": values})
    found = ground(box, {"answer": "#6"})
    assert found.grounded is grounded
    assert bool(found.remarks) is not grounded
