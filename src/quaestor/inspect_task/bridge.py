"""Requests of our solvers, answered by the models of the eval that Inspect is running.

Stands where a cassette stands, between a client and the network: what is above it (typed replies, repairs, usage by
turn, words for errors) is the same as in any run. Retries, limits, caching, usage and the log of calls are Inspect's.
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
_CAN = Profile(json_schema=False, json_object=False, strict=False)
"""What every provider of Inspect can do: tools, and requiring one. Schemas of replies only some of them hold."""

_ENDS = {
    "max_tokens": "length",
    "model_length": "length",
    "tool_calls": "tool_calls",
    "content_filter": "content_filter",
}
_STUMBLES = (ValueError, TypeError, KeyError, IndexError, AttributeError, AssertionError)
"""What a provider's client stumbles over in a reply that is not of its protocol."""


def spec_of(model: str) -> ModelSpec:
    """Return the way to the model of the eval; patience and sampling are Inspect's."""
    return ModelSpec(model, "openai", _MAIN, _ADDRESS, profile=_CAN, temperature=None, timeout=float("inf"))


def role_specs(main: ModelSpec, roles: Mapping[str, RoleModel]) -> dict[str, ModelSpec]:
    """Return the ways to the models of the solver's roles."""
    found = {}
    for role, wanted in roles.items():
        if wanted.model is not None:
            raise SettingsError(f"the {role} model comes from Inspect: set it with --model-role {role}=PROVIDER/NAME")
        found[role] = replace(main, model=f"{_MAIN}/{role}", temperature=wanted.temperature)
    return found


class InspectModels:
    """The models of an eval, as one conversation asks them."""

    live = False
    sinks: "Sequence[Sink]" = ()

    def __init__(self) -> None:
        """Begin without any reply."""
        self.ended: Exception | None = None
        self._replies: dict[tuple[str, tuple[str, ...]], ChatMessageAssistant] = {}

    def transport(self, network: "httpx2.AsyncBaseTransport") -> "httpx2.AsyncBaseTransport":
        """Return what answers requests; the network is not used."""
        import httpx2

        del network
        return httpx2.MockTransport(self.answer)

    async def answer(self, request: "httpx2.Request") -> "httpx2.Response":
        """Return a reply to a chat completion, as a server would give it."""
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
        """Return what is said. A reply that is sent back is the very message that it was, its reasoning included."""
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
        end = _ENDS.get(output.stop_reason, "stop")
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
        """Return a failure as the server's reply that it was; what was no reply ends the sample as it is."""
        import httpx2

        status = _status(failure)
        if status is None and not model.api.should_retry(failure):
            if isinstance(failure, _STUMBLES) or type(failure).__name__.endswith("ValidationError"):
                # As a server's reply would come up that cannot be read: it is asked for again.
                return httpx2.Response(200, text=f"{type(failure).__name__}: {failure}")
            self.ended = failure
            raise failure
        # Inspect has tried again as often as it was told to.
        body = {"error": {"message": " ".join(str(failure).split())[-400:]}}
        return httpx2.Response(status or 503, json=body, headers={"x-should-retry": "false"})


def _model(name: str) -> "Model":
    from inspect_ai.model import get_model

    return get_model() if name == _MAIN else get_model(role=name.removeprefix(f"{_MAIN}/"))


def _status(failure: BaseException) -> int | None:
    """Return the HTTP status that a provider's failure carries, or one that caused it."""
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
            parameters=ToolParams.model_validate(whole(function.get("parameters") or {"type": "object"})),
        )
        for function in offered
    ]


def whole(schema: Node) -> Node:
    """Return a JSON schema in the words that Inspect's schemas have: parts in place, fixed values as choices."""
    parts: Mapping[str, Node] = schema.get("$defs", {})

    def placed(value: Any) -> Any:
        if isinstance(value, list):
            return [placed(item) for item in value]
        if not isinstance(value, dict):
            return value
        if isinstance(name := value.get("$ref"), str):
            rest = {key: item for key, item in value.items() if key != "$ref"}
            return placed({**parts[name.removeprefix("#/$defs/")], **rest})
        found = {key: placed(item) for key, item in value.items()}
        if "const" in found and "properties" not in found:
            found["enum"] = [found.pop("const")]
        return found

    plain = placed({key: item for key, item in schema.items() if key != "$defs"})
    assert isinstance(plain, dict)
    return plain
