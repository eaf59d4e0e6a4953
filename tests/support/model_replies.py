"""What a model says, and how the two protocols put it on the wire."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os.path import commonprefix
from typing import Any, Literal

Protocol = Literal["openai", "anthropic"]


@dataclass(frozen=True)
class Call:
    """A tool call. `arguments` may be text, for a model that writes broken JSON."""

    tool: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True)
class Reply:
    """What the server answers, and what goes wrong.

    Attributes:
        calls: Tool calls after it.
        tokens: Read and written.
        cached: How many of those read a server would have kept from requests before.
        truncated: Whether the model ran into its limit of tokens.
        delay: Seconds before the answer.
        status: Of HTTP; from 400 on the body is an error of the protocol that says `text`.
        headers: More of them, such as `retry-after`.
        body: The whole body word for word, instead of all that.
        kind: The content type that goes with `body`.
        cut: The connection is closed after so many bytes of the body.
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

    def after(self, seconds: float) -> "Reply":
        return replace(self, delay=seconds)

    def cut_at(self, size: int) -> "Reply":
        return replace(self, cut=size)


def say(text: str) -> Reply:
    return Reply(text)


def call(tool: str, /, **arguments: Any) -> Reply:
    return Reply(calls=(Call(tool, arguments),))


def too_many(retry_after: str | None = None) -> Reply:
    return Reply("slow down", status=429, headers={} if retry_after is None else {"retry-after": retry_after})


def broken(status: int = 500) -> Reply:
    return Reply("out of order", status=status)


def garbled(body: str = '{"choices": [{"mess', kind: str = "application/json") -> Reply:
    return Reply(body=body, kind=kind)


@dataclass(frozen=True)
class Asked:
    """A request, the same for both protocols.

    Attributes:
        body: The request's JSON.
        headers: In lower case.
        number: The request's place at this server, from 0.
    """

    protocol: Protocol
    body: dict[str, Any]
    headers: Mapping[str, str]
    number: int

    @property
    def stream(self) -> bool:
        return bool(self.body.get("stream"))

    @cached_property
    def tools(self) -> list[str]:
        """Name of the tools on offer."""
        tools = self.body.get("tools", [])
        return [tool["name"] if self.protocol == "anthropic" else tool["function"]["name"] for tool in tools]

    @cached_property
    def system(self) -> str:
        if self.protocol == "anthropic":
            return flat(self.body.get("system", ""))
        return "\n".join(flat(m["content"]) for m in self.body["messages"] if m["role"] in ("system", "developer"))

    @cached_property
    def prompts(self) -> list[str]:
        """What the user's side said, in order, tool results left out."""
        said = [flat(message["content"]) for message in self.body["messages"] if message["role"] == "user"]
        return [text for text in said if text]

    @cached_property
    def results(self) -> list[str]:
        """What the tools returned, in order."""
        found = []
        for message in self.body["messages"]:
            if message["role"] == "tool":
                found.append(flat(message["content"]))
            elif isinstance(message["content"], list):
                found += [flat(part["content"]) for part in message["content"] if part.get("type") == "tool_result"]
        return found


