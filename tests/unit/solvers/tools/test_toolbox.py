import json
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolboxes import OPTIONS, sample_knowledge, sample_pages, toolbox

from quaestor.conversation.turn import Memory, ToolCall
from quaestor.errors import SolverError
from quaestor.plan.operations import OPERATIONS
from quaestor.solvers.tools.toolbox import TOOLS, Toolbox


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("query_gk", {}, "query_gk"),
        ("query_kg", '{"entityType":', "JSON"),
        ("query_kg", "[1, 2]", "JSON"),
        ("query_kg", "", "JSON"),
        ("query_kg", "[" * 19_000, "JSON"),
        ("query_kg", {"property": "x"}, "'x'"),
        ("query_kg", {"entityType": 5, "property": "x"}, "'5'"),
        ("query_kg", {"entityType": "x", "property": "x", "filters": "2007"}, "filters"),
        ("query_kg", {"entityType": "x", "property": "x", "filters": {"year": [["2006"]]}}, "filters"),
        ("query_kg", {"entityType": "x", "property": "x", "filtres": {}}, "filtres"),
        ("introspect_ontology", {"action": "drop"}, "'list_types'"),
        ("introspect_ontology", {"action": "get_properties"}, "entityType"),
        ("calculate", {"operation": "add", "values": []}, "values"),
        ("calculate", {"operation": "add", "values": [True, 1]}, "values"),
        ("calculate", {"operation": "add", "values": ["abc", 1]}, "'abc'"),
        ("calculate", '{"operation": "add", "values": [NaN, 1]}', ""),
        ("calculate", '{"operation": "add", "values": [1e999, 1]}', ""),
        ("find_in_text", {}, ""),
    ],
)
def test_errors_are_described_in_the_reply(tool: str, arguments: dict[str, object], named: str) -> None:
    box = toolbox()
    reply = box.call(tool, arguments)  # type: ignore[arg-type]
    assert reply["success"] is False
    assert named in str(reply["error"])
    assert reply["suggestion"]
    assert len(box.calls) == 1


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
sensible = st.fixed_dictionaries(
    {},
    optional={
        "entityType": st.sampled_from(["StockOption", "FinancialTable", ""]) | json_values,
        "property": st.sampled_from(["exercisePrice", "", "kg:"]) | json_values,
        "filters": st.dictionaries(st.sampled_from(["year", "period", "row", "order", "x"]), json_values) | json_values,
        "action": st.sampled_from(["list_types", "get_properties"]) | json_values,
        "operation": st.sampled_from(list(OPERATIONS)) | json_values,
        "values": st.lists(st.integers() | st.floats() | st.text(max_size=8), max_size=6) | json_values,
        "words": st.text(max_size=20) | json_values,
        "unit": st.text(max_size=8) | json_values,
        "period": st.text(max_size=8) | json_values,
    },
)


@given(st.sampled_from([*TOOLS, "other"]), sensible | json_values | st.text(max_size=40))
def test_no_error_escapes_and_every_reply_is_json(tool: str, arguments: object) -> None:
    knowledge = sample_knowledge()
    box = Toolbox(knowledge.graph(sample_pages()[OPTIONS]), knowledge.ontology, Memory())
    reply = box.call(tool, arguments)  # type: ignore[arg-type]
    assert box.calls[0].output == json.loads(json.dumps(reply))
    assert ("error" in reply) is (reply["success"] is False)


def test_calls_are_noted_in_order_with_input_output_and_time() -> None:
    noted: list[ToolCall] = []
    knowledge = sample_knowledge()
    box = Toolbox(knowledge.graph(sample_pages()[OPTIONS]), knowledge.ontology, Memory(), noted.append)
    box.call("list_entities", {"entityType": "StockOption"})
    box.call("calculate", '{"operation": "add", "values": [1, 2]}')
    assert [call.tool for call in noted] == ["list_entities", "calculate"]
    assert noted[1].input == {"operation": "add", "values": [1, 2]}
    assert isinstance(noted[1].output, dict)
    assert noted[1].output["result"] == 3
    assert all(call.started is not None and call.started.utcoffset() == timedelta(0) for call in noted)
    assert all(0 < call.seconds < 60 for call in noted)
    assert box.calls == noted


def test_entities_and_types_are_those_of_the_page() -> None:
    box = toolbox()
    entities = box.call("list_entities", {"entityType": "StockOption"})
    assert entities["entityType"] == "kg:StockOption"
    assert entities["instances"] == ["kg:StockOption_2007", "kg:StockOption_2006", "kg:StockOption_2005"]
    assert entities["count"] == 3
    assert box.call("list_entities", {})["count"] == 3
    types = box.call("introspect_ontology", {"action": "list_types"})
    assert types["entityTypes"] == ["kg:StockOption"]
    assert "kg:CashFlow" in types["otherTypes"]  # type: ignore[operator]
    with pytest.raises(SolverError):
        box.draft.plan()


def test_properties_are_those_of_the_page_else_those_of_the_ontology() -> None:
    box = toolbox()
    here = box.call("introspect_ontology", {"action": "get_properties", "entityType": "StockOption"})
    assert isinstance(here["properties"], list)
    assert here["properties"][0] == {
        "name": "kg:exercise_price", "label": "exercise price", "range": "xsd:decimal", "instances": 3,
    }  # fmt: skip
    assert here["more"]  # properties of the other sample page with stock options
    there = box.call("introspect_ontology", {"action": "get_properties", "entityType": "CashFlow"})
    assert "kg:net_cash_from_operating_activities" in str(there["properties"])
