"""A model whose replies are scripted: for tests of solvers that ask one, without a network, a key or a server."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from quaestor.extras import require_extra

if TYPE_CHECKING:
    import httpx2

    from quaestor.llm.transcript import Sink

Protocol = Literal["openai", "anthropic"]


@dataclass(frozen=True)
class Call:
    """A call of a tool by the model. `arguments` may be text, for a model that writes broken JSON."""

    tool: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The arguments as the model writes them."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True)
class Reply:
    """A reply of the model, and what goes wrong on the way.

    Attributes:
        calls: Tool calls after the text.
        tokens: How many the model read and wrote.
        cached: How many of those read a server would have kept from earlier requests.
        truncated: Whether the model reached its limit of tokens.
        delay: Seconds until the reply is sent.
        status: The status of HTTP; from 400 on, the body is an error with the message `text`.
        headers: More headers, such as `retry-after`.
        body: The whole body, instead of one made of the fields above.
        kind: The content type of `body`.
        cut: After how many bytes of the body the connection is closed.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    tokens: tuple[int, int] = (10, 5)
    cached: int = 0
    truncated: bool = False
    delay: float = 0.0
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    kind: str = "application/json"
    cut: int | None = None


@dataclass(frozen=True)
class ReceivedRequest:
    """A request to the model.

    Attributes:
        protocol: The API whose form it has.
        body: Its JSON.
        headers: By names in lower case.
        number: Its place among the requests, from 0.
    """

    protocol: Protocol
    body: dict[str, Any]
    headers: Mapping[str, str]
    number: int

    @property
    def stream(self) -> bool:
        """Whether the reply is to come in pieces."""
        return bool(self.body.get("stream"))

    @cached_property
    def tools(self) -> list[str]:
        """The names of the tools on offer."""
        tools = self.body.get("tools", [])
        return [tool["name"] if self.protocol == "anthropic" else tool["function"]["name"] for tool in tools]

    @cached_property
    def system(self) -> str:
        """The instructions."""
        if self.protocol == "anthropic":
            return _text_of(self.body.get("system", ""))
        found = (m["content"] for m in self.body["messages"] if m["role"] in ("system", "developer"))
        return "\n".join(map(_text_of, found))

    @cached_property
    def prompts(self) -> list[str]:
        """The messages of the user, in order, without results of tools."""
        found = [_text_of(message["content"]) for message in self.body["messages"] if message["role"] == "user"]
        return [text for text in found if text]

    @cached_property
    def results(self) -> list[str]:
        """What the tools returned, in order."""
        found = []
        for message in self.body["messages"]:
            if message["role"] == "tool":
                found.append(_text_of(message["content"]))
            elif isinstance(message["content"], list):
                found += [_text_of(part["content"]) for part in message["content"] if part.get("type") == "tool_result"]
        return found


def _text_of(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(part["text"] for part in content if part.get("type") == "text")


def structured(request: ReceivedRequest, value: Mapping[str, Any], tool: str | None = None) -> Reply:
    """Return an object as the request wants it: a call of the output tool (the last on offer), or JSON as text."""
    if request.tools and "response_format" not in request.body:
        return Reply(calls=(Call(tool or request.tools[-1], value),))
    return Reply(json.dumps(value))


def openai_reply(request: ReceivedRequest, reply: Reply) -> dict[str, Any]:
    """Return the JSON of a reply in OpenAI's chat completions."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = [
            {"id": f"call_{request.number}_{i}", "type": "function", "function": {"name": c.tool, "arguments": c.text}}
            for i, c in enumerate(reply.calls)
        ]
    read, wrote = reply.tokens
    usage: dict[str, Any] = {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}
    if reply.cached:
        usage["prompt_tokens_details"] = {"cached_tokens": reply.cached}
    end = "length" if reply.truncated else "tool_calls" if reply.calls else "stop"
    return {
        "id": f"chatcmpl-{request.number}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": request.body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": end}],
        "usage": usage,
    }


ScriptedReply = str | Mapping[str, Any] | Reply
"""A reply in a script: text; an object, which is sent in the form that the request wants; or a `Reply`."""


class ScriptedModel:
    """A model that gives replies from a script. All of quaestor's own way to a model is used, except the network.

    >>> model = ScriptedModel(["I cannot say.", {"line": "net sales"}])
    >>> model.requests
    []

    Attributes:
        requests: What it was asked, in order.
        is_exhausted: Whether it was asked more often than the script has replies.
    """

    # A session takes it in place of a cassette.
    live = False
    sinks: "Sequence[Sink]" = ()

    def __init__(self, script: Iterable[ScriptedReply] | Callable[[ReceivedRequest], ScriptedReply]) -> None:
        """Take the replies in order, or a function that gives the reply to each request."""
        self.requests: list[ReceivedRequest] = []
        self.is_exhausted = False
        self._left = iter(() if callable(script) else list(script))
        self._script = script if callable(script) else self._next

    @staticmethod
    def allowed() -> AbstractContextManager[None]:
        """Allow requests inside, which never leave the process, even if pydantic-ai is set to allow none.

        Raises:
            SettingsError: The extra `models` is not installed.
        """
        require_extra("models", "a scripted model")
        from pydantic_ai.models import override_allow_model_requests

        return override_allow_model_requests(True)

    def transport(self, network: object) -> "httpx2.AsyncBaseTransport":
        """Return what answers the requests of a connection in place of the network."""
        del network
        import httpx2

        return httpx2.MockTransport(self._answer)

    async def _answer(self, request: "httpx2.Request") -> "httpx2.Response":
        import httpx2

        asked = ReceivedRequest("openai", json.loads(await request.aread()), dict(request.headers), len(self.requests))
        self.requests.append(asked)
        given = self._script(asked)
        reply = Reply(given) if isinstance(given, str) else given
        reply = reply if isinstance(reply, Reply) else structured(asked, reply)
        await asyncio.sleep(reply.delay)
        body = reply.body
        if body is None:
            failed = {"error": {"type": "error", "message": reply.text}}
            body = json.dumps(failed if reply.status >= 400 else openai_reply(asked, reply))
        headers = {"content-type": reply.kind, **reply.headers}

        async def sent() -> AsyncIterator[bytes]:
            yield body.encode()[: reply.cut]
            if reply.cut is not None:
                raise httpx2.RemoteProtocolError("the connection was closed", request=request)

        return httpx2.Response(reply.status, headers=headers, content=sent(), request=request)

    def _next(self, request: ReceivedRequest) -> ScriptedReply:
        for reply in self._left:
            return reply
        self.is_exhausted = True
        return Reply(f"the script has no reply to request {request.number + 1}", status=400)
