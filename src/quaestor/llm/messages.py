"""Readable messages of requests and replies, for both protocols, streamed or not."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

Node = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of an exchange.

    Attributes:
        who: `system`, `user`, `assistant`, `tools`, `call NAME`, `result`, `error`, or `body` for anything else.
    """

    who: str
    text: str


def read_request(body: str) -> tuple[Message, ...]:
    """Return the messages of a request: the instructions, the names of available tools, and the conversation."""
    document = parse_object(body)
    if document is None or not isinstance(document.get("messages"), list):
        return (Message("body", body),)
    messages = [Message("system", text) for text in _texts(document.get("system"))]
    offered = [_tool_name(tool) for tool in _objects(document.get("tools"))]
    if offered:
        messages.append(Message("tools", ", ".join(offered)))
    for message in _objects(document["messages"]):
        messages += _message(message)
    return tuple(messages)


def read_response(body: str) -> tuple[Message, ...]:
    """Return the messages of a reply: text, tool calls, or an error."""
    document = parse_object(body) or _assemble(body)
    if document is None:
        return (Message("body", body),)
    if "error" in document:
        error = document["error"]
        message = error.get("message") if isinstance(error, dict) else error
        return (Message("error", str(message)),)
    choices = _objects(document.get("choices"))
    if choices:
        message = choices[0].get("message")
        return tuple(_message(message)) if isinstance(message, dict) else (Message("body", body),)
    if isinstance(document.get("content"), list):
        return tuple(_message({"role": "assistant", **document}))
    return (Message("body", body),)


def _message(message: Node) -> Iterator[Message]:
    role, content = str(message.get("role", "")), message.get("content")
    who = {"developer": "system", "tool": "result"}.get(role, role)
    if isinstance(content, str) and content:
        yield Message(who, content)
    for block in _objects(content):
        kind = block.get("type")
        if kind == "tool_use":
            yield Message(f"call {block.get('name')}", _compact(block.get("input")))
        elif kind == "tool_result":
            yield Message("result", "\n".join(_texts(block.get("content"))))
        else:
            yield Message(who, str(block.get("text") or block.get("thinking") or _compact(block)))
    for call in _objects(message.get("tool_calls")):
        function = call.get("function")
        if isinstance(function, dict):
            yield Message(f"call {function.get('name')}", str(function.get("arguments")))


def _assemble(body: str) -> Node | None:
    """Assemble a streamed reply into a plain one; None if the body is not a stream."""
    events = [e for line in body.splitlines() if line.startswith("data:") if (e := parse_object(line[5:])) is not None]
    if not events:
        return None
    error = next((event for event in events if "error" in event), None)
    if error is not None:
        return error
    return _anthropic(events) if any("type" in event for event in events) else _openai(events)


def _openai(events: list[Node]) -> Node:
    text, calls = "", dict[int, dict[str, str]]()
    for event in events:
        for choice in _objects(event.get("choices"))[:1]:
            delta = choice.get("delta")
            if not isinstance(delta, dict):
                continue
            text += str(delta.get("content") or "")
            for piece in _objects(delta.get("tool_calls")):
                place, function = piece.get("index"), piece.get("function")
                call = calls.setdefault(place if isinstance(place, int) else 0, {"name": "", "arguments": ""})
                for key in call:
                    call[key] += str(function.get(key) or "") if isinstance(function, dict) else ""
    tool_calls: list[JsonValue] = [{"function": dict[str, JsonValue](call)} for _, call in sorted(calls.items())]
    return {"choices": [{"message": {"role": "assistant", "content": text, "tool_calls": tool_calls}}]}


def _anthropic(events: list[Node]) -> Node:
    blocks = dict[int, Node]()
    for event in events:
        place = event.get("index")
        if not isinstance(place, int):
            continue
        start, delta = event.get("content_block"), event.get("delta")
        if isinstance(start, dict):
            blocks[place] = {**start, "input": ""} if start.get("type") == "tool_use" else dict(start)
        block = blocks.setdefault(place, {"type": "text"})
        for key, piece in (("text", "text"), ("input", "partial_json"), ("thinking", "thinking")):
            if isinstance(delta, dict) and piece in delta:
                block[key] = f"{block.get(key) or ''}{delta[piece]}"
    return {"content": [block for _, block in sorted(blocks.items())]}


def _tool_name(tool: Node) -> str:
    function = tool.get("function")
    return str(function.get("name") if isinstance(function, dict) else tool.get("name"))


def _texts(content: JsonValue) -> list[str]:
    if isinstance(content, str):
        return [content] if content else []
    return [str(block.get("text", "")) for block in _objects(content)]


def _objects(value: JsonValue) -> list[Node]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def parse_object(text: str) -> Node | None:
    """Return the object that a text is as JSON; None for any other text."""
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _compact(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
