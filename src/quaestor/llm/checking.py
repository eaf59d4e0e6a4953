"""Check the features of a model with small requests."""

import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.tools import ToolDefinition

from quaestor.errors import ModelReplyError
from quaestor.llm.messages import parse_object
from quaestor.llm.models import Connection
from quaestor.llm.structured.replies import shorten_line

_SUM = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
    "additionalProperties": False,
}
_TOTAL = {
    "type": "object",
    "properties": {"total": {"type": "integer"}},
    "required": ["total"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """Result of the check of one feature."""

    what: str
    able: bool
    detail: str


async def check_model(connection: Connection) -> AsyncIterator[ModelCheck]:
    """Check the features of a model one by one, and yield the results."""
    yield await _check_reachable(connection)
    profile = connection.model.profile
    tools, json_schema = profile.get("supports_tools", True), profile.get("supports_json_schema_output", False)
    yield await _try_probe(connection, "tools", tools, "tools", _tools)
    yield await _try_probe(connection, "structured output", json_schema, "json_schema", _structured)
    yield await _try_probe(connection, "streaming", True, "", _streaming)


async def _check_reachable(connection: Connection) -> ModelCheck:
    started = time.perf_counter()
    response = await model_request(connection.model, _prompt("Reply with the single word: ready"))
    milliseconds = 1000 * (time.perf_counter() - started)
    return ModelCheck("reachable", True, f"answered {_text(response)!r} in {milliseconds:.0f} ms")


async def _try_probe(
    connection: Connection, what: str, wanted: bool, switch: str, probe: Callable[[Connection], Awaitable[str]]
) -> ModelCheck:
    if not wanted:
        return ModelCheck(what, False, f"skipped because its profile disables {switch}")
    try:
        return ModelCheck(what, True, await probe(connection))
    except ModelReplyError as error:
        hint = f"; set {switch} = false in its [models.NAME] table" if switch else ""
        return ModelCheck(what, False, f"{error}{hint}")


async def _tools(connection: Connection) -> str:
    tool = ToolDefinition(name="add", parameters_json_schema=_SUM, description="Adds two whole numbers.")
    parameters = ModelRequestParameters(function_tools=[tool])
    messages = _prompt("Call the tool add with a = 2 and b = 3.")
    response = await model_request(connection.model, messages, model_request_parameters=parameters)
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    if not calls:
        raise ModelReplyError(f"it replied {_text(response)!r} instead of calling the tool")
    arguments = calls[0].args_as_json_str()
    if calls[0].tool_name != "add" or parse_object(arguments) != {"a": 2, "b": 3}:
        raise ModelReplyError(f"it called {calls[0].tool_name}({arguments}) instead of add(a=2, b=3)")
    return "called add(a=2, b=3)"


async def _structured(connection: Connection) -> str:
    wanted = OutputObjectDefinition(json_schema=_TOTAL, name="total")
    parameters = ModelRequestParameters(output_mode="native", output_object=wanted, allow_text_output=True)
    messages = _prompt("What is 2 + 3? Reply with JSON that has the key total.")
    response = await model_request(connection.model, messages, model_request_parameters=parameters)
    value = parse_object(_text(response))
    if value is None or not isinstance(value.get("total"), int):
        raise ModelReplyError(f"it replied {_text(response)!r} instead of JSON that matches the schema")
    return f"answered {json.dumps(value)}"


async def _streaming(connection: Connection) -> str:
    started, first, pieces = time.perf_counter(), 0.0, 0
    async with model_request_stream(connection.model, _prompt("Count from 1 to 5.")) as stream:
        async for _ in stream:
            first = first or time.perf_counter() - started
            pieces += 1
    if not pieces:
        raise ModelReplyError("the stream was empty")
    return f"began after {1000 * first:.0f} ms"


def _prompt(prompt: str) -> list[ModelMessage]:
    return [ModelRequest.user_text_prompt(prompt)]


def _text(response: ModelResponse) -> str:
    return shorten_line(response.text or "", 40)
