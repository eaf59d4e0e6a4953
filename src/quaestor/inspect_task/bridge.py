"""Sends the requests of quaestor's solvers to the models of an Inspect eval.

Takes the place of a cassette, between the client and the network; everything above it (typed replies, repairs, usage
per turn, error messages) is the same as in other runs. Inspect handles retries, limits, caching, usage and logging.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from quaestor.errors import SettingsError
from quaestor.llm.naming import ModelSpec, Profile
from quaestor.solvers.spec import RoleModel

if TYPE_CHECKING:
    import httpx2
    from inspect_ai.model import ChatMessage, ChatMessageAssistant, Model, ModelOutput
    from inspect_ai.tool import ToolChoice, ToolInfo

    from quaestor.llm.transcript import Sink

Node = dict[str, Any]

_MAIN = "inspect"
_ADDRESS = "http://inspect.invalid/v1"
_PROFILE = Profile(json_schema=False, json_object=False, strict=False)
"""Features that every provider of Inspect supports: tools and required tool calls. Few enforce reply schemas."""

_FINISH_REASONS = {
    "max_tokens": "length",
    "model_length": "length",
    "tool_calls": "tool_calls",
    "content_filter": "content_filter",
}
_MALFORMED_REPLY = (ValueError, TypeError, KeyError, IndexError, AttributeError, AssertionError)
"""Errors that a provider's client raises for a malformed reply."""


def spec_of(model: str) -> ModelSpec:
    """Return the specification of the eval's model."""
    return ModelSpec(model, "openai", _MAIN, _ADDRESS, profile=_PROFILE, temperature=None, timeout=float("inf"))


def role_specs(main: ModelSpec, roles: Mapping[str, RoleModel]) -> dict[str, ModelSpec]:
    """Return the specifications of the models for the solver's roles."""
    found = {}
    for role, wanted in roles.items():
        if wanted.model is not None:
            raise SettingsError(f"the {role} model comes from Inspect: set it with --model-role {role}=PROVIDER/NAME")
        found[role] = replace(main, model=f"{_MAIN}/{role}", temperature=wanted.temperature)
    return found


class InspectModels:
    """Transport that answers the requests of one conversation with the models of an eval.

    Attributes:
        ended: The error that ended the sample, unless it is an invalid reply: a limit, an operator, a missing package.
    """

    live = False
    sinks: "Sequence[Sink]" = ()

    def __init__(self) -> None:
        self.ended: Exception | None = None
        self._replies: dict[tuple[str, tuple[str, ...]], ChatMessageAssistant] = {}

    def transport(self, network: "httpx2.AsyncBaseTransport") -> "httpx2.AsyncBaseTransport":
        """Return the transport that answers requests; the network is not used."""
        import httpx2

        del network
        return httpx2.MockTransport(self.answer)

    async def answer(self, request: "httpx2.Request") -> "httpx2.Response":
        """Answer a chat completion request, in the format of an OpenAI server."""
        import httpx2
        from inspect_ai.model import GenerateConfig

        body: Node = json.loads(await request.aread())
        model = _model(str(body["model"]))
        try:
            output = await model.generate(
                await self._messages(body, str(model)),
                tools=_tools(body),
                tool_choice=_choice(body),
                config=GenerateConfig(temperature=body.get("temperature")),
            )
        except Exception as failure:  # noqa: BLE001 - whatever a provider's client raises
            return self._as_response(failure, model)
        return httpx2.Response(200, json=self._reply(output))

    async def _messages(self, body: Node, model: str) -> "list[ChatMessage]":
        """Return the messages of a request, with Inspect's original of each earlier reply, which has the reasoning."""
        from inspect_ai.model import messages_from_openai

        messages = await messages_from_openai(body["messages"], model)
        return [
            self._replies.get((message.text, tuple(call.id for call in message.tool_calls or ())), message)
            if message.role == "assistant"
            else message
            for message in messages
        ]

    def _reply(self, output: "ModelOutput") -> Node:
        if not output.choices:
            return {"choices": []}
        message = output.message
        calls = message.tool_calls or []
        self._replies[message.text, tuple(call.id for call in calls)] = message
        written: Node = {"role": "assistant", "content": message.text or None}
        if calls:
            written["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.function, "arguments": json.dumps(call.arguments)},
                }
                for call in calls
            ]
        end = _FINISH_REASONS.get(output.stop_reason, "stop")
        reply: Node = {
            "id": message.id or "reply",
            "object": "chat.completion",
            "created": 0,
            "model": output.model,
            "choices": [{"index": 0, "message": written, "finish_reason": end}],
        }
        if usage := output.usage:
            cached = usage.input_tokens_cache_read or 0
            read = usage.input_tokens + cached + (usage.input_tokens_cache_write or 0)
            reply["usage"] = {
                "prompt_tokens": read,
                "completion_tokens": usage.output_tokens,
                "total_tokens": read + usage.output_tokens,
                "prompt_tokens_details": {"cached_tokens": cached},
            }
        return reply

    def _as_response(self, failure: Exception, model: "Model") -> "httpx2.Response":
        """Convert an error to the HTTP response that caused it; an error without a response ends the sample."""
        import httpx2

        status = _status(failure)
        if status is None and not model.api.should_retry(failure):
            if isinstance(failure, _MALFORMED_REPLY) or type(failure).__name__.endswith("ValidationError"):
                # A malformed reply: handled like an unreadable response of a server, which is requested again.
                return httpx2.Response(200, text=f"{type(failure).__name__}: {failure}")
            self.ended = failure
            raise failure
        # Inspect has already retried as configured.
        body = {"error": {"message": " ".join(str(failure).split())[-400:]}}
        return httpx2.Response(status or 503, json=body, headers={"x-should-retry": "false"})


