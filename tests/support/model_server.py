"""A scripted model server on this machine: OpenAI's chat completions and Anthropic's messages, streamed or not.

    def script(asked: ReceivedRequest) -> Reply:
        return say("14.14") if asked.results else call("query_kg", property="NetSales")

    with ModelServer(script) as server:
        spec = find_model(f"openai:scripted@{server.url}/v1")     # or f"anthropic:scripted@{server.url}"

The script is called for each request on the server's own thread; `replies` makes a script from a list.
`server.requests` contains the requests.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Self

from model_replies import serialize_reply

from quaestor.testing.models import Protocol, ReceivedRequest, Reply

Script = Callable[[ReceivedRequest], Reply]

_PATHS: dict[str, Protocol] = {"/v1/chat/completions": "openai", "/v1/messages": "anthropic"}
_REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 429: "Too Many Requests", 500: "Internal Server Error"}


def replies(these: Iterable[Reply]) -> Script:
    """Return a script that gives these replies in order; a further request is answered with 501."""
    left = iter(list(these))
    return lambda request: next(left, Reply(f"no reply left for request {request.number}", status=501))


class ModelServer:
    """A server that runs within its context; it accepts any number of connections at once."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[ReceivedRequest] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="model-server", daemon=True)
        self._ready = threading.Event()
        self._open: set[asyncio.StreamWriter] = set()
        self._port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _serve(self) -> None:
        async def start() -> asyncio.Server:
            return await asyncio.start_server(self._connection, "127.0.0.1", 0, backlog=1024)

        async def stop() -> None:
            server.close()
            tasks = asyncio.all_tasks(self._loop) - {asyncio.current_task()}
            for writer in self._open:
                writer.transport.abort()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        server = self._loop.run_until_complete(start())
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(stop())
        self._loop.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while request := await _request(reader):
                if not await self._answer(writer, *request):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has gone
        except asyncio.CancelledError:
            pass  # the server stops; asyncio would report a cancelled connection as an error
        finally:
            self._open.discard(writer)
            writer.close()

    async def _answer(self, writer: asyncio.StreamWriter, path: str, headers: dict[str, str], body: bytes) -> bool:
        """Answer a request and return whether the connection stays open."""
        protocol = _PATHS.get(path)
        if protocol is None:
            _send(
                writer, Reply(f"nothing at {path}", status=404), '{"error": {"message": "no such path"}}', "text/json"
            )
            return True
        request = ReceivedRequest(protocol, json.loads(body), headers, len(self.requests))
        self.requests.append(request)
        reply = self.script(request)
        if reply.delay:
            await asyncio.sleep(reply.delay)
        text, kind = serialize_reply(request, reply)
        _send(writer, reply, text, kind)
        await writer.drain()
        return reply.cut is None


async def _request(reader: asyncio.StreamReader) -> tuple[str, dict[str, str], bytes] | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    fields = (line.partition(":") for line in head[1:] if line)
    headers = {name.lower(): value.strip() for name, _, value in fields}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return head[0].split(" ")[1].partition("?")[0], headers, body


def _send(writer: asyncio.StreamWriter, reply: Reply, text: str, kind: str) -> None:
    body = text.encode()
    headers = {"content-type": kind, "content-length": str(len(body)), **reply.headers}
    lines = [f"HTTP/1.1 {reply.status} {_REASONS.get(reply.status, 'Status')}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join([*lines, "", ""]).encode() + body[: reply.cut])
