"""Requests of our solvers to Inspect's models: schemas and replies are converted without loss."""

import asyncio
from typing import Any

import pytest
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolReturnPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from quaestor.errors import SettingsError
from quaestor.inspect_task.bridge import InspectModels, inline_schema, role_specs, spec_of
from quaestor.llm.models import Connection, connect
from quaestor.llm.structured.schema import plain_schema
from quaestor.solvers.agent.protocol import Understanding
from quaestor.solvers.spec import RoleModel
from quaestor.solvers.tools.toolbox import TOOLS
from quaestor.solvers.workflow.schema import NumberPlan, WorkflowPlan

SCHEMAS = {
    **{name: tool.schema for name, tool in TOOLS.items()},
    **{kind.__name__: plain_schema(kind) for kind in (Understanding, NumberPlan, WorkflowPlan)},
}


def find_lost(sent: Any, kept: Any) -> set[str]:
    """Return the keys and values of a schema that are missing or changed in a copy."""
    if isinstance(sent, dict) and isinstance(kept, dict):
        gone = {key for key in sent.keys() - kept.keys() if sent[key] is not None}
        return gone.union(*(find_lost(sent[key], kept[key]) for key in sent.keys() & kept.keys()))
    if isinstance(sent, list) and isinstance(kept, list) and len(sent) == len(kept):
        return set().union(*(find_lost(one, other) for one, other in zip(sent, kept, strict=True)))
    return set() if sent == kept else {str(sent)}


@pytest.mark.parametrize("name", SCHEMAS)
def test_inspect_keeps_our_schemas(name: str) -> None:
    tool = pytest.importorskip("inspect_ai.tool")
    schema = inline_schema(SCHEMAS[name])
    validated = tool.ToolParams.model_validate(schema).model_dump(exclude_none=True)
    # These are checked again when a reply is read.
    assert find_lost(schema, validated) <= {"propertyNames", "minItems", "maxItems"}
    assert "$ref" not in str(schema)


def test_part_used_twice_appears_in_both_places() -> None:
    schema = {
        "$defs": {"Fixed": {"type": "string", "const": "table"}},
        "type": "object",
        "properties": {"one": {"$ref": "#/$defs/Fixed"}, "two": {"$ref": "#/$defs/Fixed", "description": "again"}},
    }
    assert inline_schema(schema) == {
        "type": "object",
        "properties": {
            "one": {"type": "string", "enum": ["table"]},
            "two": {"type": "string", "enum": ["table"], "description": "again"},
        },
    }


def test_role_has_its_temperature_and_an_inspect_model() -> None:
    specs = role_specs(spec_of("mockllm/model"), {"expert": RoleModel(temperature=0.7)})
    assert (specs["expert"].model, specs["expert"].temperature) == ("inspect/expert", 0.7)
    with pytest.raises(SettingsError):
        role_specs(spec_of("mockllm/model"), {"expert": RoleModel("anthropic:NAME")})


CALCULATE = ModelRequestParameters(
    function_tools=[ToolDefinition(name="calculate", parameters_json_schema=TOOLS["calculate"].schema)],
    allow_text_output=True,
)


def run_with_connection(reply: Any, ask: Any) -> Any:
    """Return what `ask` returns for a connection to an Inspect model with the given replies."""
    from inspect_ai.model import get_model
    from inspect_ai.model._model import init_active_model

    async def run() -> Any:
        model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
        init_active_model(model, model.config)
        async with connect(spec_of("mockllm/model"), cassette=InspectModels()) as connection:
            return await ask(connection)

    return asyncio.run(run())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # from a dependency of Inspect
def test_tool_calls_results_and_usage_convert_both_ways(local_models: None) -> None:
    inspect = pytest.importorskip("inspect_ai.model")
    messages_seen: list[list[Any]] = []
    second = inspect.ModelOutput.from_content("mockllm/model", "it is 5")
    second.usage = inspect.ModelUsage(input_tokens=7, output_tokens=3, total_tokens=12, input_tokens_cache_read=2)
    first = inspect.ModelOutput.for_tool_call("mockllm/model", "calculate", {"operation": "add", "operands": [2, 3]})
    first.usage = inspect.ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
    first.message.content = [inspect.ContentReasoning(reasoning="two and three", signature="signed")]

    async def ask(connection: Connection) -> tuple[ModelResponse, ModelResponse, Connection]:
        messages: list[ModelMessage] = [ModelRequest([UserPromptPart("what is 2 + 3?")])]
        response = await model_request(connection.model, messages, model_request_parameters=CALCULATE)
        (called,) = response.tool_calls
        messages += [response, ModelRequest([ToolReturnPart("calculate", "5", called.tool_call_id)])]
        return response, await model_request(connection.model, messages, model_request_parameters=CALCULATE), connection

    def reply(messages: list[Any], tools: Any, choice: Any, config: Any) -> Any:
        messages_seen.append(messages)
        return first if len(messages_seen) == 1 else second

    request, answered, connection = run_with_connection(reply, ask)
    (called,) = request.tool_calls
    assert called.args_as_dict() == {"operation": "add", "operands": [2, 3]}
    assert not request.text  # reasoning is not part of the text
    assert answered.text == "it is 5"
    used = connection.meter.total
    assert (used.requests, used.input_tokens, used.output_tokens, used.cached_tokens) == (2, 19, 8, 2)
    _, own, result = messages_seen[1]
    # The reply is sent back unchanged, including its signed reasoning.
    assert own.content[0].signature == "signed"
    assert (result.role, result.text, result.tool_call_id) == ("tool", "5", own.tool_calls[0].id)
