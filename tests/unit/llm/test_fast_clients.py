"""The short way to a server sends what the vendors' own way sends."""

import asyncio
import gc
import json
from dataclasses import asdict, replace
from pkgutil import resolve_name
from typing import Any, cast

import httpx2
import pytest
from model_bench import CANARY
from model_replies import broken, garbled, say, too_many
from model_server import ModelServer
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.tools import ToolDefinition

from quaestor.llm.structured.replies import RequestedCall, initial_messages, make_sendable, return_results
from quaestor.llm.structured.request import output_tool
from quaestor.llm.structured.schema import plain_schema, whole_schema
from quaestor.llm.transport import BareHTTPClient
from quaestor.solvers.agent.messages import FinalAnswer, Understanding
from quaestor.solvers.agent.protocol import answer_request
from quaestor.testing.models import ReceivedRequest, Reply

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


PROVIDERS = {
    "openai": ("pydantic_ai.providers.openai:OpenAIProvider", "openai_client"),
    "anthropic": ("pydantic_ai.providers.anthropic:AnthropicProvider", "anthropic_client"),
}
OURS = {
    "openai": ("quaestor.llm.fast_clients:OpenAIClient", "quaestor.llm.fast_clients:OpenAIModel"),
    "anthropic": ("quaestor.llm.fast_clients:AnthropicClient", "quaestor.llm.fast_clients:MessagesModel"),
}
THEIRS = {
    "openai": ("openai:AsyncOpenAI", "pydantic_ai.models.openai:OpenAIChatModel"),
    "anthropic": ("anthropic:AsyncAnthropic", "pydantic_ai.models.anthropic:AnthropicModel"),
}
"""By their names: the vendors' libraries take seconds to import."""
FAILURES = {
    "refused": Reply("no such field", status=400),
    "no key": Reply("who are you?", status=401),
    "no model": Reply("no such model", status=404),
    "too many": too_many("7"),
    "out of order": broken(503),
    "elsewhere": Reply(status=307, headers={"location": "/v1/elsewhere"}, body=""),
    "half of it": garbled(),
    "text": garbled("hello", "text/plain"),
    "cut": say("hello", cut=9),
}


async def exchange(model: Model, shape: ModelRequestParameters, stream: bool) -> None:
    messages: list[ModelMessage] = initial_messages("You répond.", "Hello?")
    if stream:
        async with model_request_stream(model, messages, model_request_parameters=shape) as replies:
            async for _ in replies:
                pass
        return
    for _ in range(3):  # the first is made by the client, the second too and kept, the third is like it
        response = await model_request(model, messages, model_request_parameters=shape)
        messages += [
            make_sendable(response),
            return_results([(RequestedCall("calculate", {}, "call_0_0"), {"ok": True})], "Go on."),
        ]


def made(kinds: tuple[str, str], url: str, http: httpx2.AsyncClient) -> Model:
    client, model = map(resolve_name, kinds)
    protocol = next(name for name in OURS if kinds in (OURS[name], THEIRS[name]))
    provider, argument = PROVIDERS[protocol]
    options: dict[str, Any] = {"api_key": CANARY, "http_client": http, "max_retries": 0}
    said: dict[str, Any] = {"temperature": 0.0, "max_tokens": 50, "extra_body": {"extra": 1}, "timeout": 9.0}
    if protocol == "anthropic":
        name, address = "claude-sonnet-4-6", url
        said["anthropic_cache_instructions"] = True
    else:
        name, address = "gpt-4o", f"{url}/v1"
        said["seed"] = 7
    reached = resolve_name(provider)(**{argument: client(base_url=address, **options)})
    return cast(Model, model(name, provider=reached, settings=said))


def client_of(kinds: tuple[str, str]) -> httpx2.AsyncClient:
    timeout = httpx2.Timeout(5)
    if kinds in OURS.values():
        return BareHTTPClient(httpx2.AsyncHTTPTransport(), timeout=timeout)
    return httpx2.AsyncClient(timeout=timeout)


def sent(kinds: tuple[str, str], shape: str, stream: bool) -> list[ReceivedRequest]:
    async def run(server: ModelServer) -> None:
        async with client_of(kinds) as http:
            await exchange(made(kinds, server.url, http), SHAPES[shape], stream)

    with ModelServer(lambda asked: Reply("hello")) as server:
        asyncio.run(run(server))
        return server.asked


@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("protocol", "shape"),
    [("openai", shape) for shape in SHAPES] + [("anthropic", shape) for shape in SHAPES if shape != "schema"],
)
def test_the_same_is_sent(protocol: str, shape: str, stream: bool) -> None:
    theirs, ours = sent(THEIRS[protocol], shape, stream), sent(OURS[protocol], shape, stream)
    assert len(ours) == (1 if stream else 3)
    assert [asked.body for asked in ours] == [asked.body for asked in theirs]
    assert ours[0].body["extra"] == 1
    for one, other in zip(ours, theirs, strict=True):
        differ = {name for name in {*one.headers, *other.headers} if one.headers.get(name) != other.headers.get(name)}
        assert differ <= {"host"}
        assert CANARY in one.headers.get("authorization", "") + one.headers.get("x-api-key", "")


