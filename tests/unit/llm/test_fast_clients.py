"""The short way to a server sends what the vendors' own way sends."""

import asyncio
import gc
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from model_bench import CANARY
from model_replies import Asked, Reply
from model_server import ModelServer
from openai import AsyncOpenAI
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from quaestor.llm.fast_clients import OpenAIClient, OpenAIModel, ParameterCache
from quaestor.llm.structured.modes import output_tool
from quaestor.llm.structured.replies import RequestedCall, answered, initial_messages, kept
from quaestor.llm.structured.schema import plain_schema, whole_schema
from quaestor.solvers.agent.messages import FinalAnswer, Understanding
from quaestor.solvers.agent.protocol import answer_request

pytestmark = pytest.mark.usefixtures("local_models")

STRICT = ToolDefinition(name="x", parameters_json_schema=whole_schema(FinalAnswer), description="X.", strict=True)
SHAPES = {
    "text": ModelRequestParameters(),
    "tools": answer_request(True, stating=True, whole=False, last=False),
    "strict": ModelRequestParameters(function_tools=[STRICT]),
    "schema": ModelRequestParameters(
        output_mode="native", output_object=OutputObjectDefinition(plain_schema(FinalAnswer), name="x", strict=False)
    ),
}


async def exchange(model: OpenAIChatModel, shape: ModelRequestParameters, stream: bool) -> None:
    messages: list[ModelMessage] = initial_messages("You répond.", "Hello?")
    if stream:
        async with model_request_stream(model, messages, model_request_parameters=shape) as replies:
            async for _ in replies:
                pass
        return
    response = await model_request(model, messages, model_request_parameters=shape)
    messages += [kept(response), answered([(RequestedCall("calculate", {}, "call_0_0"), {"ok": True})], "Go on.")]
    await model_request(model, messages, model_request_parameters=shape)


def sent(client: type[AsyncOpenAI], model: type[OpenAIChatModel], shape: str, stream: bool) -> list[Asked]:
    async def run(server: ModelServer) -> None:
        async with httpx2.AsyncClient() as http:
            sdk = client(api_key=CANARY, base_url=f"{server.url}/v1", http_client=http, max_retries=0)
            settings = ModelSettings(temperature=0.0, seed=7, max_tokens=50, extra_body={"extra": 1}, timeout=9.0)
            asked = model("gpt-4o", provider=OpenAIProvider(openai_client=sdk), settings=settings)
            await exchange(asked, SHAPES[shape], stream)

    with ModelServer(lambda asked: Reply("hello")) as server:
        asyncio.run(run(server))
        return server.asked


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_same_is_sent(shape: str, stream: bool) -> None:
    theirs = sent(AsyncOpenAI, OpenAIChatModel, shape, stream)
    ours = sent(OpenAIClient, OpenAIModel, shape, stream)
    assert len(ours) == 2 - stream
    assert [asked.body for asked in ours] == [asked.body for asked in theirs]
    assert ours[0].body["extra"] == 1
    for one, other in zip(ours, theirs, strict=True):
        differ = {name for name in {*one.headers, *other.headers} if one.headers.get(name) != other.headers.get(name)}
        assert differ <= {"host"}
        assert one.headers["authorization"] == f"Bearer {CANARY}"


def test_parameters_are_suited_once_by_identity() -> None:
    made: list[ModelRequestParameters] = []

    def suit(given: ModelRequestParameters) -> ModelRequestParameters:
        made.append(given)
        return replace(given, allow_text_output=False)

    kept_ones, one, equal = ParameterCache(), ModelRequestParameters(), ModelRequestParameters()
    first = kept_ones.get(one, suit)
    assert kept_ones.get(one, suit) is first
    assert kept_ones.get(equal, suit) is not first
    assert made == [one, equal]


def test_parameters_that_are_thrown_away_are_never_taken_for_others() -> None:
    kept_ones = ParameterCache()

    def suit(given: ModelRequestParameters) -> ModelRequestParameters:
        return replace(given, allow_text_output=not given.allow_text_output)

    for number in range(300):
        given: Any = ModelRequestParameters(output_tools=[output_tool(Understanding, f"tool_{number}", "")])
        assert kept_ones.get(given, suit).output_tools[0].name == f"tool_{number}"
        del given
        gc.collect(0)
