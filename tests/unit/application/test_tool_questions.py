import pytest
from pages import page
from pydantic import JsonValue
from toolboxes import OPTIONS, toolbox

from quaestor.application.tool_advice import WAYS_OUT
from quaestor.application.tool_questions import OTHER, REASONS, refusal_reason
from quaestor.conversation.memory import Memory
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.solvers.tools.toolbox import Toolbox


def kg(type_: str, property_: str, **filters: JsonValue) -> dict[str, JsonValue]:
    return {"entityType": type_, "property": property_, "filters": filters}


def compute(operation: str, *values: JsonValue) -> dict[str, JsonValue]:
    return {"operation": operation, "values": list(values)}


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("query_kg", kg("StockOption", "exercise price"), "several fit"),
        ("query_kg", kg("StockOption", "number of whales", year=2007), "no such property"),
        ("query_kg", kg("Whales", "exercise price"), "no such type"),
        ("query_kg", kg("StockOption", "exercise price", colour="red"), "no such filter"),
        ("query_kg", kg("StockOption", "exercise price", year=1871), "nothing fits"),
        ("query_kg", {"property": "exercise price", "year": 2007}, "wrong arguments"),
        ("introspect_ontology", {"action": "get_properties"}, "wrong arguments"),
        ("find_in_text", {}, "wrong arguments"),
        ("find_in_text", {"words": "zebra crossing"}, "nothing fits"),
        ("calculate", compute("subtract", 1), "wrong operands"),
        ("calculate", compute("integrate", 1, 2), "no such operation"),
        ("calculate", compute("table_sum", "whales"), "no such row"),
        ("calculate", compute("add", "#9", 1), "no such step"),
        ("calculate", compute("divide", 1, 0), OTHER),
        ("guess", {}, "no such tool"),
    ],
)
def test_every_refusal_of_the_tools_has_its_reason(tool: str, arguments: dict[str, JsonValue], reason: str) -> None:
    reply = toolbox(OPTIONS).call(tool, arguments)
    assert reply["success"] is False
    assert refusal_reason(reply) == reason


@pytest.mark.parametrize("output", [{"success": True, "value": 3}, [1], {"instances": []}, "3", None])
def test_a_result_is_no_refusal(output: JsonValue) -> None:
    assert refusal_reason(output) is None


def test_every_reason_but_the_last_has_a_way_out() -> None:
    assert set(WAYS_OUT) == set(REASONS) - {OTHER}


def test_a_dash_in_a_table_that_prints_zeros_is_an_empty_cell() -> None:
    document = page([["", "2012", "2011"], ["gain", "-", "0"], ["sales", "7", "8"]])
    knowledge = GraphProvider.of([document])
    box = Toolbox(knowledge.graph(document), knowledge.ontology, Memory())
    reply = box.call("query_kg", {"property": "gain", "filters": {"year": 2012}})
    assert refusal_reason(reply) == "an empty cell"
