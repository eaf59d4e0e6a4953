"""A fast stub of a model server: it shares the machine with what is measured, in a separate process.

    with stub_model(latency=0.1) as url:
        spec = find_model(f"openai:scripted@{url}/v1")     # or f"anthropic:scripted@{url}"

It counts the results of tools in a request and sends the agent the next call of a sum. A request takes about a
twentieth of a millisecond.
"""

import asyncio
import json
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

REQUESTS = 4
"""Requests per question: three tool calls, and the answer."""

_Content = tuple[str, dict[str, Any]]
_SCRIPT: tuple[_Content, ...] = (
    ("describe_understanding", {"description": "a sum"}),
    ("introspect_ontology", {"action": "list_types"}),
    ("calculate", {"operation": "add", "values": [2, 3]}),
    ("final_answer", {"answer": 5, "steps": [1]}),
)


@contextmanager
def stub_model(latency: float) -> Iterator[str]:
    """Run a stub that replies after `latency` seconds for the duration of the block, and yield its address."""
    context = multiprocessing.get_context("spawn")
    parent, child = context.Pipe()
    process = context.Process(target=_serve, args=(latency, child), daemon=True)
    process.start()
    try:
        yield parent.recv()
    finally:
        parent.send("end")
        process.join()


def _serve(latency: float, connection: Connection) -> None:
    """Serve until the message "end" arrives."""

    async def serve() -> None:
        loop, end = asyncio.get_running_loop(), asyncio.Event()
        _Stub.latency = latency
        server = await loop.create_server(_Stub, "127.0.0.1", 0, backlog=1024)
        loop.add_reader(connection.fileno(), end.set)
        connection.send(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        await end.wait()
        server.close()

    asyncio.run(serve())


class _Stub(asyncio.Protocol):
    latency = 0.0

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._end = 0  # end of the incoming request, once its length is known

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._end:
            head = self._buffer.find(b"\r\n\r\n")
            if head < 0:
                return
            fields = bytes(self._buffer[:head]).lower()
            self._end = head + 4 + int(fields.partition(b"content-length:")[2].partition(b"\r\n")[0])
        if len(self._buffer) >= self._end:
            reply = _reply(bytes(self._buffer[: self._end]))
            del self._buffer[: self._end]
            self._end = 0
            asyncio.get_running_loop().call_later(self.latency, self._transport.write, reply)


def _reply(request: bytes) -> bytes:
    protocol, mark = ("anthropic", b'"type":"tool_result"')
    if request.startswith(b"POST /v1/chat"):
        protocol, mark = "openai", b'"role":"tool"'
    return _REPLIES[protocol][min(request.count(mark), REQUESTS - 1)]


def _format_response(body: dict[str, Any]) -> bytes:
    text = json.dumps(body).encode()
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(text), text)


def _openai(content: _Content, number: int) -> dict[str, Any]:
    called = {"name": content[0], "arguments": json.dumps(content[1])}
    calls = [{"id": f"call_{number}", "type": "function", "function": called}]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    choices = [{"index": 0, "message": message, "finish_reason": "tool_calls"}]
    whole = {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": 1_700_000_000, "model": "scripted"}
    return {**whole, "choices": choices, "usage": usage}


def _anthropic(content: _Content, number: int) -> dict[str, Any]:
    block = {"type": "tool_use", "id": f"toolu_{number}", "name": content[0], "input": content[1]}
    whole = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "scripted", "content": [block]}
    return {
        **whole,
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }


_REPLIES = {
    protocol: [_format_response(write(content, number)) for number, content in enumerate(_SCRIPT)]
    for protocol, write in (("openai", _openai), ("anthropic", _anthropic))
}
