import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from datetime import UTC
from itertools import pairwise

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_bench import Bench
from model_replies import broken, call, say, serialize_reply
from pydantic_ai import Agent

from quaestor.errors import ModelReplyError
from quaestor.llm import transport
from quaestor.llm.transcript import Exchange, phase, turn_context
from quaestor.llm.transport import Redactor, WatchingTransport, redact


def play(bench: Bench, conversation: str) -> None:
    async def run() -> None:
        async with bench.connect() as connection:
            agent = Agent(connection.model)

            @agent.tool_plain
            def lookup(row: int) -> str:
                return "14.1"

            with turn_context("run-1", conversation, 2):
                with phase("UNDERSTAND"):
                    await agent.run("What?")
                with phase("ANSWER_iteration_1"):
                    await agent.run("And now?")

    asyncio.run(run())


def test_every_request_and_reply_is_recorded_as_sent_and_received(bench: Bench) -> None:
    replies = [call("lookup", row=1), say("it is \u20ac 14.1"), broken(500), say("done")]
    bench.says(*replies)
    play(bench, "Single_NORD/2012/page_41.pdf-1")
    assert len(bench.exchanges) == 4
    for exchange, request, reply in zip(bench.exchanges, bench.server.requests, replies, strict=True):
        assert json.loads(exchange.request) == request.body
        assert exchange.response == serialize_reply(request, reply)[0]
        assert exchange.status == reply.status
        assert exchange.method == "POST"
        assert exchange.path in ("/v1/chat/completions", "/v1/messages")
        assert exchange.model == bench.spec.name
        assert exchange.error is None
        assert exchange.started <= exchange.finished
        assert exchange.started.tzinfo is UTC
        assert exchange.started.microsecond % 1000 == 0


def test_conversations_in_parallel_do_not_mix(bench: Bench) -> None:
    bench.server.script = lambda request: say(request.prompts[0], delay=0.002)

    async def run() -> None:
        async with bench.connect() as connection:
            agent = Agent(connection.model)

            async def converse(name: str) -> None:
                for turn in range(3):
                    with turn_context("r", name, turn), phase(f"{name} {turn}"):
                        await agent.run(f"{name} asks {turn}")

            await asyncio.gather(*(converse(f"c{i}") for i in range(4)))

    asyncio.run(run())
    assert len(bench.exchanges) == 12
    for exchange in bench.exchanges:
        place = exchange.place
        assert exchange.number == 0
        assert exchange.phase == f"{place.conversation} {place.turn}"
        assert f"{place.conversation} asks {place.turn}" in exchange.request


class Body(httpx2.AsyncByteStream):
    def __init__(self, chunks: list[bytes], fault: Exception | None = None) -> None:
        self._chunks = chunks
        self._fault = fault

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk
        if self._fault:
            raise self._fault


def watched(response: httpx2.Response, secrets: tuple[str, ...] = ()) -> tuple[list[Exchange], httpx2.AsyncClient]:
    async def answer(request: httpx2.Request) -> httpx2.Response:
        return response

    exchanges: list[Exchange] = []
    transport = WatchingTransport(httpx2.MockTransport(answer), [exchanges], model="m", secrets=secrets)
    return exchanges, httpx2.AsyncClient(transport=transport)


def test_a_compressed_reply_is_recorded_as_text() -> None:
    packed = gzip.compress(b'{"answer": 1}')
    exchanges, client = watched(httpx2.Response(200, headers={"content-encoding": "gzip"}, stream=Body([packed])))
    assert asyncio.run(client.post("http://h/v1", content=b"{}")).json() == {"answer": 1}
    assert exchanges[0].response == '{"answer": 1}'


def test_a_compressed_reply_is_bounded_by_its_size_once_decompressed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "LONGEST_REPLY", 1 << 20)
    packed = gzip.compress(bytes(100 << 20))
    exchanges, client = watched(httpx2.Response(200, headers={"content-encoding": "gzip"}, stream=Body([packed])))
    with pytest.raises(ModelReplyError, match="larger than"):
        asyncio.run(client.post("http://h/v1", content=b"{}"))
    assert len(exchanges[0].response or "") < 3 << 20


def test_a_key_in_a_compressed_reply_is_blanked() -> None:
    packed = gzip.compress(b"bad key sk-12345678!")
    response = httpx2.Response(401, headers={"content-encoding": "gzip"}, stream=Body([packed]))
    exchanges, client = watched(response, ("sk-12345678",))
    assert asyncio.run(client.post("http://h/v1", content=b"{}")).text == exchanges[0].response == "bad key [key]!"


def test_incomplete_reply_is_recorded() -> None:
    fault = httpx2.RemoteProtocolError("gone")
    exchanges, client = watched(httpx2.Response(200, stream=Body([b"half", b" a rep"], fault)))
    with pytest.raises(httpx2.RemoteProtocolError):
        asyncio.run(client.post("http://h/v1", content=b"{}"))
    assert (exchanges[0].response, exchanges[0].error) == ("half a rep", "RemoteProtocolError: gone")


def test_only_headers_that_affect_the_client_are_recorded() -> None:
    headers = {"Set-Cookie": "session=1", "Retry-After": "3", "X-Request-Id": "a", "Content-Type": "text/plain"}
    exchanges, client = watched(httpx2.Response(429, headers=headers, stream=Body([b"slow"])))
    asyncio.run(client.post("http://h/v1?key=secret", content=b"{}", headers={"authorization": "Bearer secret"}))
    assert exchanges[0].headers == {"retry-after": "3", "content-type": "text/plain"}
    assert "secret" not in repr(exchanges[0])


KEYS = ("abababac", "abababad-long")


def in_pieces(text: bytes, cuts: list[int], secrets: tuple[str, ...] = KEYS) -> bytes:
    blanking = Redactor(secrets)
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [blanking.feed(text[start:end]) for start, end in pairwise(edges)]
    return b"".join(pieces) + blanking.flush()


@given(st.lists(st.sampled_from(["ab", "abababac", "abababad-long", "c", "x", "-lo"])), st.lists(st.integers(0, 60)))
def test_redaction_does_not_depend_on_chunks(words: list[str], cuts: list[int]) -> None:
    text = "".join(words)
    whole = in_pieces(text.encode(), []).decode()
    assert in_pieces(text.encode(), cuts).decode() == whole == redact(text, KEYS)
    assert not any(key in whole for key in KEYS)


@given(st.text())
def test_a_text_without_a_key_is_left_as_it_is(text: str) -> None:
    assert redact(text, ("sk-0123456789",)) == text


def test_a_placeholder_is_not_a_key() -> None:
    assert redact("nonetheless", ("none", "")) == "nonetheless"
