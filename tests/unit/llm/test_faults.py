"""Faults of a server: temporary ones are retried, others are reported."""

import asyncio
import email.utils
import time
from dataclasses import replace
from typing import Any

import pytest
from model_bench import Bench
from model_replies import broken, garbled, say, too_many
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelRequest

from quaestor.errors import ModelAccessError, ModelReplyError, OutageError, QuaestorError
from quaestor.llm.models import connect
from quaestor.llm.naming import find_model
from quaestor.testing.models import Reply

HELLO = [ModelRequest.user_text_prompt("hello")]


def ask(bench: Bench, **more: Any) -> str:
    async def run() -> str:
        async with bench.connect(**more) as connection:
            return (await model_request(connection.model, HELLO)).text or ""

    return asyncio.run(run())


def fails(bench: Bench, kind: type[QuaestorError], named: str | None = None, **more: Any) -> QuaestorError:
    with pytest.raises(kind, match=named) as caught:
        ask(bench, **more)
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    "fault",
    [
        broken(500), broken(502), broken(529), broken(503), too_many(), broken(408), say("hi", cut=0),
        say("hello there, this is a longer reply that is cut in its middle", cut=100), garbled(), garbled("{}"),
        garbled("<html>gateway</html>", "text/html"), garbled('{"choices": null, "content": null}'), garbled("null"),
        garbled("[]"), garbled('{"choices": [{}], "content": [{"type": "text"}]}'),
    ],
    ids=lambda fault: f"{fault.status} {fault.body or fault.cut}",
)  # fmt: skip
def test_temporary_fault_is_retried(bench: Bench, fault: Reply) -> None:
    bench.says(fault, fault, say("here"))
    assert ask(bench) == "here"
    assert len(bench.server.requests) == len(bench.exchanges) == 3
    assert len(bench.pauses) == 2
    assert all(0 < pause <= 1 for pause in bench.pauses)


def test_permanent_fault_is_an_outage(bench: Bench) -> None:
    bench.server.script = lambda request: broken(503)
    fails(bench, OutageError, "503.*out of order")
    assert len(bench.server.requests) == bench.spec.attempts
    assert len(bench.pauses) == bench.spec.attempts - 1


def test_too_deeply_nested_reply_is_an_error_of_the_turn(bench: Bench) -> None:
    bench.server.script = lambda request: garbled("[" * 100_000)
    fails(bench, ModelReplyError, bench.spec.name)


@pytest.mark.parametrize("seconds", ["7", "0"])
def test_retry_after_is_obeyed(bench: Bench, seconds: str) -> None:
    bench.says(too_many(seconds), say("here"))
    assert ask(bench) == "here"
    assert int(seconds) <= bench.pauses[0] <= int(seconds) + 0.1


def test_retry_after_may_be_a_date(bench: Bench) -> None:
    bench.says(too_many(email.utils.formatdate(time.time() + 40, usegmt=True)), say("here"))
    assert ask(bench) == "here"
    assert 30 < bench.pauses[0] < 41


def test_too_long_retry_after_is_an_outage(bench: Bench) -> None:
    bench.says(too_many("3600"))
    fails(bench, OutageError, "3600")
    assert bench.pauses == []


def test_no_retry_if_the_server_forbids_it(bench: Bench) -> None:
    bench.says(replace(broken(500), headers={"x-should-retry": "false"}))
    fails(bench, OutageError, "500")
    assert len(bench.server.requests) == 1


def test_slow_server_times_out(bench: Bench) -> None:
    bench.server.script = lambda request: say("late", delay=30)
    fails(bench, OutageError, "0.3", spec=replace(bench.spec, timeout=0.3, attempts=2))
    assert [exchange.status for exchange in bench.exchanges] == [None, None]
    assert all(exchange.error for exchange in bench.exchanges)


@pytest.mark.parametrize(
    ("fault", "kind", "named"),
    [
        (Reply("bad key", status=401), ModelAccessError, "bad key.*QUAESTOR_API_KEY"),
        (Reply("not yours", status=403), ModelAccessError, "not yours"),
        (Reply("no such model", status=404), ModelAccessError, "'scripted' at http://127.*no such"),
        (Reply("too hot", status=400), ModelReplyError, "400.*too hot"),
        (Reply("x" * 5000, status=422), ModelReplyError, r"x\.\.\."),
    ],
)
def test_refused_request_is_not_retried(bench: Bench, fault: Reply, kind: type[QuaestorError], named: str) -> None:
    bench.says(fault)
    fails(bench, kind, named)
    assert bench.pauses == []


def test_insufficient_credit_is_not_retried(plain: Bench) -> None:
    body = (
        '{"error": {"message": "You exceeded your quota", "type": "insufficient_quota", "code": "insufficient_quota"}}'
    )
    plain.says(Reply(body=body, status=429))
    fails(plain, ModelAccessError, "You exceeded your quota")


def test_missing_server_is_reported_with_the_setting(local_models: None) -> None:
    async def run() -> None:
        spec = replace(find_model("openai:m@http://127.0.0.1:9/v1"), attempts=1)
        async with connect(spec, environment={}) as connection:
            await model_request(connection.model, HELLO)

    with pytest.raises(ModelAccessError, match=r"http://127\.0\.0\.1:9/v1"):
        asyncio.run(run())


def test_started_stream_is_not_retried(bench: Bench) -> None:
    bench.says(say("a reply of some length that is cut off in its middle " * 10, cut=1200))

    async def run() -> None:
        async with bench.connect() as connection, model_request_stream(connection.model, HELLO) as stream:
            async for _ in stream:
                pass

    with pytest.raises(OutageError):
        asyncio.run(run())
    assert len(bench.server.requests) == 1


def test_stream_that_does_not_start_is_retried(bench: Bench) -> None:
    bench.says(broken(500), say("here"))

    async def run() -> str:
        async with bench.connect() as connection, model_request_stream(connection.model, HELLO) as stream:
            async for _ in stream:
                pass
            return stream.get().text or ""

    assert asyncio.run(run()) == "here"


@pytest.mark.slow
def test_slow_attempt_is_retried(plain: Bench) -> None:
    plain.says(say("late", delay=30), say("here"))
    assert ask(plain, spec=replace(plain.spec, timeout=1.0)) == "here"
