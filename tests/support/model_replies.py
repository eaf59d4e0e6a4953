"""Faulty replies of a model server, and how the two protocols serialize a reply."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from os.path import commonprefix
from typing import Any

from quaestor.testing.models import Call, ReceivedRequest, Reply, openai_reply


def say(text: str, *, delay: float = 0.0, cut: int | None = None) -> Reply:
    return Reply(text, delay=delay, cut=cut)


def call(tool: str, /, **arguments: Any) -> Reply:
    return Reply(calls=(Call(tool, arguments),))


def too_many(retry_after: str | None = None) -> Reply:
    return Reply("slow down", status=429, headers={} if retry_after is None else {"retry-after": retry_after})


def broken(status: int = 500) -> Reply:
    return Reply("out of order", status=status)


def garbled(body: str = '{"choices": [{"mess', kind: str = "application/json") -> Reply:
    return Reply(body=body, kind=kind)


def counted(request: ReceivedRequest, reply: Reply, before: Sequence[ReceivedRequest] = ()) -> Reply:
    """Return the reply with token counts.

    A token is a quarter of the characters that the model reads (messages, tools, schemas) and writes (text, tool names,
    arguments), a rough mean of tokenizers on English and JSON. The longest common prefix with an earlier request counts
    as cached.
    """
    read = _read(request)
    wrote = [reply.text, *(call.tool + call.text for call in reply.calls)]
    cached = max((len(commonprefix([read, _read(earlier)])) for earlier in before), default=0)  # noqa: RUF071 - characters
    return replace(reply, tokens=(len(read) // 4, max(1, len("".join(wrote)) // 4)), cached=cached // 4)


def _read(request: ReceivedRequest) -> str:
    """Return what the model reads of a request, in the order of servers: tools and schemas come first."""
    names = ("tools", "response_format", "system", "messages")
    read = {name: request.body[name] for name in names if name in request.body}
    return json.dumps(read, ensure_ascii=False)


def serialize_reply(request: ReceivedRequest, reply: Reply) -> tuple[str, str]:
    """Return the body of a reply and its content type."""
    if reply.body is not None:
        return reply.body, reply.kind
    if reply.status >= 400:
        return json.dumps({"type": "error", "error": {"type": "error", "message": reply.text}}), "application/json"
    if request.stream:
        events = (
            _anthropic_events(request, reply) if request.protocol == "anthropic" else _openai_events(request, reply)
        )
        return "".join(events), "text/event-stream"
    whole = _anthropic(request, reply) if request.protocol == "anthropic" else openai_reply(request, reply)
    return json.dumps(whole), "application/json"


def _openai_events(request: ReceivedRequest, reply: Reply) -> Iterator[str]:
    whole = openai_reply(request, reply)
    (choice,) = whole["choices"]

    def event(delta: dict[str, Any] | None, end: str | None = None, **more: Any) -> str:
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": end}]
        shared = {name: whole[name] for name in ("id", "created", "model")}
        chunk = {**shared, "object": "chat.completion.chunk", "choices": choices, **more}
        return f"data: {json.dumps(chunk)}\n\n"

    yield event({"role": "assistant", "content": ""})
    for piece in _pieces(reply.text):
        yield event({"content": piece})
    for index, call in enumerate(choice["message"].get("tool_calls", [])):
        arguments = call["function"]["arguments"]
        opened = {**call, "index": index, "function": {"name": call["function"]["name"], "arguments": ""}}
        yield event({"tool_calls": [opened]})
        for piece in _pieces(arguments):
            yield event({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield event({}, choice["finish_reason"])
    if request.body.get("stream_options", {}).get("include_usage"):
        yield event(None, usage=whole["usage"])
    yield "data: [DONE]\n\n"


def _anthropic_blocks(request: ReceivedRequest, reply: Reply) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    for index, call in enumerate(reply.calls):
        # Anthropic's arguments are JSON, not text, so invalid arguments are possible in a stream only.
        value = json.loads(call.text) if request.stream is False else call.text
        blocks.append({"type": "tool_use", "id": f"toolu_{request.number}_{index}", "name": call.tool, "input": value})
    return blocks


def _anthropic_end(reply: Reply) -> str:
    return "max_tokens" if reply.truncated else "tool_use" if reply.calls else "end_turn"


def _anthropic(request: ReceivedRequest, reply: Reply) -> dict[str, Any]:
    read, wrote = reply.tokens
    return {
        "id": f"msg_{request.number}",
        "type": "message",
        "role": "assistant",
        "model": request.body["model"],
        "content": _anthropic_blocks(request, reply),
        "stop_reason": _anthropic_end(reply),
        "stop_sequence": None,
        "usage": {"input_tokens": read, "output_tokens": wrote},
    }


def _anthropic_events(request: ReceivedRequest, reply: Reply) -> Iterator[str]:
    def event(kind: str, **more: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n"

    started = {**_anthropic(request, Reply(tokens=reply.tokens)), "content": [], "stop_reason": None}
    started["usage"] = {"input_tokens": reply.tokens[0], "output_tokens": 1}
    yield event("message_start", message=started)
    for index, block in enumerate(_anthropic_blocks(request, reply)):
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