def flat(content: Any) -> str:
    """The text of a message's content."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(part["text"] for part in content if part.get("type") == "text")


def structured(asked: Asked, value: Mapping[str, Any], tool: str | None = None) -> Reply:
    """The value as the request wants it: a call of the output tool (the last on offer), or JSON as text."""
    if asked.tools and "response_format" not in asked.body:
        return Reply(calls=(Call(tool or asked.tools[-1], value),))
    return Reply(json.dumps(value))


def counted(asked: Asked, reply: Reply, before: Sequence[Asked] = ()) -> Reply:
    """The reply with a count of tokens: a quarter of the characters that a model reads (messages, tools, schemas) and
    writes (text, tool names, arguments), which is a rough mean of tokenizers on English and JSON. What begins like one
    of the requests before, to the character, counts as cached, as with servers that keep prefixes."""
    read = _read(asked)
    wrote = [reply.text, *(made.tool + made.text for made in reply.calls)]
    kept = max((len(commonprefix([read, _read(earlier)])) for earlier in before), default=0)  # noqa: RUF071 - characters
    return replace(reply, tokens=(len(read) // 4, max(1, len("".join(wrote)) // 4)), cached=kept // 4)


def _read(asked: Asked) -> str:
    """What a model reads of a request, in the order in which servers lay it out: tools and schemas come first."""
    names = ("tools", "response_format", "system", "messages")
    read = {name: asked.body[name] for name in names if name in asked.body}
    return json.dumps(read, ensure_ascii=False)


def written(asked: Asked, reply: Reply) -> tuple[str, str]:
    """The body of a reply and its content type."""
    if reply.body is not None:
        return reply.body, reply.kind
    if reply.status >= 400:
        return json.dumps({"type": "error", "error": {"type": "error", "message": reply.text}}), "application/json"
    if asked.stream:
        events = _anthropic_events(asked, reply) if asked.protocol == "anthropic" else _openai_events(asked, reply)
        return "".join(events), "text/event-stream"
    whole = _anthropic(asked, reply) if asked.protocol == "anthropic" else _openai(asked, reply)
    return json.dumps(whole), "application/json"


def _openai_calls(asked: Asked, reply: Reply) -> list[dict[str, Any]]:
    return [
        {"id": f"call_{asked.number}_{i}", "type": "function", "function": {"name": c.tool, "arguments": c.text}}
        for i, c in enumerate(reply.calls)
    ]


def _openai_end(reply: Reply) -> str:
    return "length" if reply.truncated else "tool_calls" if reply.calls else "stop"


def _openai_usage(reply: Reply) -> dict[str, Any]:
    read, wrote = reply.tokens
    usage: dict[str, Any] = {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}
    return {**usage, "prompt_tokens_details": {"cached_tokens": reply.cached}} if reply.cached else usage


def _openai(asked: Asked, reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = _openai_calls(asked, reply)
    return {
        "id": f"chatcmpl-{asked.number}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": asked.body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": _openai_end(reply)}],
        "usage": _openai_usage(reply),
    }


def _openai_events(asked: Asked, reply: Reply) -> Iterator[str]:
    def event(delta: dict[str, Any] | None, end: str | None = None, **more: Any) -> str:
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": end}]
        chunk = {
            "id": f"chatcmpl-{asked.number}",
            "object": "chat.completion.chunk",
            "created": 1_700_000_000,
            "model": asked.body["model"],
            "choices": choices,
            **more,
        }
        return f"data: {json.dumps(chunk)}\n\n"

    yield event({"role": "assistant", "content": ""})
    for piece in _pieces(reply.text):
        yield event({"content": piece})
    for index, made in enumerate(_openai_calls(asked, reply)):
        arguments = made["function"]["arguments"]
        opened = {**made, "index": index, "function": {"name": made["function"]["name"], "arguments": ""}}
        yield event({"tool_calls": [opened]})
        for piece in _pieces(arguments):
            yield event({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield event({}, _openai_end(reply))
    if asked.body.get("stream_options", {}).get("include_usage"):
        yield event(None, usage=_openai_usage(reply))
    yield "data: [DONE]\n\n"


def _anthropic_blocks(asked: Asked, reply: Reply) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    for index, made in enumerate(reply.calls):
        # Anthropic's arguments are JSON, not text: what is broken on purpose can only be broken in a stream.
        value = json.loads(made.text) if asked.stream is False else made.text
        blocks.append({"type": "tool_use", "id": f"toolu_{asked.number}_{index}", "name": made.tool, "input": value})
    return blocks


def _anthropic_end(reply: Reply) -> str:
    return "max_tokens" if reply.truncated else "tool_use" if reply.calls else "end_turn"


def _anthropic(asked: Asked, reply: Reply) -> dict[str, Any]:
    read, wrote = reply.tokens
    return {
        "id": f"msg_{asked.number}",
        "type": "message",
        "role": "assistant",
        "model": asked.body["model"],
        "content": _anthropic_blocks(asked, reply),
        "stop_reason": _anthropic_end(reply),
        "stop_sequence": None,
        "usage": {"input_tokens": read, "output_tokens": wrote},
    }


def _anthropic_events(asked: Asked, reply: Reply) -> Iterator[str]:
    def event(kind: str, **more: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n"

    started = {**_anthropic(asked, Reply(tokens=reply.tokens)), "content": [], "stop_reason": None}
    started["usage"] = {"input_tokens": reply.tokens[0], "output_tokens": 1}
    yield event("message_start", message=started)
    for index, block in enumerate(_anthropic_blocks(asked, reply)):
        if block["type"] == "text":
            yield event("content_block_start", index=index, content_block={"type": "text", "text": ""})
            for piece in _pieces(block["text"]):
                yield event("content_block_delta", index=index, delta={"type": "text_delta", "text": piece})
        else:
            yield event("content_block_start", index=index, content_block={**block, "input": {}})
            for piece in _pieces(block["input"]):
                delta = {"type": "input_json_delta", "partial_json": piece}
                yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    ended = {"stop_reason": _anthropic_end(reply), "stop_sequence": None}
    yield event("message_delta", delta=ended, usage={"output_tokens": reply.tokens[1]})
    yield event("message_stop")


def _pieces(text: str, size: int = 40) -> Iterator[str]:
    for start in range(0, len(text), size):
        yield text[start : start + size]