def _model(name: str) -> "Model":
    from inspect_ai.model import get_model

    return get_model() if name == _MAIN else get_model(role=name.removeprefix(f"{_MAIN}/"))


def _status(failure: BaseException) -> int | None:
    """Return the HTTP status of a provider's error or of one of its causes."""
    seen: BaseException | None = failure
    while seen is not None:
        status = getattr(seen, "status_code", None)
        if isinstance(status, int) and status >= 400:
            return status
        seen = seen.__cause__ or seen.__context__
    return None


def _choice(body: Node) -> "ToolChoice | None":
    from inspect_ai.tool import ToolFunction

    chosen = body.get("tool_choice")
    if isinstance(chosen, dict):
        return ToolFunction(name=chosen["function"]["name"])
    choices: dict[object, ToolChoice] = {"required": "any", "auto": "auto", "none": "none"}
    return choices.get(chosen)


def _tools(body: Node) -> "list[ToolInfo]":
    from inspect_ai.tool import ToolInfo, ToolParams

    offered = [tool["function"] for tool in body.get("tools", [])]
    return [
        ToolInfo(
            name=function["name"],
            description=function.get("description") or function["name"],
            parameters=ToolParams.model_validate(inline_schema(function.get("parameters") or {"type": "object"})),
        )
        for function in offered
    ]


def inline_schema(schema: Node) -> Node:
    """Convert a JSON schema for Inspect: references are inlined, constants become enums."""
    parts: Mapping[str, Node] = schema.get("$defs", {})

    def inline(value: Any) -> Any:
        if isinstance(value, list):
            return [inline(item) for item in value]
        if not isinstance(value, dict):
            return value
        if isinstance(name := value.get("$ref"), str):
            rest = {key: item for key, item in value.items() if key != "$ref"}
            return inline({**parts[name.removeprefix("#/$defs/")], **rest})
        found = {key: inline(item) for key, item in value.items()}
        if "const" in found and "properties" not in found:
            found["enum"] = [found.pop("const")]
        return found

    plain = inline({key: item for key, item in schema.items() if key != "$defs"})
    assert isinstance(plain, dict)
    return plain
