"""A model server whose replies never end, have wrong lengths, arrive slowly, or redirect to another server."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import cycle

import pytest
from model_replies import say
from model_server import ModelServer, Script
from oracle import oracle_of, run_with_oracle
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest
from solver_bench import run_with_script

from quaestor.core.provenance import CellRef
from quaestor.datasets.formats import read_dataset
from quaestor.errors import ModelReplyError, OutageError, QuaestorError
from quaestor.llm import transport
from quaestor.llm.models import connect
from quaestor.llm.naming import find_model
from quaestor.sample import sample_path
from quaestor.scoring.gold import GoldTurn, read_gold
from quaestor.solvers.base import TurnContext
from quaestor.solvers.registry import make_solver
from quaestor.testing.models import ReceivedRequest, Reply

pytestmark = [pytest.mark.faults, pytest.mark.usefixtures("local_models")]

HELLO = [ModelRequest.user_text_prompt("hello")]
JSON = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
Answer = Callable[[socket.socket], None]


@contextmanager
def a_server(answer: Answer) -> Iterator[tuple[str, list[bytes]]]:
    """Pass each connection to `answer` after its request, and yield the address and the received requests."""
    bodies: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    threading.Thread(target=handle, args=(connection,), daemon=True).start()

        def handle(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                bodies.append(connection.recv(1 << 16))
                answer(connection)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", bodies


def ask(address: str, timeout: float = 20.0) -> str:
    spec = replace(find_model(f"openai:scripted@{address}/v1"), timeout=timeout, attempts=2, stream=False)

    async def no_pause(seconds: float) -> None:
        pass

    async def run() -> str:
        async with connect(spec, sleep=no_pause) as connection:
            return (await model_request(connection.model, HELLO)).text or ""

    return asyncio.run(run())


def fails(answer: Answer, kind: type[QuaestorError], timeout: float = 20.0) -> list[bytes]:
    with a_server(answer) as (address, bodies):
        with pytest.raises(kind) as caught:
            ask(address, timeout)
        assert "\n" not in str(caught.value)
        return bodies


def test_endless_reply_is_aborted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "LONGEST_REPLY", 2 << 20)
    sent = []

    def answer(connection: socket.socket) -> None:
        connection.sendall(JSON + b"content-length: 104857600\r\n\r\n")
        for _ in range(100):
            sent.append(connection.send(b" " * (1 << 20)))

    requests = fails(answer, ModelReplyError)
    assert len(requests) == 1  # the request is not repeated
    assert sum(sent) < 50 << 20


def test_reply_shorter_than_its_content_length_is_incomplete() -> None:
    fails(lambda connection: connection.sendall(JSON + b"content-length: 900\r\n\r\n{}"), OutageError)


def test_reply_longer_than_its_content_length_is_rejected() -> None:
    body = b'{"id": "1", "object": "chat.completion", "choices": []}'
    too_long = JSON + b"content-length: 9\r\n\r\n" + body
    # The server closes at once, so its reply may be lost with the connection. Both cases are errors.
    fails(lambda connection: connection.sendall(too_long), QuaestorError)


def test_slow_reply_is_aborted_at_the_timeout() -> None:
    def answer(connection: socket.socket) -> None:
        connection.sendall(JSON + b"content-length: 100000\r\n\r\n")
        while True:
            connection.sendall(b" ")
            time.sleep(0.02)

    begun = time.monotonic()
    requests = fails(answer, OutageError, timeout=0.3)
    assert len(requests) == 2
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_only_named_model_servers_are_contacted(status: int) -> None:
    with ModelServer(lambda _: say("from elsewhere")) as other_server:
        moved = (
            f"HTTP/1.1 {status} Moved\r\nlocation: {other_server.url}/v1/chat/completions\r\ncontent-length: 0\r\n\r\n"
        )
        # The server closes at once, so its reply may be lost with the connection. No other server may be contacted.
        fails(lambda connection: connection.sendall(moved.encode()), QuaestorError)
        assert other_server.requests == []


def test_concurrent_requests_get_their_own_answers() -> None:
    """Answer early requests last; no connection returns the answer to a request on another one."""
    with ModelServer(lambda request: say(request.prompts[-1], delay=0.2 / (1 + request.number % 7))) as server:
        spec = find_model(f"openai:scripted@{server.url}/v1")

        async def run() -> list[str]:
            async with connect(spec) as connection:
                requests = [[ModelRequest.user_text_prompt(f"question {number}")] for number in range(60)]
                return [
                    reply.text or ""
                    for reply in await asyncio.gather(*(model_request(connection.model, r) for r in requests))
                ]

        text = asyncio.run(run())
    assert [f"question {number}" in words for number, words in enumerate(text)] == [True] * 60


@pytest.mark.very_slow
def test_plans_for_other_questions_are_checked_against_the_page() -> None:
    """Reply with valid plans for questions about other pages; all accepted numbers are on this page."""
    conversations, perfect, replies = read_dataset(sample_path()).conversations, oracle_of("workflow"), list[Reply]()
    solver = make_solver("workflow", {})

    def recording(context: TurnContext, golds: Sequence[GoldTurn]) -> Script:
        script = perfect(context, golds)

        def answer(request: ReceivedRequest) -> Reply:
            replies.append(script(request))
            return replies[-1]

        return answer

    asyncio.run(run_with_oracle(conversations, read_gold(sample_path()), solver, recording))
    numbers = answered = refused = 0
    for place, conversation in enumerate(conversations):
        others = cycle(replies[place + 60 :] + replies[: place + 60])
        script: Script = partial(_next_of, others)
        for turn in run_with_script(solver, script, conversation.questions, conversation.document).turns:
            if turn.answer.value is None:
                refused += 1
                assert turn.error or turn.answer.reason
                continue
            answered += 1
            assert turn.verified
            for variable in turn.answer.variables:
                if isinstance(variable.source, CellRef):
                    printed = conversation.document.cell(variable.source).quantity
                    assert printed is not None
                    assert printed.value == variable.value
                    numbers += 1
    assert refused > 20
    assert answered > 5
    assert numbers > 5


def _next_of(replies: Iterator[Reply], request: ReceivedRequest) -> Reply:
    return next(replies)
