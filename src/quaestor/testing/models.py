"""A model with scripted replies, to test solvers that ask a model without network, key or server."""

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
    """Tool call by the model. `arguments` may be text, for a model that writes broken JSON."""

    tool: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The arguments as the model writes them."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True)
class Reply:
    """Reply of the model, with optional faults.

    Attributes:
        cached: Number of input tokens that a server would have cached.
        status: HTTP status; from 400 on, the body is an error with the message `text`.
        headers: Additional headers, such as `retry-after`.
        body: The whole body, instead of one built from the fields above.
        kind: The content type of `body`.
        cut: Number of bytes of the body after which the connection is closed.
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
    """Request to the model."""

    protocol: Protocol
    body: dict[str, Any]
    headers: Mapping[str, str]
    number: int

    @property
    def stream(self) -> bool:
        """Whether a streamed reply is requested."""
        return bool(self.body.get("stream"))

    @cached_property
    def tools(self) -> list[str]:
        """The names of the available tools."""
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
        """The user messages in order, without tool results."""
        found = [_text_of(message["content"]) for message in self.body["messages"] if message["role"] == "user"]
        return [text for text in found if text]

    @cached_property
    def results(self) -> list[str]:
        """The tool results in order."""
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
    """Return an object in the requested form: a call of the output tool (the last one available), or JSON as text."""
    if request.tools and "response_format" not in request.body:
        return Reply(calls=(Call(tool or request.tools[-1], value),))
    return Reply(json.dumps(value))


def openai_reply(request: ReceivedRequest, reply: Reply) -> dict[str, Any]:
    """Return a reply as JSON of OpenAI's chat completions."""
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
"""Reply in a script: text; an object, which is sent in the requested form; or a `Reply`."""


class ScriptedModel:
    """Model that replies from a script. Everything but the network is quaestor's regular model access.

    >>> model = ScriptedModel(["I cannot say.", {"line": "net sales"}])
    >>> model.requests
    []
    """

    # A session accepts it in place of a cassette.
    live = False
    sinks: "Sequence[Sink]" = ()

    def __init__(self, script: Iterable[ScriptedReply] | Callable[[ReceivedRequest], ScriptedReply]) -> None:
        """Set the replies in order, or a function that returns the reply to each request."""
        self.requests: list[ReceivedRequest] = []
        self.is_exhausted = False
        self._left = iter(() if callable(script) else list(script))
        self._script = script if callable(script) else self._next

    @staticmethod
    def allowed() -> AbstractContextManager[None]:
        """Allow requests within the block, even if pydantic-ai blocks model requests; they never leave the process."""
        require_extra("models", "a scripted model")
        from pydantic_ai.models import override_allow_model_requests

        return override_allow_model_requests(True)

    def transport(self, network: object) -> "httpx2.AsyncBaseTransport":
        """Return a transport that replies instead of the network."""
        del network
        import httpx2

        return httpx2.MockTransport(self._answer)

    async def _answer(self, request: "httpx2.Request") -> "httpx2.Response":
        import httpx2

        received = ReceivedRequest(
            "openai", json.loads(await request.aread()), dict(request.headers), len(self.requests)
        )
        self.requests.append(received)
        given = self._script(received)
        reply = Reply(given) if isinstance(given, str) else given
        reply = reply if isinstance(reply, Reply) else structured(received, reply)
        await asyncio.sleep(reply.delay)
        body = reply.body
        if body is None:
            failed = {"error": {"type": "error", "message": reply.text}}
            body = json.dumps(failed if reply.status >= 400 else openai_reply(received, reply))
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