def failed(kinds: tuple[str, str], reply: Reply | None) -> list[tuple[object, ...]]:
    """What three requests in a row end with, word for word but for the port; without a reply nobody listens."""

    async def run(url: str) -> list[tuple[object, ...]]:
        found = list[tuple[object, ...]]()
        async with client_of(kinds) as http:
            model = made(kinds, url, http)
            for _ in range(3):
                with pytest.raises(Exception) as caught:  # noqa: PT011 - which one it is, is what is compared
                    await model_request(model, initial_messages("You respond.", "Hello?"))
                error, causes = caught.value, list[object]()
                while error is not None:
                    causes.append((type(error), str(error).replace(url, "")))
                    error = error.__cause__  # type: ignore[assignment]
                found.append((*causes, getattr(caught.value, "retry_after", None)))
        return found

    if reply is None:
        return asyncio.run(run("http://127.0.0.1:9"))
    with ModelServer(lambda asked: reply) as server:
        return asyncio.run(run(server.url))


@pytest.mark.slow
@pytest.mark.parametrize("failure", [*FAILURES, "nobody"])
@pytest.mark.parametrize("protocol", OURS)
def test_errors_have_the_same_words(protocol: str, failure: str) -> None:
    theirs, ours = (failed(kinds[protocol], FAILURES.get(failure)) for kinds in (THEIRS, OURS))
    assert ours == theirs


def chat(message: dict[str, Any], choice: dict[str, Any], **whole: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": "hello"} | message
    one = {"index": 0, "message": said, "finish_reason": "stop"} | choice
    return {"id": "c", "object": "chat.completion", "created": 1_700_000_000, "model": "m", "choices": [one]} | whole


def talk(*blocks: dict[str, Any], **whole: Any) -> dict[str, Any]:
    usage = {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 3}
    told = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": list(blocks), "usage": usage}
    return told | {"stop_reason": "end_turn", "stop_sequence": None} | whole


TOOL = {"id": "call_1", "type": "function", "function": {"name": "x", "arguments": '{"a": 1}'}}
TEXT = {"type": "text", "text": "hello"}
BODIES: list[tuple[str, dict[str, Any]]] = [
    ("openai", chat({}, {})),
    ("openai", chat({"content": None, "tool_calls": [TOOL]}, {"finish_reason": "tool_calls"})),
    ("openai", chat({"reasoning_content": "hm", "more": 1}, {"more": 2}, more=3, service_tier="on_demand")),
    ("openai", chat({}, {"finish_reason": None}, usage={"prompt_tokens": 1, "completion_tokens": 2, "odd": 4})),
    ("openai", chat({}, {"finish_reason": "odd", "index": "0"}, created=None)),
    ("openai", chat({"content": [{"type": "text", "text": "hel"}, {"type": "image"}]}, {})),
    ("openai", chat({"refusal": "no"}, {"finish_reason": "content_filter"})),
    ("openai", {"choices": [{"message": {"content": "hello"}}]}),
    ("openai", {"choices": []}),
    ("anthropic", talk(TEXT)),
    (
        "anthropic",
        talk(TEXT, {"type": "tool_use", "id": "t", "name": "x", "input": {"a": [1]}}, stop_reason="tool_use"),
    ),
    ("anthropic", talk({"type": "thinking", "thinking": "hm", "signature": "s"}, TEXT | {"citations": None}, more=1)),
    ("anthropic", talk({"type": "odd", "text": "hello"}, TEXT)),
    ("anthropic", talk(TEXT, stop_reason="odd")),
    ("anthropic", talk(TEXT, usage={"input_tokens": 10, "output_tokens": 5, "service_tier": "odd"})),
    ("anthropic", {"content": [TEXT]}),
]


def read(kinds: tuple[str, str], body: dict[str, Any]) -> list[object]:
    """What two requests in a row come to: a response without its times, or the words of an error."""

    async def run(url: str) -> list[object]:
        found = list[object]()
        async with client_of(kinds) as http:
            model = made(kinds, url, http)
            for _ in range(2):
                try:
                    response = await model_request(model, initial_messages("You respond.", "Hello?"))
                except Exception as error:  # noqa: BLE001 - which one it is, is what is compared
                    found.append((type(error), str(error)))
                else:
                    told = asdict(response)
                    found.append({name: told[name] for name in told if "timestamp" not in name})
        return found

    with ModelServer(lambda asked: garbled(json.dumps(body))) as server:
        told: list[object] = json.loads(json.dumps(asyncio.run(run(server.url)), default=str).replace(server.url, ""))
    return told


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "body"), BODIES)
def test_the_same_is_read(protocol: str, body: dict[str, Any]) -> None:
    theirs, ours = (read(kinds[protocol], body) for kinds in (THEIRS, OURS))
    assert ours == theirs


def test_parameters_are_suited_once_by_identity() -> None:
    made: list[ModelRequestParameters] = []

    def suit(given: ModelRequestParameters) -> ModelRequestParameters:
        made.append(given)
        return replace(given, allow_text_output=False)

    from quaestor.llm.fast_clients import ParameterCache

    cache, one, equal = ParameterCache(), ModelRequestParameters(), ModelRequestParameters()
    first = cache.get(one, suit)
    assert cache.get(one, suit) is first
    assert cache.get(equal, suit) is not first
    assert made == [one, equal]


def test_discarded_parameters_are_never_mistaken_for_others() -> None:
    from quaestor.llm.fast_clients import ParameterCache

    cache = ParameterCache()

    def suit(given: ModelRequestParameters) -> ModelRequestParameters:
        return replace(given, allow_text_output=not given.allow_text_output)

    for number in range(300):
        given: Any = ModelRequestParameters(output_tools=[output_tool(Understanding, f"tool_{number}", "")])
        assert cache.get(given, suit).output_tools[0].name == f"tool_{number}"
        del given
        gc.collect(0)
